import * as l10n from "@vscode/l10n";
import path from "node:path";
import { readAgent, readTask } from "./definition.ts";
import { isFile, readText } from "./files.ts";
import { parseJsonc } from "./jsonc.ts";
import type { ProjectAgent, ProjectTask } from "./types.ts";
import { given, Place, toPlain } from "./value.ts";

interface Declared {
  readonly name: string | undefined;
  readonly agents: ProjectAgent[];
  readonly tasks: ProjectTask[];
  readonly defaults?: Record<string, unknown>;
}

/**
 * Reads a declarative crew: its own file, and beside it `agents/<name>.jsonc` (or `.json`) for each agent
 * (crewAI since 1.14.8, `crewai.project.json_loader`).
 * @param file the crew's file inside the project, with forward slashes
 * @throws {ProjectError}
 */
export async function readDeclarative(folder: string, file: string): Promise<Declared> {
  const crew = new Place(parseJsonc(await readText(folder, file)));
  const members = crew.members(l10n.t('a JSON object with "agents" and "tasks".'));
  const agents = await readAgents(folder, path.posix.dirname(file), crew, members);
  const tasks = readTasks(
    crew,
    members.get("tasks"),
    agents.map(({ name }) => name),
  );
  const name = given(members.get("name"))?.text(l10n.t("the crew's name."));
  const inputs = given(members.get("inputs"))?.members(l10n.t("an object of names and values."));
  return {
    name,
    agents,
    tasks,
    ...(inputs && {
      defaults: Object.fromEntries([...inputs].map(([key, { value }]) => [key, toPlain(value)])),
    }),
  };
}

async function readAgents(
  folder: string,
  base: string,
  crew: Place,
  members: ReadonlyMap<string, Place>,
): Promise<ProjectAgent[]> {
  const list = members.get("agents");
  const expected = l10n.t('a list of names, each with a file "agents/<name>.jsonc".');
  if (list === undefined) throw crew.error(l10n.t('"agents" is missing.'), expected);
  const references = list.items(expected);
  if (references.length === 0) throw list.error(l10n.t("There are no agents."), expected);
  const manager = members.get("manager_agent");
  // A manager may also be a reference to Python code, which isn't read.
  if (typeof manager?.value === "string") references.push(manager);
  const agents = new Map<string, ProjectAgent>();
  for (const reference of references) {
    const name = reference.text(l10n.t("the name of an agent."));
    if (!agents.has(name)) agents.set(name, await readAgentFile(folder, base, name, reference));
  }
  return [...agents.values()];
}

async function readAgentFile(
  folder: string,
  base: string,
  name: string,
  reference: Place,
): Promise<ProjectAgent> {
  const beside = path.posix.join(base, "agents");
  const candidates = [`${beside}/${name}.jsonc`, `${beside}/${name}.json`];
  const inside = /^[^/\\]+$/.test(name) && name !== "..";
  for (const file of inside ? candidates : []) {
    if (await isFile(path.join(folder, file)))
      return readAgent(name, new Place(parseJsonc(await readText(folder, file))));
  }
  throw reference.error(l10n.t('The agent "{0}" has no file.', name), `"${candidates[0]}".`);
}

function readTasks(crew: Place, list: Place | undefined, agents: readonly string[]): ProjectTask[] {
  const expected = l10n.t('a list of tasks with "description" and "expected_output".');
  if (list === undefined) throw crew.error(l10n.t('"tasks" is missing.'), expected);
  const places = list.items(expected);
  if (places.length === 0) throw list.error(l10n.t("There are no tasks."), expected);
  const ids = places.map(
    (place, index) =>
      given(place.members(expected).get("name"))?.text(l10n.t("the task's name.")) ??
      `task_${index + 1}`,
  );
  return places.map((place, index) => {
    const id = ids[index] ?? "";
    const earlier = ids.slice(0, index);
    if (earlier.includes(id))
      throw (place.members(expected).get("name") ?? place).error(
        l10n.t('The name "{0}" is used twice.', id),
        l10n.t("a unique name for each task."),
      );
    return readTask(id, place, { agents, earlier, tasks: ids });
  });
}

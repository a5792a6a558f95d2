import * as l10n from "@vscode/l10n";
import path from "node:path";
import { readAgent, readTask } from "./definition.ts";
import { foldersIn, isFile, readText } from "./files.ts";
import { ProjectError, type ProjectAgent, type ProjectTask } from "./types.ts";
import { Place } from "./value.ts";
import { parseYaml } from "./yaml.ts";

const agentsFile = "agents.yaml";
const tasksFile = "tasks.yaml";

/** Folders of a project with `agents.yaml` or `tasks.yaml`: `config` at the top and in each package under `src`. */
export async function configFolders(folder: string): Promise<string[]> {
  const packages = await foldersIn(path.join(folder, "src"));
  const candidates = ["config", ...packages.map((name) => `src/${name}/config`)];
  const found = await Promise.all(
    candidates.map((config) => hasDefinition(path.join(folder, config))),
  );
  return candidates.filter((_, index) => found[index]);
}

async function hasDefinition(config: string): Promise<boolean> {
  return (
    (await isFile(path.join(config, agentsFile))) || (await isFile(path.join(config, tasksFile)))
  );
}

/**
 * Chooses the folder with the definition: the only one, else the one of the package with the project's name.
 * @throws {ProjectError} when several qualify
 */
export function chooseConfig(
  found: readonly string[],
  projectName: string | undefined,
): string | undefined {
  const own = `src/${(projectName ?? "").replaceAll("-", "_")}/config`;
  const chosen = found.length > 1 ? found.find((config) => config === own) : found[0];
  if (chosen !== undefined || found.length === 0) return chosen;
  throw new ProjectError(
    l10n.t("There are several crews here: {0}.", found.join(", ")),
    l10n.t(
      "one crew; open the folder of the crew you want, or name its package in pyproject.toml.",
    ),
  );
}

/**
 * Reads a classic project's agents and tasks. Tasks run in the order of the file, as the `@task` methods usually do.
 * @param config folder inside the project, with forward slashes
 * @throws {ProjectError}
 */
export async function readClassic(
  folder: string,
  config: string,
): Promise<{ agents: ProjectAgent[]; tasks: ProjectTask[] }> {
  const agentPlaces = await readMembers(folder, `${config}/${agentsFile}`, "agent");
  const agents = [...agentPlaces].map(([name, place]) => readAgent(name, place));
  const taskPlaces = await readMembers(folder, `${config}/${tasksFile}`, "task");
  const tasks = [...taskPlaces.keys()];
  const known = { agents: agents.map(({ name }) => name), tasks };
  return {
    agents,
    tasks: [...taskPlaces].map(([id, place], index) =>
      readTask(id, place, { ...known, earlier: tasks.slice(0, index) }),
    ),
  };
}

async function readMembers(
  folder: string,
  file: string,
  what: "agent" | "task",
): Promise<Map<string, Place>> {
  if (!(await isFile(path.join(folder, file)))) {
    throw new ProjectError(
      l10n.t("The file is missing."),
      l10n.t("a YAML file that defines each {0} under its name.", what),
      { file, line: 1, column: 1 },
    );
  }
  const place = new Place(parseYaml(await readText(folder, file)));
  const expected = l10n.t("at least one {0}, as a name with its fields below it.", what);
  if (place.value === null) throw place.error(l10n.t("The file is empty."), expected);
  const members = place.members(expected);
  if (members.size === 0) throw place.error(l10n.t("The file is empty."), expected);
  return members;
}

import * as l10n from "@vscode/l10n";
import path from "node:path";
import type { JsonObject } from "../base/json.ts";
import type { CrewMethod } from "./python-source.ts";
import { isFile } from "./files.ts";
import { attempt, tryToRead, type Reading } from "./reading.ts";
import { given, parseJsonc, type Place } from "./source.ts";
import type { CrewProject, ProjectAgent, ProjectError, ProjectTask } from "./types.ts";

type Report = Reading["report"];

/** An agent or task, and where it is defined. */
export interface Defined<T> {
  readonly value: T;
  /** Undefined if Python defines it, or if its file is missing. */
  readonly place?: Place | undefined;
  /** No method of the crew's class uses it, so it isn't part of the crew. */
  readonly isUnused?: boolean;
}

export interface Definition {
  readonly agents: readonly (Defined<ProjectAgent> & {
    /** Not one of the crew's agents, so its texts ask for no inputs. */
    readonly isManager?: boolean;
  })[];
  readonly tasks: readonly Defined<ProjectTask>[];
  readonly lacks?: CrewProject["lacks"] | undefined;
  readonly name?: string | undefined;
  readonly defaults?: JsonObject;
  /** The whole `crew.jsonc`. */
  readonly crew?: Place;
}

const crewFiles = ["crew.jsonc", "crew.json"];

export async function findCrewFile(folder: string): Promise<string | undefined> {
  for (const file of crewFiles) if (await isFile(path.join(folder, file))) return file;
  return undefined;
}

/** Also reads `agents/<name>.jsonc` or `.json` (crewAI since 1.14.8, `crewai.project.json_loader`). */
export async function readDeclarative(reading: Reading, file: string): Promise<Definition> {
  const { report } = reading;
  const crew = parseJsonc(await reading.text(file), reading);
  const members = attempt(
    report,
    () => crew.members(l10n.t('a JSON object with "agents" and "tasks".')),
    new Map<string, Place>(),
  );
  const list = (key: string, missing: string, none: string, expected: string): readonly Place[] =>
    attempt(report, () => {
      const place = members.get(key);
      if (place === undefined) throw crew.error(missing, expected);
      const items = place.items(expected);
      if (items.length === 0) throw place.error(none, expected);
      return items;
    }, []);
  const agentNames = l10n.t('a list of names, each with a file "agents/<name>.jsonc".');
  const listed = list(
    "agents",
    l10n.t('"agents" is missing.'),
    l10n.t("There are no agents."),
    agentNames,
  );
  const nested = listed.find(({ isMapping }) => isMapping);
  if (nested) report(nested.error(l10n.t("The agents are nested here."), agentNames));
  const references = listed.filter(({ isMapping }) => !isMapping);
  const manager = members.get("manager_agent");
  // It may also be a reference to Python code, which isn't read.
  if (typeof manager?.value === "string") references.push(manager);
  const agents = new Map<string, Definition["agents"][number]>();
  for (const reference of references) {
    const agent = attempt(report, () => reference.name(l10n.t("the name of an agent.")), undefined);
    if (agent === undefined || agents.has(agent)) continue;
    const place = await tryToRead(report, () => readAgentFile(reading, file, agent, reference));
    agents.set(agent, {
      ...(place === undefined
        ? { value: unreadAgent(agent) }
        : { value: readAgent(agent, place, report), place }),
      isManager: reference === manager,
    });
  }
  const expected = l10n.t('a list of tasks with "description" and "expected_output".');
  const tasks = list(
    "tasks",
    l10n.t('"tasks" is missing.'),
    l10n.t("There are no tasks."),
    expected,
  ).map((place, index) => {
    const read = () => given(place.members(expected).get("name"))?.name(l10n.t("the task's name."));
    const name = attempt(report, read, undefined) ?? `task_${index + 1}`;
    return { name, place, isUnused: false };
  });
  const inputs = attempt(
    report,
    () => given(members.get("inputs"))?.members(l10n.t("an object of names and values.")),
    undefined,
  );
  const name = () => given(members.get("name"))?.name(l10n.t("the crew's name."));
  return {
    crew,
    name: attempt(report, name, undefined),
    agents: [...agents.values()],
    tasks: readTasks(tasks, nested ? undefined : [...agents.keys()], report),
    ...(inputs && {
      defaults: Object.fromEntries([...inputs].map(([key, place]) => [key, place.plain()])),
    }),
  };
}

async function readAgentFile(reading: Reading, crewFile: string, name: string, reference: Place) {
  const beside = path.posix.join(path.posix.dirname(crewFile), "agents");
  const candidates = [`${beside}/${name}.jsonc`, `${beside}/${name}.json`];
  const isInside = /^[^/\\]+$/.test(name) && name !== "..";
  for (const file of isInside ? candidates : [])
    if (await isFile(path.join(reading.folder, file)))
      return parseJsonc(await reading.text(file), reading);
  throw reference.error(l10n.t('The agent "{0}" has no file.', name), `"${candidates[0]}".`);
}

/** An agent that the files don't define. */
export function unreadAgent(name: string): ProjectAgent {
  return { name, role: name, goal: "", backstory: "" };
}

/** @param isUnused nothing is missing in it */
export function readAgent(
  name: string,
  place: Place,
  report: Report,
  isUnused = false,
): ProjectAgent {
  const members = fieldsOf(place, l10n.t("the agent's role, goal and backstory."), report);
  const text = (key: string, expected: string) =>
    attempt(report, () => given(members?.get(key))?.text(expected), "");
  const repository = text("from_repository", l10n.t("the agent's name in the repository."));
  const field = (key: string): string | undefined => {
    const found = text(key, l10n.t("text for the agent's {0}.", key));
    // The fields of an agent from a repository are stored there.
    if (found === undefined && repository === undefined && members !== undefined && !isUnused)
      report(noText(place, key, l10n.t('The agent "{0}" has no {1}.', name, key)));
    return found;
  };
  return {
    name,
    role: field("role") ?? repository ?? name,
    goal: field("goal") ?? "",
    backstory: field("backstory") ?? "",
    ...extrasIn(members, "tools"),
  };
}

/** Undefined if there are none; one problem for a list or mapping of agents or tasks in the place of one. */
function fieldsOf(
  place: Place,
  expected: string,
  report: Report,
): ReadonlyMap<string, Place> | undefined {
  if (!isNest(place)) return attempt(report, () => place.members(expected), undefined);
  report(place.error(l10n.t("This has others below it, and no fields of its own."), expected));
  return undefined;
}

export function isNest({ inside }: Place): boolean {
  return inside.size > 0 && [...inside.values()].every(({ isMapping }) => isMapping);
}

function extrasIn(members: ReadonlyMap<string, Place> | undefined, ...names: readonly string[]) {
  const found = names.flatMap((name) => {
    const place = given(members?.get(name));
    return place ? [[name, place.plain()]] : [];
  });
  return found.length > 0 && { extras: JSON.stringify(found) };
}

/** What becomes an agent or task. */
export interface Part {
  readonly name: string;
  readonly place?: Place | undefined;
  readonly method?: CrewMethod;
  readonly isUnused: boolean;
}

/** A task may refer to agents and to the tasks before it. @param agents undefined if they can't be read */
export function readTasks(
  parts: readonly Part[],
  agents: readonly string[] | undefined,
  report: Report,
): Defined<ProjectTask>[] {
  const used = parts.filter(({ isUnused }) => !isUnused);
  const ids = used.map((part) => nameIn(part) ?? part.name);
  return parts.map((part) => {
    const { name, place, method, isUnused } = part;
    const id = nameIn(part) ?? name;
    const index = used.indexOf(part);
    const { agent: ownAgent, asks = false } = method ?? {};
    if (place === undefined) {
      const given = { ...(ownAgent !== undefined && { agent: ownAgent }), humanInput: asks };
      return { value: { id, description: "", expectedOutput: "", ...given } };
    }
    const members = fieldsOf(place, l10n.t("the task's description and expected_output."), report);
    const earlier = isUnused ? ids : ids.slice(0, index);
    if (!isUnused && earlier.includes(id))
      report(
        (members?.get("name") ?? place).error(
          l10n.t('The name "{0}" is used twice.', id),
          l10n.t("a unique name for each task."),
        ),
      );
    const text = (key: string): string => {
      const read = () => given(members?.get(key))?.text(l10n.t("text for the task's {0}.", key));
      const found = attempt(report, read, "");
      if (found === undefined && members !== undefined && !isUnused)
        report(noText(place, key, l10n.t('The task "{0}" has no {1}.', id, key)));
      return found ?? "";
    };
    const agent = given(members?.get("agent"));
    const agentName = attempt(
      report,
      () => agent?.name(l10n.t("the name of an agent.")),
      undefined,
    );
    // Without any, that is the problem.
    if (agentName !== undefined && agents?.length && !agents.includes(agentName))
      report((agent ?? place).error(l10n.t('There is no agent "{0}".', agentName), oneOf(agents)));
    const context = members?.get("context");
    const humanInput = given(members?.get("human_input"));
    const isAsked = humanInput && truthOf(humanInput.value);
    if (humanInput && isAsked === undefined)
      report(
        humanInput.error(
          l10n.t("This is neither true nor false."),
          l10n.t("true or false, without quotes."),
        ),
      );
    const by = ownAgent ?? agentName;
    const value = {
      id,
      description: text("description"),
      expectedOutput: text("expected_output"),
      ...(by !== undefined && { agent: by }),
      ...(context && { context: readContext(context, id, earlier, ids, report) }),
      humanInput: asks || isAsked === true,
      ...extrasIn(members, "tools", "output_pydantic", "output_json", "response_model"),
    };
    return { value, place, isUnused };
  });
}

/** A task's own name in YAML, which crewAI prefers to that of the method. */
function nameIn({ place, method }: Part): string | undefined {
  const name = method && place?.inside.get("name")?.value;
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** As crewAI (Pydantic) reads it; undefined for what it refuses. */
function truthOf(value: Place["value"]): boolean | undefined {
  const word = String(value).toLowerCase();
  if (["true", "t", "yes", "y", "on", "1"].includes(word)) return true;
  return ["false", "f", "no", "n", "off", "0"].includes(word) ? false : undefined;
}

/** An empty context hides earlier outputs; without one a task sees all (`Crew._get_context`). */
function readContext(
  place: Place,
  id: string,
  earlier: readonly string[],
  ids: readonly string[],
  report: Report,
): string[] {
  if (place.value === null) return [];
  const list = () => place.items(l10n.t("a list of names of earlier tasks."));
  return attempt(report, list, []).flatMap((item) => {
    const read = () => item.name(l10n.t("the name of an earlier task."));
    const name = attempt(report, read, undefined);
    if (name === undefined) return [];
    if (earlier.includes(name)) return [name];
    const problem =
      name === id
        ? l10n.t('The task "{0}" refers to itself.', id)
        : ids.includes(name)
          ? l10n.t('The task "{0}" comes later.', name)
          : l10n.t('There is no task "{0}".', name);
    report(item.error(problem, oneOf(earlier)));
    return [];
  });
}

function noText(place: Place, key: string, problem: string): ProjectError {
  const expected = l10n.t('"{0}" with text.', key);
  return (place.members(expected).get(key) ?? place).error(problem, expected);
}

export function oneOf(names: readonly string[]): string {
  return names.length === 0
    ? l10n.t("an empty list, because no task comes before this one.")
    : l10n.t("one of {0}.", names.map((name) => `"${name}"`).join(", "));
}

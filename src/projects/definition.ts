import * as l10n from "@vscode/l10n";
import path from "node:path";
import type { JsonObject } from "../base/json.ts";
import { isFilled } from "../base/text.ts";
import type { CrewMethod } from "./python-source.ts";
import { isFile, type Reading } from "./reading.ts";
import { parseJsonc, type Place } from "./source.ts";
import { inputNames, type CrewProject, type ProjectAgent, type ProjectTask } from "./types.ts";

/** What becomes an agent or task. */
export interface Part {
  readonly name: string;
  /** Undefined if Python defines it, or if its file is missing. */
  readonly place?: Place | undefined;
  readonly method?: CrewMethod;
  /** No method of the crew's class uses it, so it isn't part of the crew. */
  readonly isUnused?: boolean;
  /** Not one of the crew's agents, so its texts ask for no inputs. */
  readonly isManager?: boolean;
}

/** A project with the places of its parts. */
export interface Definition extends Pick<CrewProject, "kind" | "entry" | "crewClass" | "name"> {
  readonly agents: readonly (Part & { readonly value: ProjectAgent })[];
  readonly tasks: readonly (Part & { readonly value: ProjectTask })[];
  readonly lacks?: CrewProject["lacks"];
  readonly defaults?: JsonObject;
  readonly crew?: Place;
  readonly configs?: Readonly<Record<"agents" | "tasks", string | undefined>>;
  readonly methods?: readonly CrewMethod[];
}

const crewFiles = ["crew.jsonc", "crew.json"];

export async function findCrewFile(folder: string): Promise<string | undefined> {
  for (const file of crewFiles) if (await isFile(path.join(folder, file))) return file;
  return undefined;
}

/** Also reads `agents/<name>.jsonc` or `.json` (crewAI since 1.14.8, `crewai.project.json_loader`). */
export async function readDeclarative(
  reading: Reading,
  file: string,
  projectName: string,
): Promise<Definition> {
  const crew = parseJsonc(await reading.text(file), reading);
  crew.members(l10n.t('a JSON object with "agents" and "tasks".'));
  const list = (key: "agents" | "tasks", expected: string): readonly Place[] => {
    const place = crew.inside.get(key);
    if (place === undefined && crew.isMapping)
      crew.report(l10n.t('"{0}" is missing.', key), expected);
    const items = place?.items(expected) ?? [];
    if (place?.isList === true && items.length === 0)
      place.report(l10n.t("There are no {0}.", key), expected);
    return items;
  };
  const agentNames = l10n.t('a list of names, each with a file "agents/<name>.jsonc".');
  const listed = list("agents", agentNames);
  const nested = listed.find(({ isMapping }) => isMapping);
  nested?.report(l10n.t("The agents are nested here."), agentNames);
  const references = listed.filter(({ isMapping }) => !isMapping);
  const manager = crew.inside.get("manager_agent");
  // It may also be a reference to Python code, which isn't read.
  if (typeof manager?.value === "string") references.push(manager);
  const agents = new Map<string, Definition["agents"][number]>();
  for (const reference of references) {
    const name = reference.name(l10n.t("the name of an agent."));
    if (name === undefined || agents.has(name)) continue;
    const place = await reading.attempt(() => readAgentFile(reading, file, name, reference));
    const part = { name, place, isManager: reference === manager };
    agents.set(name, { ...part, value: readAgent(part) });
  }
  const expected = l10n.t('a list of tasks with "description" and "expected_output".');
  const tasks = list("tasks", expected).map((place, index) => {
    const name = place.given("name")?.name(l10n.t("the task's name."));
    return { name: name ?? `task_${index + 1}`, place };
  });
  const inputs = crew.given("inputs");
  const values = inputs?.members(l10n.t("an object of names and values."));
  return {
    ...{ kind: "declarative", entry: file, crew },
    name: crew.given("name")?.name(l10n.t("the crew's name.")) ?? projectName,
    agents: [...agents.values()],
    tasks: readTasks(tasks, nested ? undefined : [...agents.keys()]),
    ...(values &&
      inputs?.isMapping && {
        defaults: Object.fromEntries([...values].map(([key, place]) => [key, place.plain()])),
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

export function readAgent({ name, place, isUnused = false }: Part): ProjectAgent {
  if (place === undefined) return { name, role: name, goal: "", backstory: "" };
  const hasFields = checkFields(place, l10n.t("the agent's role, goal and backstory."));
  const repository = place
    .given("from_repository")
    ?.text(l10n.t("the agent's name in the repository."));
  const field = (key: string): string | undefined => {
    const found = place.given(key)?.text(l10n.t("text for the agent's {0}.", key));
    // The fields of an agent from a repository are stored there.
    if (found === undefined && repository === undefined && hasFields && !isUnused)
      reportNoText(place, key, l10n.t('The agent "{0}" has no {1}.', name, key));
    return found;
  };
  return {
    name,
    role: field("role") ?? repository ?? name,
    goal: field("goal") ?? "",
    backstory: field("backstory") ?? "",
    ...extrasIn(place, "tools"),
  };
}

/** Whether it has fields; one problem for a list or mapping of agents or tasks in the place of one. */
function checkFields(place: Place, expected: string): boolean {
  if (isNest(place))
    place.report(l10n.t("This has others below it, and no fields of its own."), expected);
  else place.members(expected);
  return place.isMapping && !isNest(place);
}

export function isNest({ inside }: Place): boolean {
  return inside.size > 0 && [...inside.values()].every(({ isMapping }) => isMapping);
}

function extrasIn(place: Place, ...names: readonly string[]) {
  const found = names.flatMap((name) => {
    const member = place.given(name);
    return member ? [[name, member.plain()]] : [];
  });
  return found.length > 0 && { extras: JSON.stringify(found) };
}

/** A task may refer to agents and to the tasks before it. @param agents undefined if they can't be read */
export function readTasks(
  parts: readonly Part[],
  agents: readonly string[] | undefined,
): Definition["tasks"] {
  const idOf = (part: Part) => nameIn(part) ?? part.name;
  const ids = parts.filter(({ isUnused }) => !isUnused).map(idOf);
  let count = 0;
  return parts.map((part) => {
    const { place, method, isUnused = false } = part;
    const id = idOf(part);
    const earlier = isUnused ? ids : ids.slice(0, count);
    if (!isUnused) count += 1;
    const { agent: ownAgent, asks = false } = method ?? {};
    if (place === undefined) {
      const given = { ...(ownAgent !== undefined && { agent: ownAgent }), humanInput: asks };
      return { ...part, value: { id, description: "", expectedOutput: "", ...given } };
    }
    const hasFields = checkFields(place, l10n.t("the task's description and expected_output."));
    if (!isUnused && earlier.includes(id))
      (place.inside.get("name") ?? place).report(
        l10n.t('The name "{0}" is used twice.', id),
        l10n.t("a unique name for each task."),
      );
    const text = (key: string): string => {
      const found = place.given(key)?.text(l10n.t("text for the task's {0}.", key));
      if (found === undefined && hasFields && !isUnused)
        reportNoText(place, key, l10n.t('The task "{0}" has no {1}.', id, key));
      return found ?? "";
    };
    const agent = place.given("agent");
    const agentName = agent?.name(l10n.t("the name of an agent."));
    // Without any, that is the problem.
    if (agentName !== undefined && agents?.length && !agents.includes(agentName))
      agent?.report(l10n.t('There is no agent "{0}".', agentName), oneOf(agents));
    const context = place.inside.get("context");
    const humanInput = place.given("human_input");
    const isAsked = truthOf(humanInput?.value);
    if (isAsked === undefined)
      humanInput?.report(
        l10n.t("This is neither true nor false."),
        l10n.t("true or false, without quotes."),
      );
    const by = ownAgent ?? agentName;
    const value = {
      id,
      description: text("description"),
      expectedOutput: text("expected_output"),
      ...(by !== undefined && { agent: by }),
      ...(context && { context: readContext(context, id, earlier, ids) }),
      humanInput: asks || isAsked === true,
      ...extrasIn(place, "tools", "output_pydantic", "output_json", "response_model"),
    };
    return { ...part, value };
  });
}

/** A task's own name in YAML, which crewAI prefers to that of the method. */
function nameIn({ place, method }: Part): string | undefined {
  const name = method && place?.inside.get("name")?.value;
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** As crewAI (Pydantic) reads it; undefined for what it refuses, and for nothing. */
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
): string[] {
  if (place.value === null) return [];
  return place.items(l10n.t("a list of names of earlier tasks.")).flatMap((item) => {
    const name = item.name(l10n.t("the name of an earlier task."));
    if (name === undefined) return [];
    if (earlier.includes(name)) return [name];
    const problem =
      name === id
        ? l10n.t('The task "{0}" refers to itself.', id)
        : ids.includes(name)
          ? l10n.t('The task "{0}" comes later.', name)
          : l10n.t('There is no task "{0}".', name);
    item.report(problem, oneOf(earlier));
    return [];
  });
}

function reportNoText(place: Place, key: string, problem: string): void {
  (place.inside.get(key) ?? place).report(problem, l10n.t('"{0}" with text.', key));
}

export function oneOf(names: readonly string[]): string {
  return names.length === 0
    ? l10n.t("an empty list, because no task comes before this one.")
    : l10n.t("one of {0}.", names.map((name) => `"${name}"`).join(", "));
}

/** The names of inputs that a deployed crew asks for. */
export function askedNames({ agents, tasks }: Definition): string[] {
  const asking = agents.filter(({ isUnused, isManager }) => !isUnused && !isManager);
  return inputNames([
    ...asking.map(({ value: { role, goal, backstory } }) => `${role} ${goal} ${backstory}`),
    ...tasks.flatMap(({ value, isUnused }) =>
      isUnused ? [] : [`${value.description} ${value.expectedOutput}`],
    ),
  ]);
}

/** Without the places of its parts. */
export function plainProject(definition: Definition): CrewProject {
  const { kind, entry, crewClass, name, defaults, lacks } = definition;
  const agents = definition.agents.filter(({ isUnused }) => isUnused !== true);
  const tasks = definition.tasks.filter(({ isUnused }) => isUnused !== true);
  return {
    ...{ kind, entry, name },
    ...(crewClass !== undefined && { crewClass }),
    agents: agents.map(({ value }) => value),
    tasks: tasks.map(({ value }) => value),
    inputs: [...new Set([...askedNames(definition), ...tasks.flatMap(namesInPath)])],
    ...(defaults && { defaults }),
    ...(lacks && { lacks }),
  };
}

/** crewAI fills in a task's `output_file`, too, and fails if an input lacks, but a deployed crew doesn't ask for it. */
function namesInPath({ place }: Part): string[] {
  const file = place?.inside.get("output_file")?.value;
  return typeof file === "string" ? inputNames([file]).filter(isFilled) : [];
}

import * as l10n from "@vscode/l10n";
import path from "node:path";
import { isFilled } from "../base/text.ts";
import type { CrewMethod } from "./python-source.ts";
import { isFile, type Reading } from "./reading.ts";
import { parseJsonc, type Place } from "./source.ts";
import { inputNames, type CrewProject, type ProjectAgent, type ProjectTask } from "./types.ts";

export interface Part {
  readonly name: string;
  /** Undefined if Python defines it, or if its file is missing. */
  readonly place?: Place | undefined;
  readonly method?: CrewMethod;
  readonly isUnused?: boolean;
  /** Not one of the crew's agents, so its texts ask for no inputs. */
  readonly isManager?: boolean;
}

export interface Definition extends Pick<
  CrewProject,
  "kind" | "entry" | "crewClass" | "name" | "lacks" | "defaults"
> {
  readonly agents: readonly (Part & { readonly value: ProjectAgent })[];
  readonly tasks: readonly (Part & { readonly value: ProjectTask })[];
  readonly crew?: Place;
  readonly configs?: Readonly<Record<"agents" | "tasks", string | undefined>>;
  readonly methods?: readonly CrewMethod[];
}

/** Also reads `agents/<name>.jsonc` or `.json` (crewAI since 1.14.8, `crewai.project.json_loader`). */
export async function readDeclarative(
  reading: Reading,
  file: string,
  projectName: string,
): Promise<Definition> {
  const crew = parseJsonc(await reading.text(file), reading);
  crew.members();
  const list = (key: "agents" | "tasks"): readonly Place[] => {
    const place = crew.inside.get(key);
    const items = place?.items() ?? [];
    // What isn't a list is reported already.
    if (items.length === 0 && crew.isMapping)
      (place ?? crew).report(l10n.t('"{0}" must be a list that isn\'t empty.', key));
    return items;
  };
  const listed = list("agents");
  const nested = listed.find(({ isMapping }) => isMapping);
  nested?.report(l10n.t('An agent must be a name here, with a file "agents/<name>.jsonc".'));
  const references = listed.filter(({ isMapping }) => !isMapping);
  const manager = crew.inside.get("manager_agent");
  // It may also be a reference to Python code, which isn't read.
  if (typeof manager?.value === "string") references.push(manager);
  const agents = new Map<string, Definition["agents"][number]>();
  for (const reference of references) {
    const name = reference.name();
    if (name === undefined || agents.has(name)) continue;
    const place = await reading.attempt(() => readAgentFile(reading, file, name, reference));
    const part = { name, place, isManager: reference === manager };
    agents.set(name, { ...part, value: readAgent(part) });
  }
  const tasks = list("tasks").map((place, index) => {
    const name = place.given("name")?.name();
    return { name: name ?? `task_${index + 1}`, place };
  });
  const inputs = crew.given("inputs");
  const values = inputs?.members();
  return {
    ...{ kind: "declarative", entry: file, crew },
    name: crew.given("name")?.name() ?? projectName,
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
  const isInside = /^[^/\\]+$/.test(name) && name !== "..";
  for (const file of isInside ? [`${beside}/${name}.jsonc`, `${beside}/${name}.json`] : [])
    if (await isFile(path.join(reading.folder, file)))
      return parseJsonc(await reading.text(file), reading);
  throw reference.error(
    l10n.t('The agent "{0}" has no file {1}.', name, `${beside}/${name}.jsonc`),
  );
}

export function readAgent({ name, place, isUnused = false }: Part): ProjectAgent {
  if (place === undefined) return { name, role: name, goal: "", backstory: "" };
  // The fields of an agent from a repository are stored there.
  const repository = place.given("from_repository")?.text();
  const field = fieldsOf(place, name, isUnused || repository !== undefined);
  return {
    name,
    role: field("role") ?? repository ?? name,
    goal: field("goal") ?? "",
    backstory: field("backstory") ?? "",
    ...extrasIn(place, "tools"),
  };
}

function fieldsOf(place: Place, name: string, mayLack: boolean) {
  const hasFields = place.isMapping && !isNest(place);
  if (isNest(place)) place.report(l10n.t("This has others below it, and no fields of its own."));
  else place.members();
  return (key: string): string | undefined => {
    const found = place.given(key)?.text();
    if (found === undefined && hasFields && !mayLack)
      (place.inside.get(key) ?? place).report(l10n.t('"{0}" has no {1}.', name, key));
    return found;
  };
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

export function readTasks(
  parts: readonly Part[],
  agents: readonly string[] | undefined,
): Definition["tasks"] {
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
    const field = fieldsOf(place, id, isUnused);
    if (!isUnused && earlier.includes(id))
      (place.inside.get("name") ?? place).report(l10n.t('The name "{0}" is used twice.', id));
    const agent = place.given("agent");
    const agentName = agent?.name();
    // Without any, that is the problem.
    if (agentName !== undefined && agents?.length && !agents.includes(agentName))
      agent?.report(l10n.t('There is no agent "{0}", only {1}.', agentName, agents.join(", ")));
    const context = place.inside.get("context");
    const humanInput = place.given("human_input");
    const isAsked = truthOf(humanInput?.value);
    if (isAsked === undefined) humanInput?.report(l10n.t("This must be true or false."));
    const by = ownAgent ?? agentName;
    const value = {
      id,
      description: field("description") ?? "",
      expectedOutput: field("expected_output") ?? "",
      ...(by !== undefined && { agent: by }),
      ...(context && { context: readContext(context, earlier) }),
      humanInput: asks || isAsked === true,
      ...extrasIn(place, "tools", "output_pydantic", "output_json", "response_model"),
    };
    return { ...part, value };
  });
}

/** crewAI prefers a task's own name in YAML to that of the method. */
function idOf({ name, place, method }: Part): string {
  const own = method && place?.inside.get("name")?.value;
  return typeof own === "string" && own !== "" ? own : name;
}

/** As crewAI (Pydantic) reads it; undefined for what it refuses, and for nothing. */
function truthOf(value: Place["value"]): boolean | undefined {
  const word = String(value).toLowerCase();
  if (["true", "t", "yes", "y", "on", "1"].includes(word)) return true;
  return ["false", "f", "no", "n", "off", "0"].includes(word) ? false : undefined;
}

/** An empty context hides earlier outputs; without one a task sees all (`Crew._get_context`). */
function readContext(place: Place, earlier: readonly string[]): string[] {
  if (place.value === null) return [];
  return place.items().flatMap((item) => {
    const name = item.name();
    if (name !== undefined && earlier.includes(name)) return [name];
    if (name !== undefined) item.report(l10n.t('There is no earlier task "{0}".', name));
    return [];
  });
}

export function plainProject(definition: Definition): CrewProject {
  const { kind, entry, crewClass, name, defaults, lacks } = definition;
  const agents = definition.agents.filter(({ isUnused }) => isUnused !== true);
  const tasks = definition.tasks.filter(({ isUnused }) => isUnused !== true);
  const asking = agents.filter(({ isManager }) => isManager !== true);
  const asked = inputNames([
    ...asking.map(({ value: { role, goal, backstory } }) => `${role} ${goal} ${backstory}`),
    ...tasks.map(({ value }) => `${value.description} ${value.expectedOutput}`),
  ]);
  return {
    ...{ kind, entry, name },
    ...(crewClass !== undefined && { crewClass }),
    agents: agents.map(({ value }) => value),
    tasks: tasks.map(({ value }) => value),
    inputs: [...new Set([...asked, ...tasks.flatMap(namesInPath)])],
    ...(defaults && { defaults }),
    ...(lacks && { lacks }),
  };
}

/** crewAI fills in a task's `output_file`, too, and fails if an input lacks, but a deployed crew doesn't ask for it. */
function namesInPath({ place }: Part): string[] {
  const file = place?.inside.get("output_file")?.value;
  return typeof file === "string" ? inputNames([file]).filter(isFilled) : [];
}

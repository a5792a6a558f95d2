import * as l10n from "@vscode/l10n";
import path from "node:path";
import type { JsonObject } from "../base/json.ts";
import { crewClassesIn, type CrewClass, type CrewMethod } from "./crew-py.ts";
import { filesIn, foldersIn, isFile } from "./files.ts";
import { attempt, tryToRead, type Reading } from "./reading.ts";
import { given, parseJsonc, parseYaml, toPlain, type Place } from "./source.ts";
import { ProjectError, type ProjectAgent, type ProjectTask } from "./types.ts";

type Report = Reading["report"];

/** An agent or task, and where it is defined. */
export interface Defined<T> {
  readonly value: T;
  readonly place: Place;
  /** No method in `crew.py` uses it, so it isn't part of the crew. */
  readonly isUnused?: boolean;
}

export interface Definition {
  /** Also those whose file is missing have a value, but no place. */
  readonly agents: readonly (Pick<Defined<ProjectAgent>, "value"> &
    Partial<Defined<ProjectAgent>> & {
      /** Not one of the crew's agents, so its texts ask for no inputs. */
      readonly isManager?: boolean;
    })[];
  readonly tasks: readonly Defined<ProjectTask>[];
  readonly name?: string | undefined;
  readonly defaults?: JsonObject;
  /** The whole `crew.jsonc`. */
  readonly crew?: Place;
}

/** Folders with `agents.yaml` or `tasks.yaml`: at the top and in each package under `src`. */
export async function configFolders(folder: string): Promise<string[]> {
  const packages = await foldersIn(path.join(folder, "src"));
  const found: string[] = [];
  for (const config of ["config", ...packages.map((name) => `src/${name}/config`)])
    for (const file of ["agents.yaml", "tasks.yaml"])
      if (found.at(-1) !== config && (await isFile(path.join(folder, config, file))))
        found.push(config);
  return found;
}

/** The only folder, else that of the project's own package. */
export function ownConfig(found: readonly string[], projectName = ""): string | undefined {
  const own = `src/${projectName.replaceAll("-", "_")}/config`;
  return found.length > 1 ? found.find((config) => config === own) : found[0];
}

const crewFiles = ["crew.jsonc", "crew.json"];

export async function findCrewFile(folder: string): Promise<string | undefined> {
  for (const file of crewFiles) if (await isFile(path.join(folder, file))) return file;
  return undefined;
}

/** The class of a classic crew. */
export interface CrewEntry {
  /** Its file. */
  readonly file: string;
  /** Undefined where none could be found in the file. */
  readonly crew: CrewClass | undefined;
}

/** The crews beside the folder `config`: those of `crew.py`, else of the other files there, as in a flow. At least one. */
export async function crewEntries(reading: Reading, config: string): Promise<CrewEntry[]> {
  const folder = path.posix.dirname(config);
  const usual = path.posix.join(folder, "crew.py");
  const entriesIn = async (file: string): Promise<CrewEntry[]> =>
    crewClassesIn(await pythonText(reading, file)).map((crew) => ({ file, crew }));
  const found = (await isFile(path.join(reading.folder, usual))) ? await entriesIn(usual) : [];
  if (found.length > 0) return found;
  for (const name of await filesIn(path.join(reading.folder, folder)))
    if (name.endsWith(".py")) found.push(...(await entriesIn(path.posix.join(folder, name))));
  return found.length > 0 ? found : [{ file: usual, crew: undefined }];
}

/** Empty for a file that isn't text, which Python reports. */
async function pythonText({ text }: Reading, file: string): Promise<string> {
  const python = await tryToRead(
    () => undefined,
    () => text(file),
  );
  return python?.text ?? "";
}

/** Tasks run in the order of the file, as `@task` methods usually do. */
export async function readClassic(
  reading: Reading,
  config: string,
  methods: readonly CrewMethod[],
): Promise<Definition> {
  const { report } = reading;
  const agentPlaces = await tryToRead(report, () => readYaml(reading, config, "agent"));
  const agents = [...(agentPlaces ?? [])].map(([name, place]) => ({
    value: readAgent(name, place, report),
    place,
  }));
  const taskPlaces = await tryToRead(report, () => readYaml(reading, config, "task"));
  const isWhole = agentPlaces && !reading.broken.has(`${config}/agents.yaml`);
  // crewAI takes a task's agent from the methods, which may define it without YAML.
  const names = new Set([
    ...agents.map(({ value }) => value.name),
    ...methods.flatMap(({ kind, name }) => (kind === "agent" ? [name] : [])),
  ]);
  const tasks = readTasks([...(taskPlaces ?? [])], isWhole ? [...names] : undefined, report);
  const keysOf = (kind: CrewMethod["kind"]) =>
    methods.flatMap(({ name, config = name, ...method }) => (method.kind === kind ? [config] : []));
  return {
    agents: withUse(agents, ({ name }) => name, keysOf("agent")),
    tasks: withUse(tasks, ({ id }) => id, keysOf("task")),
  };
}

/** Where methods use none of them, they use them in a way that can't be read. */
function withUse<T>(
  defined: readonly Defined<T>[],
  keyOf: (value: T) => string,
  keys: readonly string[],
): Defined<T>[] {
  const isUsed = ({ value }: Defined<T>) => keys.includes(keyOf(value));
  const canTell = defined.some(isUsed);
  return defined.map((each) => (canTell && !isUsed(each) ? { ...each, isUnused: true } : each));
}

async function readYaml(reading: Reading, config: string, what: "agent" | "task") {
  const file = `${config}/${what}s.yaml`;
  if (!(await isFile(path.join(reading.folder, file))))
    throw new ProjectError(
      l10n.t("The file is missing."),
      l10n.t("a YAML file that defines each {0} under its name.", what),
      { file, line: 1, column: 1 },
    );
  const place = parseYaml(await reading.text(file), reading);
  const expected = l10n.t("at least one {0}, as a name with its fields below it.", what);
  const members = given(place)?.members(expected);
  if (!members?.size) throw place.error(l10n.t("The file is empty."), expected);
  return members;
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
  const list = (key: string, missing: string, none: string, expected: string): Place[] =>
    attempt(report, () => {
      const place = members.get(key);
      if (place === undefined) throw crew.error(missing, expected);
      const items = place.items(expected);
      if (items.length === 0) throw place.error(none, expected);
      return items;
    }, []);
  const references = list(
    "agents",
    l10n.t('"agents" is missing.'),
    l10n.t("There are no agents."),
    l10n.t('a list of names, each with a file "agents/<name>.jsonc".'),
  );
  const manager = members.get("manager_agent");
  // It may also be a reference to Python code, which isn't read.
  if (typeof manager?.value === "string") references.push(manager);
  const agents = new Map<string, Definition["agents"][number]>();
  for (const reference of references) {
    const agent = attempt(report, () => reference.text(l10n.t("the name of an agent.")), undefined);
    if (agent === undefined || agents.has(agent)) continue;
    const place = await tryToRead(report, () => readAgentFile(reading, file, agent, reference));
    agents.set(agent, {
      ...(place === undefined
        ? { value: { name: agent, role: agent, goal: "", backstory: "" } }
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
  ).map((place, index): [string, Place] => {
    const read = () => given(place.members(expected).get("name"))?.text(l10n.t("the task's name."));
    return [attempt(report, read, undefined) ?? `task_${index + 1}`, place];
  });
  const inputs = attempt(
    report,
    () => given(members.get("inputs"))?.members(l10n.t("an object of names and values.")),
    undefined,
  );
  const name = () => given(members.get("name"))?.text(l10n.t("the crew's name."));
  return {
    crew,
    name: attempt(report, name, undefined),
    agents: [...agents.values()],
    tasks: readTasks(tasks, [...agents.keys()], report),
    ...(inputs && {
      defaults: Object.fromEntries([...inputs].map(([key, { value }]) => [key, toPlain(value)])),
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

function readAgent(name: string, place: Place, report: Report): ProjectAgent {
  const members = attempt(
    report,
    () => place.members(l10n.t("the agent's role, goal and backstory.")),
    undefined,
  );
  const text = (key: string, expected: string) =>
    attempt(report, () => given(members?.get(key))?.text(expected), "");
  const repository = text("from_repository", l10n.t("the agent's name in the repository."));
  const field = (key: string): string | undefined => {
    const found = text(key, l10n.t("text for the agent's {0}.", key));
    // The fields of an agent from a repository are stored there.
    if (found === undefined && repository === undefined && members !== undefined)
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

function extrasIn(members: ReadonlyMap<string, Place> | undefined, ...names: readonly string[]) {
  const found = names.flatMap((name) => {
    const place = given(members?.get(name));
    return place ? [[name, toPlain(place.value)]] : [];
  });
  return found.length > 0 && { extras: JSON.stringify(found) };
}

/** A task may refer to agents and to the tasks before it. @param agents undefined if they can't be read */
function readTasks(
  places: readonly (readonly [string, Place])[],
  agents: readonly string[] | undefined,
  report: Report,
): Defined<ProjectTask>[] {
  const ids = places.map(([id]) => id);
  return places.map(([id, place], index) => {
    const earlier = ids.slice(0, index);
    const members = attempt(
      report,
      () => place.members(l10n.t("the task's description and expected_output.")),
      undefined,
    );
    if (earlier.includes(id))
      report(
        (members?.get("name") ?? place).error(
          l10n.t('The name "{0}" is used twice.', id),
          l10n.t("a unique name for each task."),
        ),
      );
    const text = (key: string): string => {
      const read = () => given(members?.get(key))?.text(l10n.t("text for the task's {0}.", key));
      const found = attempt(report, read, "");
      if (found === undefined && members !== undefined)
        report(noText(place, key, l10n.t('The task "{0}" has no {1}.', id, key)));
      return found ?? "";
    };
    const agent = given(members?.get("agent"));
    const agentName = attempt(
      report,
      () => agent?.text(l10n.t("the name of an agent.")),
      undefined,
    );
    // Without any, that is the problem.
    if (agentName !== undefined && agents?.length && !agents.includes(agentName))
      report((agent ?? place).error(l10n.t('There is no agent "{0}".', agentName), oneOf(agents)));
    const context = members?.get("context");
    const humanInput = given(members?.get("human_input"));
    if (humanInput && typeof humanInput.value !== "boolean")
      report(
        humanInput.error(
          l10n.t("This is neither true nor false."),
          l10n.t("true or false, without quotes."),
        ),
      );
    const value = {
      id,
      description: text("description"),
      expectedOutput: text("expected_output"),
      ...(agentName !== undefined && { agent: agentName }),
      ...(context && { context: readContext(context, id, earlier, ids, report) }),
      humanInput: humanInput?.value === true,
      ...extrasIn(members, "tools", "output_pydantic", "output_json", "response_model"),
    };
    return { value, place };
  });
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
    const read = () => item.text(l10n.t("the name of an earlier task."));
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

function oneOf(names: readonly string[]): string {
  return names.length === 0
    ? l10n.t("an empty list, because no task comes before this one.")
    : l10n.t("one of {0}.", names.map((name) => `"${name}"`).join(", "));
}

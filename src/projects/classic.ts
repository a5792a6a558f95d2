import * as l10n from "@vscode/l10n";
import path from "node:path";
import {
  findCrewFile,
  isNest,
  oneOf,
  readAgent,
  readTasks,
  type Definition,
  type Part,
} from "./definition.ts";
import { crewClassesIn, makesCrew, type CrewClass, type CrewMethod } from "./python-source.ts";
import { foldersIn, isFile, pythonFilesIn, Reading } from "./reading.ts";
import { parseYaml, type Place } from "./source.ts";
import { ProjectError } from "./types.ts";

/** Folders of classic crews, at the top and each package under `src`: with a folder `config`, or a class in `crew.py`. */
export async function crewFolders(folder: string): Promise<string[]> {
  return await foldersWith(folder, async (place) => {
    for (const file of ["config/agents.yaml", "config/tasks.yaml"])
      if (await isFile(path.join(folder, place, file))) return true;
    const python = await new Reading(path.join(folder, place)).python("crew.py");
    return crewClassesIn(python).length > 0;
  });
}

/** Folders of crews that Python alone builds: the top; of a project that says that it is a crew, whatever its `crew.py` has, packages, too. */
async function pythonFolders(folder: string, isCrew: boolean): Promise<string[]> {
  if (!isCrew) return makesCrew(await new Reading(folder).python("crew.py")) ? ["."] : [];
  const has = (place: string, file: string) => isFile(path.join(folder, place, file));
  const found = await foldersWith(folder, (place) => has(place, "crew.py"));
  for (const place of await foldersIn(folder))
    if ((await has(place, "__init__.py")) && (await has(place, "crew.py"))) found.push(place);
  return found;
}

/** Of classic crews, and of one that Python alone builds. @param type of the project */
export async function crewPlaces(folder: string, type: string | undefined): Promise<string[]> {
  const found = await crewFolders(folder);
  return found.length === 0 && (await findCrewFile(folder)) === undefined
    ? await pythonFolders(folder, type === "crew")
    : found;
}

async function foldersWith(
  folder: string,
  isMeant: (place: string) => Promise<boolean>,
): Promise<string[]> {
  const packages = await foldersIn(path.join(folder, "src"));
  const found: string[] = [];
  for (const place of [".", ...packages.map((name) => `src/${name}`)])
    if (await isMeant(place)) found.push(place);
  return found;
}

/** The only folder, else that of the project's own package. */
export function ownFolder(found: readonly string[], projectName = ""): string | undefined {
  const own = projectName.replaceAll("-", "_");
  return found.length > 1
    ? found.find((place) => place === own || place === `src/${own}`)
    : found[0];
}

/** A classic crew: its file, and its class, where one could be found there. */
export type CrewEntry = { readonly file: string } & Partial<CrewClass>;

/** The crews in one of the {@link crewFolders}: those of `crew.py`, else of the other files there, as in a flow. At least one. */
export async function crewEntries(reading: Reading, folder: string): Promise<CrewEntry[]> {
  const usual = path.posix.join(folder, "crew.py");
  const files = new Set([usual, ...(await pythonFilesIn(reading.folder, folder))]);
  const found: CrewEntry[] = [];
  /** Makes a crew without a class. */
  let maker: string | undefined;
  for (const file of files) {
    const text = await reading.python(file);
    found.push(...crewClassesIn(text).map((crew) => ({ file, ...crew })));
    if (file === usual && found.length > 0) break;
    if (makesCrew(text)) maker ??= file;
  }
  return found.length > 0 ? found : [{ file: maker ?? usual }];
}

/**
 * As crewAI builds it: the methods of the class are the agents and tasks, in the order of the file. Where none can be
 * related to the YAML files, their keys are.
 */
export async function readClassic(
  reading: Reading,
  entry: CrewEntry,
  projectName: string,
): Promise<Definition> {
  const { file, name: crewName, methods = [] } = entry;
  /** The file that the class names, by default the one in the folder `config` beside it. */
  const configOf = (named: string | null | undefined, usual: string) => {
    if (named === null) return undefined;
    const isWhole = path.posix.isAbsolute(named ?? "");
    return path.posix.join(isWhole ? "" : path.posix.dirname(file), named ?? usual);
  };
  const configs = {
    agents: configOf(entry.agentsConfig, "config/agents.yaml"),
    tasks: configOf(entry.tasksConfig, "config/tasks.yaml"),
  };
  const areThere = await Promise.all(
    Object.values(configs).map((config = "") => isFile(path.resolve(reading.folder, config))),
  );
  const needsFiles = crewName === undefined && areThere.includes(true);
  const read = async (kind: "agent" | "task") => {
    const own = methods.filter((method) => method.kind === kind);
    const config = configs[`${kind}s`];
    const isNeeded = needsFiles || own.some((method) => method.config !== undefined);
    const places = await reading.attempt(() => readYaml(reading, config, kind, isNeeded));
    const parts = partsOf(own, places);
    const isInPython =
      own.some((method) => method.config === null) ||
      parts.some(({ place }) => place === undefined);
    return { own, config, places, parts, isInPython };
  };
  const agents = await read("agent");
  const tasks = await read("task");
  const isWhole =
    agents.places !== undefined &&
    !reading.broken.has(configs.agents ?? "") &&
    !agents.parts.some(({ place }) => place && isNest(place));
  // crewAI takes a task's agent from the methods, which may define it without YAML.
  const names = new Set([...agents.parts, ...agents.own].map(({ name }) => name));
  const someTask = methods.some(({ makesTasks }) => makesTasks);
  const someConfig = methods.some(({ config }) => config === null);
  const definition: Definition = {
    ...{ kind: "classic", entry: file, name: projectName, configs, methods },
    agents: agents.parts.map((part) => ({ ...part, value: readAgent(part) })),
    tasks: readTasks(tasks.parts, isWhole ? [...names] : undefined),
    ...(crewName === undefined || someTask || tasks.isInPython
      ? { lacks: "tasks" }
      : (agents.isInPython || someConfig) && { lacks: "agents" }),
  };
  for (const { own, config = "", places } of [agents, tasks])
    for (const { config: key, line, column } of own)
      if (key && places?.size && !places.has(key))
        reading.report(
          new ProjectError(
            l10n.t('There is no "{0}" in {1}.', key, config),
            oneOf([...places.keys()]),
            { file, line, column },
          ),
        );
  if (entry.lacksCrew === true)
    reading.report(
      new ProjectError(
        l10n.t("The class “{0}” has no method with @crew.", crewName ?? ""),
        l10n.t("one that returns the crew: Crew(agents=self.agents, tasks=self.tasks)."),
        { file, line: entry.line ?? 1, column: entry.column ?? 1 },
      ),
    );
  return definition;
}

function partsOf(
  methods: readonly CrewMethod[],
  places: ReadonlyMap<string, Place> = new Map<string, Place>(),
): Part[] {
  const keyOf = ({ name, config }: CrewMethod) => config ?? name;
  const keys = methods.map(keyOf).filter((key) => places.has(key));
  const canTell = methods.length > 0 && methods.every(({ config }) => config !== null);
  const isMade = keys.length > 0 || canTell;
  const made = methods.map((method) => ({
    ...{ name: method.name, place: places.get(keyOf(method)), method },
  }));
  const others = [...places].filter(([key]) => !isMade || !keys.includes(key));
  return [
    ...(isMade ? made : []),
    ...others.map(([name, place]) => ({ name, place, isUnused: isMade })),
  ];
}

/** A file that is missing or empty is no problem for crewAI unless it is needed. @throws {ProjectError} */
async function readYaml(
  reading: Reading,
  file: string | undefined,
  what: "agent" | "task",
  isNeeded: boolean,
): Promise<ReadonlyMap<string, Place> | undefined> {
  if (file === undefined) return undefined;
  if (!(await isFile(path.resolve(reading.folder, file)))) {
    if (!isNeeded) return undefined;
    throw new ProjectError(
      l10n.t("The file is missing."),
      l10n.t("a YAML file that defines each {0} under its name.", what),
      { file, line: 1, column: 1 },
    );
  }
  const place = reading.parsed.get(file) ?? parseYaml(await reading.text(file), reading);
  reading.parsed.set(file, place);
  const expected = l10n.t("at least one {0}, as a name with its fields below it.", what);
  const members = place.value === null ? undefined : place.members(expected);
  if (!members?.size && isNeeded && (members === undefined || place.isMapping))
    place.report(l10n.t("The file is empty."), expected);
  return members;
}

import * as l10n from "@vscode/l10n";
import path from "node:path";
import {
  findCrewFile,
  isNest,
  oneOf,
  readAgent,
  readTasks,
  unreadAgent,
  type Definition,
  type Part,
} from "./definition.ts";
import { filesIn, foldersIn, isFile, readText } from "./files.ts";
import { crewClassesIn, withoutInert, type CrewClass, type CrewMethod } from "./python-source.ts";
import { tryToRead, type Reading } from "./reading.ts";
import { given, parseYaml, type Place } from "./source.ts";
import { ProjectError } from "./types.ts";

/** Folders of classic crews, at the top and each package under `src`: with a folder `config`, or a class in `crew.py`. */
export async function crewFolders(folder: string): Promise<string[]> {
  return await foldersWith(folder, async (place) => {
    for (const file of ["config/agents.yaml", "config/tasks.yaml"])
      if (await isFile(path.join(folder, place, file))) return true;
    const python = await readText(path.join(folder, place), "crew.py").catch(() => undefined);
    return crewClassesIn(python?.text ?? "").length > 0;
  });
}

/** Folders of crews that Python alone builds: the top; of a project that says that it is a crew, whatever its `crew.py` has, packages, too. */
async function pythonFolders(folder: string, isCrew: boolean): Promise<string[]> {
  if (!isCrew) {
    const python = await readText(folder, "crew.py").catch(() => undefined);
    return makesCrew(python?.text ?? "") ? ["."] : [];
  }
  const has = (place: string, file: string) => isFile(path.join(folder, place, file));
  const found = await foldersWith(folder, (place) => has(place, "crew.py"));
  for (const place of await foldersIn(folder))
    if ((await has(place, "__init__.py")) && (await has(place, "crew.py"))) found.push(place);
  return found;
}

function makesCrew(python: string): boolean {
  return /\bCrew\s*\(/.test(withoutInert(python));
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
  const isOwn = (place: string) => place === own || place === `src/${own}`;
  return found.length > 1 ? found.find(isOwn) : found[0];
}

/** The class of a classic crew. */
export interface CrewEntry {
  /** Its file. */
  readonly file: string;
  /** Undefined where none could be found in the file. */
  readonly crew: CrewClass | undefined;
}

/** The crews in one of the {@link crewFolders}: those of `crew.py`, else of the other files there, as in a flow. At least one. */
export async function crewEntries(reading: Reading, folder: string): Promise<CrewEntry[]> {
  const usual = path.posix.join(folder, "crew.py");
  const others = (await filesIn(path.join(reading.folder, folder)))
    .filter((name) => name.endsWith(".py") && name !== "crew.py")
    .map((name) => path.posix.join(folder, name));
  const found: CrewEntry[] = [];
  /** Makes a crew without a class. */
  let maker: string | undefined;
  for (const file of [usual, ...others]) {
    const text = await pythonText(reading, file);
    found.push(...crewClassesIn(text).map((crew) => ({ file, crew })));
    if (file === usual && found.length > 0) break;
    if (makesCrew(text)) maker ??= file;
  }
  return found.length > 0 ? found : [{ file: maker ?? usual, crew: undefined }];
}

/** Empty for a file that isn't text, which Python reports. */
async function pythonText({ text }: Reading, file: string): Promise<string> {
  const python = await tryToRead(
    () => undefined,
    () => text(file),
  );
  return python?.text ?? "";
}

/** The YAML files of a classic crew; undefined where only Python knows one. */
export type ConfigFiles = Readonly<Record<"agents" | "tasks", string | undefined>>;

/** The files that the crew's class names, by default those in the folder `config` beside it. */
export function configFiles({ file, crew }: CrewEntry): ConfigFiles {
  const fileOf = (named: string | null | undefined, usual: string) =>
    named === null ? undefined : inFolder(path.posix.dirname(file), named ?? usual);
  return {
    agents: fileOf(crew?.agentsConfig, "config/agents.yaml"),
    tasks: fileOf(crew?.tasksConfig, "config/tasks.yaml"),
  };
}

function inFolder(folder: string, file: string): string {
  return path.posix.isAbsolute(file) ? file : path.posix.join(folder, file);
}

/**
 * As crewAI builds it: the methods of the class are the agents and tasks, in the order of the file. Where none can be
 * related to the YAML files, their keys are.
 */
export async function readClassic(
  reading: Reading,
  { file, crew }: CrewEntry,
  files: ConfigFiles,
): Promise<Definition> {
  const { report } = reading;
  const methods = crew?.methods ?? [];
  const areThere = await Promise.all(
    Object.values(files).map((file = "") => isFile(path.resolve(reading.folder, file))),
  );
  const needsFiles = crew === undefined && areThere.includes(true);
  const read = async (kind: "agent" | "task") => {
    const own = methods.filter((method) => method.kind === kind);
    const config = files[`${kind}s`];
    const isNeeded = needsFiles || own.some(({ config }) => config !== undefined);
    const places = await readYaml(reading, config, kind, isNeeded);
    return { own, places, parts: partsOf(own, places), config };
  };
  const agents = await read("agent");
  const tasks = await read("task");
  const isWhole =
    agents.places !== undefined &&
    !reading.broken.has(agents.config ?? "") &&
    !agents.parts.some(({ place }) => place && isNest(place));
  // crewAI takes a task's agent from the methods, which may define it without YAML.
  const names = new Set([...agents.parts, ...agents.own].map(({ name }) => name));
  const hasPython = ({ own, parts }: typeof agents) =>
    own.some(({ config }) => config === null) || parts.some(({ place }) => place === undefined);
  const someConfig = methods.some(({ config }) => config === null);
  const someTask = methods.some(({ makesTasks }) => makesTasks);
  const definition: Definition = {
    agents: agents.parts.map(({ name, place, isUnused }) => ({
      value: place ? readAgent(name, place, report, isUnused) : unreadAgent(name),
      ...{ place, isUnused },
    })),
    tasks: readTasks(tasks.parts, isWhole ? [...names] : undefined, report),
    lacks:
      crew === undefined || someTask || hasPython(tasks)
        ? "tasks"
        : hasPython(agents) || someConfig
          ? "agents"
          : undefined,
  };
  for (const { own, places, config = "" } of [agents, tasks])
    for (const method of own)
      if (method.config && places?.size && !places.has(method.config))
        report(
          new ProjectError(
            l10n.t('There is no "{0}" in {1}.', method.config, config),
            oneOf([...places.keys()]),
            { file, line: method.line, column: method.column },
          ),
        );
  if (crew?.lacksCrew)
    report(
      new ProjectError(
        l10n.t("The class “{0}” has no method with @crew.", crew.name),
        l10n.t("one that returns the crew: Crew(agents=self.agents, tasks=self.tasks)."),
        { file, line: crew.line, column: crew.column },
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
  if (keys.length === 0 && !canTell)
    return [...places].map(([name, place]) => ({ name, place, isUnused: false }));
  const unused = [...places].filter(([key]) => !keys.includes(key));
  return [
    ...methods.map((method) => ({
      ...{ name: method.name, place: places.get(keyOf(method)), method, isUnused: false },
    })),
    ...unused.map(([name, place]) => ({ name, place, isUnused: true })),
  ];
}

/** Undefined if it can't be read. A file that is missing or empty is no problem for crewAI unless it is needed. */
async function readYaml(
  reading: Reading,
  file: string | undefined,
  what: "agent" | "task",
  isNeeded: boolean,
): Promise<ReadonlyMap<string, Place> | undefined> {
  if (file === undefined) return undefined;
  const { report } = reading;
  const isMissing = !(await isFile(path.resolve(reading.folder, file)));
  if (isMissing && !isNeeded) return undefined;
  return await tryToRead(report, async () => {
    const start = { file, line: 1, column: 1 };
    if (isMissing)
      throw new ProjectError(
        l10n.t("The file is missing."),
        l10n.t("a YAML file that defines each {0} under its name.", what),
        start,
      );
    const place = reading.parsed.get(file) ?? parseYaml(await reading.text(file), reading);
    reading.parsed.set(file, place);
    const expected = l10n.t("at least one {0}, as a name with its fields below it.", what);
    const members = given(place)?.members(expected);
    if (!members?.size && isNeeded && !reading.broken.has(file))
      throw place.error(l10n.t("The file is empty."), expected);
    return members;
  });
}

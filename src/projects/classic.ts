import * as l10n from "@vscode/l10n";
import path from "node:path";
import { isNest, readAgent, readTasks, type Definition, type Part } from "./definition.ts";
import { crewClassesIn, makesCrew, type CrewClass, type CrewMethod } from "./python-source.ts";
import { isFile, pythonFilesIn, type Reading } from "./reading.ts";
import { parseYaml, type Place } from "./source.ts";
import { ProjectError } from "./types.ts";

export type CrewEntry = { readonly file: string } & Partial<CrewClass>;

/** The crews in a folder: those of `crew.py`, else of the other files there, as in a flow. At least one. */
export async function crewEntries(reading: Reading, folder: string): Promise<CrewEntry[]> {
  const usual = path.posix.join(folder, "crew.py");
  const files = new Set([usual, ...(await pythonFilesIn(reading.folder, folder))]);
  const found: CrewEntry[] = [];
  let maker: string | undefined;
  for (const file of files) {
    const text = await reading.python(file);
    found.push(...crewClassesIn(text).map((crew) => ({ file, ...crew })));
    if (file === usual && found.length > 0) break;
    if (makesCrew(text)) maker ??= file;
  }
  return found.length > 0 ? found : [{ file: maker ?? usual }];
}

/** As crewAI builds it, in the order of the file. Where no method fits the YAML, by its keys. */
export async function readClassic(
  reading: Reading,
  entry: CrewEntry,
  projectName: string,
): Promise<Definition> {
  const { file, name: crewName, methods = [] } = entry;
  /** The file that the class names, by default the one in the folder `config` beside it. */
  const configOf = (named: string | null | undefined, usual: string) =>
    named === null
      ? undefined
      : path.posix.isAbsolute(named ?? "")
        ? named
        : path.posix.join(path.posix.dirname(file), named ?? usual);
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
    const places = await reading.attempt(() => readYaml(reading, config, isNeeded));
    const parts = partsOf(own, places);
    const isInPython =
      own.some((method) => method.config === null) ||
      parts.some(({ place }) => place === undefined);
    for (const { config: key, line, column } of own)
      if (key && places?.size && !places.has(key))
        reading.report(
          new ProjectError(l10n.t('There is no "{0}" in {1}.', key, config ?? ""), {
            file,
            line,
            column,
          }),
        );
    return { own, places, parts, isInPython };
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
  return {
    ...{ kind: "classic", entry: file, name: projectName, configs, methods },
    agents: agents.parts.map((part) => ({ ...part, value: readAgent(part) })),
    tasks: readTasks(tasks.parts, isWhole ? [...names] : undefined),
    ...(crewName === undefined || someTask || tasks.isInPython
      ? { lacks: "tasks" }
      : (agents.isInPython || someConfig) && { lacks: "agents" }),
  };
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
async function readYaml(reading: Reading, file: string | undefined, isNeeded: boolean) {
  if (file === undefined) return undefined;
  const at = { file, line: 1, column: 1 };
  const missing = new ProjectError(l10n.t("The file is missing or empty."), at);
  if (!(await isFile(path.resolve(reading.folder, file)))) {
    if (!isNeeded) return undefined;
    throw missing;
  }
  const place = reading.parsed.get(file) ?? parseYaml(await reading.text(file), reading);
  reading.parsed.set(file, place);
  const members = place.value === null ? undefined : place.members();
  if (!members?.size && isNeeded && (members === undefined || place.isMapping))
    reading.report(missing);
  return members;
}

import * as l10n from "@vscode/l10n";
import { isFilled } from "../base/text.ts";
import path from "node:path";
import { collecting, type Reading } from "./reading.ts";
import {
  configFiles,
  crewEntries,
  crewPlaces,
  ownFolder,
  readClassic,
  type ConfigFiles,
  type CrewEntry,
} from "./classic.ts";
import { findCrewFile, readDeclarative, type Definition } from "./definition.ts";
import type { CrewMethod } from "./python-source.ts";
import { isFile, isFolder } from "./files.ts";
import { crewsBelow } from "./find.ts";
import { readPyProject, type PyProject } from "./pyproject.ts";
import { readDeclarativeFlow, readFlow } from "./flow.ts";
import { inputNames, ProjectError, type CrewProject, type ProjectReading } from "./types.ts";

/**
 * Reads a declarative crew (`crew.jsonc` and `agents/`), a classic one (`config/agents.yaml` and
 * `config/tasks.yaml`) or a flow (`main.py`) without running it, past its problems.
 * @param crewClass one of {@link crewClasses}, where there are several
 * @throws {ProjectError} if there is nothing that crewAI could run, or nothing of that class
 */
export async function readProject(folder: string, crewClass?: string): Promise<ProjectReading> {
  const { reading, problems } = collecting(folder);
  const project = await readPast(reading, crewClass);
  const isBroken = problems.some(({ kind }) => kind === "error");
  return { project: { ...project, ...(isBroken && { lacks: "tasks" }) }, problems };
}

async function readPast(reading: Reading, crewClass: string | undefined): Promise<CrewProject> {
  const { folder } = reading;
  await needFolder(folder);
  const pyproject = await readPyProject(reading);
  if (pyproject?.type === "flow") {
    const name = pyproject.name ?? path.basename(path.resolve(folder));
    if (pyproject.definition === undefined)
      return await readFlow(reading, name, pyproject.at("type"));
    const file = await configuredFile(folder, pyproject, /\.(ya?ml|jsonc?)$/);
    return await readDeclarativeFlow(reading, file, name);
  }
  return plainProject(await readDefinition(reading, crewClass));
}

/** @throws {ProjectError} */
async function needFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  throw new ProjectError(
    l10n.t("The folder {0} doesn't exist.", folder),
    l10n.t("the folder of a crewAI project."),
  );
}

/** Without the places of its parts. */
function plainProject(definition: ProjectDefinition): CrewProject {
  const { kind, entry, crewClass, name, defaults, lacks } = definition;
  const agents = definition.agents.filter(({ isUnused }) => isUnused !== true);
  const tasks = definition.tasks.filter(({ isUnused }) => isUnused !== true);
  return {
    kind,
    entry,
    ...(crewClass !== undefined && { crewClass }),
    name,
    agents: agents.map(({ value }) => value),
    tasks: tasks.map(({ value }) => value),
    inputs: [...new Set([...askedNames(definition), ...tasks.flatMap(namesInPath)])],
    ...(defaults && { defaults }),
    ...(lacks && { lacks }),
  };
}

/** The names of inputs that a deployed crew asks for. */
export function askedNames({ agents, tasks }: ProjectDefinition): string[] {
  const asking = agents.filter(({ isUnused, isManager }) => !isUnused && !isManager);
  return inputNames([
    ...asking.map(({ value: { role, goal, backstory } }) => `${role} ${goal} ${backstory}`),
    ...tasks.flatMap(({ value, isUnused }) =>
      isUnused ? [] : [`${value.description} ${value.expectedOutput}`],
    ),
  ]);
}

/** crewAI fills in a task's `output_file`, too, and fails if an input lacks, but a deployed crew doesn't ask for it. */
function namesInPath({ place }: ProjectDefinition["tasks"][number]): string[] {
  const file = place?.inside.get("output_file")?.value;
  return typeof file === "string" ? inputNames([file]).filter(isFilled) : [];
}

/**
 * The classes of a folder's crews, each with an address of its own; empty for a folder with one crew.
 * @throws {ProjectError} if there is no crew
 */
export async function crewClasses(
  folder: string,
  { reading } = collecting(folder),
): Promise<string[]> {
  await needFolder(folder);
  const pyproject = await readPyProject(reading);
  if (pyproject?.type === "flow" || pyproject?.definition !== undefined) return [];
  const place = ownFolder(await crewPlaces(folder, pyproject?.type), pyproject?.name);
  const entries = place === undefined ? [] : await crewEntries(reading, place);
  return entries.length > 1 ? entries.flatMap(({ crew }) => crew?.name ?? []) : [];
}

/** @throws {ProjectError} if there is none of that class, or if there are several and no class is named */
function entryOf(entries: readonly CrewEntry[], crewClass: string | undefined): CrewEntry {
  const [first] = entries;
  if (first === undefined) throw new Error("A classic crew has an entry.");
  const names = entries.flatMap(({ crew }) => crew?.name ?? []);
  const found =
    crewClass === undefined
      ? entries.length === 1 && first
      : entries.find(({ crew }) => crew?.name === crewClass);
  if (found) return found;
  throw new ProjectError(
    crewClass === undefined
      ? l10n.t("The project defines several crews.")
      : l10n.t('The project defines no crew "{0}".', crewClass),
    names.length === 0
      ? l10n.t("a class with @CrewBase.")
      : l10n.t(
          "one of the classes {0}. If the crew is served already, start it again.",
          names.join(", "),
        ),
    { file: first.file, line: 1, column: 1 },
  );
}

export type ProjectDefinition = Definition &
  Pick<CrewProject, "kind" | "entry" | "crewClass" | "name"> & {
    /** Of a classic crew. */
    readonly configs?: ConfigFiles;
    /** Of the class of a classic crew. */
    readonly methods?: readonly CrewMethod[];
  };

/** The project with the places of its parts. @throws {ProjectError} if there is no crew, also if problems are only reported */
export async function readDefinition(
  reading: Reading,
  crewClass?: string,
): Promise<ProjectDefinition> {
  const { folder } = reading;
  await needFolder(folder);
  const pyproject = await readPyProject(reading);
  if (pyproject?.type === "flow")
    throw new ProjectError(
      l10n.t("This project is a flow, not a crew."),
      l10n.t('type = "crew".') + (await crewsBelow(folder)),
      pyproject.at("type"),
    );
  const folderName = path.basename(path.resolve(folder));
  const name = pyproject?.name ?? folderName;
  let file: string | undefined;
  if (pyproject?.definition !== undefined)
    file = await configuredFile(folder, pyproject, /\.jsonc?$/);
  else {
    const places = await crewPlaces(folder, pyproject?.type);
    const place = ownFolder(places, pyproject?.name);
    if (place !== undefined) {
      const entries = await crewEntries(reading, place);
      const entry = entryOf(entries, crewClass);
      const { file, crew } = entry;
      const configs = configFiles(entry);
      return {
        ...(await readClassic(reading, entry, configs)),
        ...{ kind: "classic", entry: file, name, configs, methods: crew?.methods ?? [] },
        ...(crew && entries.length > 1 && { crewClass: crew.name }),
      };
    }
    if (places.length > 0)
      throw new ProjectError(
        l10n.t('There are several crews in the folder "{0}".', folderName),
        l10n.t("one crew, or the name of its package as the project's name in pyproject.toml.") +
          (await crewsBelow(folder)),
      );
    file = await findCrewFile(folder);
  }
  if (file === undefined)
    throw new ProjectError(
      l10n.t('The folder "{0}" doesn\'t contain a crew.', folderName),
      l10n.t(
        "config/agents.yaml and config/tasks.yaml (at the top or under src/<package>/), or crew.jsonc with agents/.",
      ) + (await crewsBelow(folder)),
      pyproject?.type === undefined ? undefined : pyproject.at("type"),
    );
  const declared = await readDeclarative(reading, file);
  return { kind: "declarative", entry: file, ...declared, name: declared.name ?? name };
}

async function configuredFile(folder: string, pyproject: PyProject, ending: RegExp) {
  const { definition = "", type } = pyproject;
  const file = path.posix.normalize(definition.replaceAll("\\", "/"));
  const isOutside =
    path.posix.isAbsolute(file) || /^[a-z]:/i.test(file) || file.split("/").includes("..");
  const isDefinition = !isOutside && ending.test(file);
  if (isDefinition && (await isFile(path.join(folder, file)))) return file;
  throw new ProjectError(
    isDefinition
      ? l10n.t('The file "{0}" is missing.', definition)
      : type === "flow"
        ? l10n.t("The definition \"{0}\" can't be a flow's file.", definition)
        : l10n.t('The definition "{0}" can\'t be a crew file.', definition),
    type === "flow"
      ? l10n.t('a YAML or JSON file inside the project, such as "src/<package>/flow.yaml".')
      : l10n.t('a .jsonc or .json file inside the project, such as "crew.jsonc".'),
    pyproject.at("definition"),
  );
}

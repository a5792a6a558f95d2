import * as l10n from "@vscode/l10n";
import path from "node:path";
import { crewEntries, crewPlaces, ownFolder, readClassic, type CrewEntry } from "./classic.ts";
import { findCrewFile, plainProject, readDeclarative, type Definition } from "./definition.ts";
import { crewsBelow } from "./find.ts";
import { readDeclarativeFlow, readFlow } from "./flow.ts";
import { readPyProject, type PyProject } from "./pyproject.ts";
import { isFile, isFolder, Reading } from "./reading.ts";
import { ProjectError, type CrewProject, type ProjectReading } from "./types.ts";

/**
 * Reads a declarative crew (`crew.jsonc` and `agents/`), a classic one (`config/agents.yaml` and
 * `config/tasks.yaml`) or a flow (`main.py`) without running it, past its problems.
 * @param crewClass one of {@link crewClasses}, where there are several
 * @throws {ProjectError} if there is nothing that crewAI could run, or nothing of that class
 */
export async function readProject(folder: string, crewClass?: string): Promise<ProjectReading> {
  const reading = new Reading(folder);
  const project = await readPast(reading, crewClass);
  const isBroken = reading.problems.some(({ kind }) => kind === "error");
  return {
    project: { ...project, ...(isBroken && { lacks: "tasks" }) },
    problems: reading.problems,
  };
}

async function readPast(reading: Reading, crewClass: string | undefined): Promise<CrewProject> {
  const pyproject = await pyprojectOf(reading);
  if (pyproject?.type === "flow") return await readAnyFlow(reading, pyproject);
  const found = await findCrews(reading);
  const entry = entryOf(found.entries, crewClass);
  return plainProject(await readDefinition(reading, found, entry));
}

/** @throws {ProjectError} if there is no folder */
async function pyprojectOf(reading: Reading): Promise<PyProject | undefined> {
  if (await isFolder(reading.folder)) return await readPyProject(reading);
  throw new ProjectError(
    l10n.t("The folder {0} doesn't exist.", reading.folder),
    l10n.t("the folder of a crewAI project."),
  );
}

async function readAnyFlow(reading: Reading, pyproject: PyProject): Promise<CrewProject> {
  const name = pyproject.name ?? path.basename(path.resolve(reading.folder));
  if (pyproject.definition === undefined)
    return await readFlow(reading, name, pyproject.at("type"));
  const file = await configuredFile(reading.folder, pyproject, /\.(ya?ml|jsonc?)$/);
  return await readDeclarativeFlow(reading, file, name);
}

/**
 * The classes of a folder's crews, each with an address of its own; empty for a folder with one crew.
 * @throws {ProjectError} if there is no crew
 */
export async function crewClasses(folder: string): Promise<string[]> {
  const reading = new Reading(folder);
  if ((await pyprojectOf(reading))?.type === "flow") return [];
  const { entries } = await findCrews(reading);
  return entries.length > 1 ? entries.flatMap(({ name }) => name ?? []) : [];
}

/** The crews of a project with the places of their parts. @throws {ProjectError} if there is none */
export async function readDefinitions(reading: Reading): Promise<readonly Definition[]> {
  const found = await findCrews(reading);
  const definitions: Definition[] = [];
  // One after the other: files that they share are parsed once.
  for (const entry of found.entries.length > 0 ? found.entries : [undefined])
    definitions.push(await readDefinition(reading, found, entry));
  return definitions;
}

interface FoundCrews {
  readonly name: string;
  /** Of classic crews; none for a declarative one. */
  readonly entries: readonly CrewEntry[];
  /** Of a declarative crew. */
  readonly file: string;
}

async function readDefinition(
  reading: Reading,
  { name, entries, file }: FoundCrews,
  entry: CrewEntry | undefined,
): Promise<Definition> {
  if (entry === undefined) return await readDeclarative(reading, file, name);
  const definition = await readClassic(reading, entry, name);
  const isOneOf = entries.length > 1 && entry.name !== undefined;
  return { ...definition, ...(isOneOf && { crewClass: entry.name }) };
}

/** @throws {ProjectError} if there is none of that class, or if there are several and no class is named */
function entryOf(entries: readonly CrewEntry[], crewClass: string | undefined) {
  const [first] = entries;
  if (first === undefined || (crewClass === undefined && entries.length === 1)) return first;
  const found = entries.find(({ name }) => name !== undefined && name === crewClass);
  if (found !== undefined) return found;
  const names = entries.flatMap(({ name }) => name ?? []);
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

async function findCrews(reading: Reading): Promise<FoundCrews> {
  const { folder } = reading;
  const pyproject = await pyprojectOf(reading);
  if (pyproject?.type === "flow")
    throw new ProjectError(
      l10n.t("This project is a flow, not a crew."),
      l10n.t('type = "crew".') + (await crewsBelow(folder)),
      pyproject.at("type"),
    );
  const folderName = path.basename(path.resolve(folder));
  const name = pyproject?.name ?? folderName;
  if (pyproject?.definition !== undefined)
    return { name, entries: [], file: await configuredFile(folder, pyproject, /\.jsonc?$/) };
  const places = await crewPlaces(folder, pyproject?.type);
  const place = ownFolder(places, pyproject?.name);
  if (place !== undefined) return { name, entries: await crewEntries(reading, place), file: "" };
  const file = places.length > 0 ? undefined : await findCrewFile(folder);
  if (file !== undefined) return { name, entries: [], file };
  const [problem, expected] =
    places.length > 0
      ? [
          l10n.t('There are several crews in the folder "{0}".', folderName),
          l10n.t("one crew, or the name of its package as the project's name in pyproject.toml."),
        ]
      : [
          l10n.t('The folder "{0}" doesn\'t contain a crew.', folderName),
          l10n.t(
            "config/agents.yaml and config/tasks.yaml (at the top or under src/<package>/), or crew.jsonc with agents/.",
          ),
        ];
  const at = places.length > 0 || pyproject?.type === undefined ? undefined : pyproject.at("type");
  throw new ProjectError(problem, expected + (await crewsBelow(folder)), at);
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

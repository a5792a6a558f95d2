import * as l10n from "@vscode/l10n";
import path from "node:path";
import { crewEntries, readClassic, type CrewEntry } from "./classic.ts";
import { plainProject, readDeclarative, type Definition } from "./definition.ts";
import { crewPlaces, crewsBelow, findCrewFile, ownFolder } from "./find.ts";
import { readDeclarativeFlow, readFlow } from "./flow.ts";
import { readPyProject, type PyProject } from "./pyproject.ts";
import { isFile, Reading } from "./reading.ts";
import { ProjectError, type CrewProject, type ProjectReading } from "./types.ts";

/** Without running it, past its problems. @throws {ProjectError} if there is nothing that crewAI could run */
export async function readProject(folder: string, crewClass?: string): Promise<ProjectReading> {
  const reading = new Reading(folder);
  const project = await readPast(reading, crewClass);
  const { problems } = reading;
  return { project: { ...project, ...(problems.length > 0 && { lacks: "tasks" }) }, problems };
}

async function readPast(reading: Reading, crewClass: string | undefined): Promise<CrewProject> {
  const pyproject = await readPyProject(reading);
  if (pyproject?.type === "flow") {
    const name = pyproject.name ?? path.basename(path.resolve(reading.folder));
    return pyproject.definition === undefined
      ? await readFlow(reading, name, pyproject.at("type"))
      : await readDeclarativeFlow(reading, await configuredFile(reading.folder, pyproject), name);
  }
  const found = await findCrews(reading, pyproject);
  const entry = entryOf(found.entries, crewClass);
  return plainProject(await readDefinition(reading, found, entry));
}

/** Each has its own address; empty for a folder with one. @throws {ProjectError} for none */
export async function crewClasses(folder: string): Promise<string[]> {
  const reading = new Reading(folder);
  const pyproject = await readPyProject(reading);
  if (pyproject?.type === "flow") return [];
  const { entries } = await findCrews(reading, pyproject);
  return entries.length > 1 ? entries.flatMap(({ name }) => name ?? []) : [];
}

export async function readDefinitions(reading: Reading): Promise<readonly Definition[]> {
  const found = await findCrews(reading, await readPyProject(reading));
  const definitions: Definition[] = [];
  // One after the other: files that they share are parsed once.
  for (const entry of found.entries.length > 0 ? found.entries : [undefined])
    definitions.push(await readDefinition(reading, found, entry));
  return definitions;
}

type FoundCrews = Awaited<ReturnType<typeof findCrews>>;

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

function entryOf(entries: readonly CrewEntry[], crewClass: string | undefined) {
  const [first] = entries;
  if (first === undefined || (crewClass === undefined && entries.length === 1)) return first;
  const found = entries.find(({ name }) => name !== undefined && name === crewClass);
  if (found !== undefined) return found;
  const names = entries.flatMap(({ name }) => name ?? []).join(", ");
  throw new ProjectError(
    l10n.t(
      "The project defines these crews: {0}. If the crew is served already, start it again.",
      names,
    ),
    { file: first.file, line: 1, column: 1 },
  );
}

async function findCrews(reading: Reading, pyproject: PyProject | undefined) {
  const { folder } = reading;
  const folderName = path.basename(path.resolve(folder));
  const name = pyproject?.name ?? folderName;
  if (pyproject?.type !== "flow") {
    if (pyproject?.definition !== undefined)
      return { name, entries: [], file: await configuredFile(folder, pyproject) };
    const places = await crewPlaces(folder, pyproject?.type);
    const place = ownFolder(places, pyproject?.name);
    if (place !== undefined) return { name, entries: await crewEntries(reading, place), file: "" };
    const file = places.length > 0 ? undefined : await findCrewFile(folder);
    if (file !== undefined) return { name, entries: [], file };
  }
  throw new ProjectError(
    l10n.t(
      'The folder "{0}" is not the folder of one crew, which has config/agents.yaml and config/tasks.yaml, at the top or below src/<package>/, or crew.jsonc with agents/.',
      folderName,
    ) + (await crewsBelow(folder)),
    pyproject?.type === undefined ? undefined : pyproject.at("type"),
  );
}

async function configuredFile(folder: string, pyproject: PyProject) {
  const { definition = "", type } = pyproject;
  const file = path.posix.normalize(definition.replaceAll("\\", "/"));
  const isOutside =
    path.posix.isAbsolute(file) || /^[a-z]:/i.test(file) || file.split("/").includes("..");
  const isDefinition = (type === "flow" ? /\.(ya?ml|jsonc?)$/ : /\.jsonc?$/).test(file);
  if (!isOutside && isDefinition && (await isFile(path.join(folder, file)))) return file;
  throw new ProjectError(
    l10n.t(
      'The definition "{0}" must be a file inside the project: JSON, or for a flow also YAML.',
      definition,
    ),
    pyproject.at("definition"),
  );
}

import * as l10n from "@vscode/l10n";
import path from "node:path";
import { crewClassesIn, makesCrew } from "./python-source.ts";
import { foldersIn, isFile, isFolder, Reading } from "./reading.ts";
import { projectHints } from "./pyproject.ts";

/** Enough for a repository of crews and flows, few enough for a home folder. `depth` is below the root. */
const usualLimits = { depth: 6, folders: 2000, projects: 100 };

/** Other people's code, build output, and hidden folders. */
const skipped =
  /^(\..*|node_modules|venv|env|site-packages|__pycache__|dist|build|out|target|vendor)$/;

/** With the other crews in them, nearest first, maybe invalid ones. Doesn't follow links. */
export async function findProjects(root: string, limits = usualLimits): Promise<string[]> {
  return (await search(root, limits, () => true)).map(({ folder }) => folder);
}

/** The nearest crew's folder that a file below `root` belongs to, as {@link findProjects} finds it. */
export async function projectOf(root: string, file: string): Promise<string | undefined> {
  const inside = path.relative(root, path.dirname(file));
  // ".." is hidden, too.
  if (path.isAbsolute(inside) || inside.split(path.sep).some((name) => skipped.test(name)))
    return undefined;
  const isAbove = (folder: string) => !path.relative(folder, file).startsWith("..");
  const found = await search(root, usualLimits, isAbove);
  return found.findLast(({ crew }) => crew !== undefined)?.folder;
}

async function search(root: string, limits: typeof usualLimits, isIn: (folder: string) => boolean) {
  const found: { readonly folder: string; readonly crew?: string }[] = [];
  const known = new Set<string>();
  let level = [{ folder: root, isInside: false }];
  let seen = 0;
  for (let depth = 0; depth <= limits.depth && level.length > 0; depth += 1) {
    const next: typeof level = [];
    for (const { folder, isInside } of level) {
      seen += 1;
      if (seen > limits.folders || found.length >= limits.projects) return found;
      const project = known.has(folder) ? undefined : await projectAt(folder, isInside);
      if (project !== undefined) found.push({ folder, ...project });
      if (project?.crew !== undefined) known.add(project.crew);
      const isProject = isInside || project !== undefined;
      for (const name of await foldersIn(folder))
        if (!skipped.test(name) && isIn(path.join(folder, name)))
          next.push({ folder: path.join(folder, name), isInside: isProject });
    }
    level = next;
  }
  return found;
}

export async function crewsBelow(folder: string): Promise<string> {
  const found = await findProjects(folder, { ...usualLimits, projects: 6 });
  const names = found.flatMap((each) => path.relative(folder, each) || []);
  return names.length === 0
    ? ""
    : ` ${l10n.t("To serve a crew inside it, choose its folder: {0}.", names.slice(0, 5).join(", "))}`;
}

/** `crew`: the definition's folder; a flow has none. @param isInside another project */
async function projectAt(folder: string, isInside: boolean) {
  const hints = await projectHints(folder);
  if (hints?.type === "flow") return {};
  if (hints?.definition !== undefined)
    return { crew: path.dirname(path.join(folder, hints.definition)) };
  const places = await crewPlaces(folder, hints?.type, isInside);
  if (places.length > 0) {
    const own = ownFolder(places, hints?.name);
    return own === undefined ? {} : { crew: path.join(folder, own) };
  }
  // "crew.json" alone is too common a file name.
  const isCrew =
    hints !== undefined ||
    ((await findCrewFile(folder)) !== undefined && (await isFolder(path.join(folder, "agents"))));
  return isCrew ? { crew: folder } : undefined;
}

export async function findCrewFile(folder: string): Promise<string | undefined> {
  for (const file of ["crew.jsonc", "crew.json"])
    if (await isFile(path.join(folder, file))) return file;
  return undefined;
}

/**
 * Folders of classic crews, at the top and each package under `src`: with a folder `config`, or a class in `crew.py`. Without one and
 * without a JSON crew, those that Python alone builds: the top; of a project that says that it is a crew, whatever its `crew.py` has,
 * packages, too.
 */
export async function crewPlaces(
  folder: string,
  type: string | undefined,
  isInside = false,
): Promise<string[]> {
  const has = (...names: readonly string[]) => isFile(path.join(folder, ...names));
  const python = (place: string) => new Reading(path.join(folder, place)).python("crew.py");
  const places = [".", ...(await foldersIn(path.join(folder, "src"))).map((name) => `src/${name}`)];
  const classic: string[] = [];
  for (const place of places)
    if (
      (await has(place, "config/agents.yaml")) ||
      (await has(place, "config/tasks.yaml")) ||
      crewClassesIn(await python(place)).length > 0
    )
      classic.push(place);
  const isCrew = type === "crew";
  if (classic.length > 0 || (isInside && !isCrew) || (await findCrewFile(folder)) !== undefined)
    return classic;
  if (!isCrew) return makesCrew(await python(".")) ? ["."] : [];
  for (const name of await foldersIn(folder)) if (await has(name, "__init__.py")) places.push(name);
  const found: string[] = [];
  for (const place of places) if (await has(place, "crew.py")) found.push(place);
  return found;
}

export function ownFolder(found: readonly string[], projectName = ""): string | undefined {
  const own = projectName.replaceAll("-", "_");
  return found.length > 1
    ? found.find((place) => place === own || place === `src/${own}`)
    : found[0];
}

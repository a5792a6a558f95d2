import * as l10n from "@vscode/l10n";
import path from "node:path";
import { crewFolders, crewPlaces, ownFolder } from "./classic.ts";
import { findCrewFile } from "./definition.ts";
import { foldersIn, isFolder } from "./reading.ts";
import { projectHints } from "./pyproject.ts";

/** Enough for a repository of crews and flows, few enough for a home folder. `depth` is below the root. */
const usualLimits = { depth: 6, folders: 2000, projects: 100 };

/** Other people's code, build output, and hidden folders. */
const skipped =
  /^(\..*|node_modules|venv|env|site-packages|__pycache__|dist|build|out|target|vendor)$/;

/**
 * The folders of crewAI projects, and of the other crews in them, nearest first. A project may be invalid. Doesn't follow
 * links.
 */
export async function findProjects(root: string, limits = usualLimits): Promise<string[]> {
  const found: string[] = [];
  /** Crews whose project is found. */
  const known = new Set<string>();
  let level = [{ folder: root, isInside: false }];
  let seen = 0;
  for (let depth = 0; depth <= limits.depth && level.length > 0; depth += 1) {
    const next: typeof level = [];
    for (const { folder, isInside } of level) {
      seen += 1;
      if (seen > limits.folders || found.length >= limits.projects) return found;
      const project = known.has(folder) ? undefined : await projectAt(folder, isInside);
      if (project !== undefined) found.push(folder);
      if (project?.crew !== undefined) known.add(project.crew);
      for (const name of await foldersIn(folder))
        if (!skipped.test(name))
          next.push({
            folder: path.join(folder, name),
            isInside: isInside || project !== undefined,
          });
    }
    level = next;
  }
  return found;
}

/** How many crews a message names. */
const mostNamed = 5;

/** A sentence that names the crews in folders below, if there are any. */
export async function crewsBelow(folder: string): Promise<string> {
  const found = (await findProjects(folder)).map((each) => path.relative(folder, each));
  const names = found.filter((name) => name !== "");
  if (names.length === 0) return "";
  const shown = names.length > mostNamed ? [...names.slice(0, mostNamed), "…"] : names;
  return ` ${l10n.t("To serve a crew inside it, choose its folder: {0}.", shown.join(", "))}`;
}

/** The nearest crew's folder that a file below `root` belongs to, as {@link findProjects} finds it. */
export async function projectOf(root: string, file: string): Promise<string | undefined> {
  const inside = path.relative(root, path.dirname(file));
  if (path.isAbsolute(inside)) return undefined;
  const names = inside.split(path.sep).filter((name) => name !== "");
  // ".." is hidden, too.
  if (names.some((name) => skipped.test(name))) return undefined;
  let folder = root;
  let isInside = false;
  let nearest: { readonly folder: string; readonly crew: string } | undefined;
  for (const name of ["", ...names]) {
    folder = path.join(folder, name);
    const project = folder === nearest?.crew ? undefined : await projectAt(folder, isInside);
    if (project !== undefined) isInside = true;
    if (project?.crew !== undefined) nearest = { folder, crew: project.crew };
  }
  return nearest?.folder;
}

/**
 * `crew` is the folder of its definition; a flow, and a project of several crews, has none of its own.
 * @param isInside another project, which may use any "crew.py" below it
 */
async function projectAt(
  folder: string,
  isInside: boolean,
): Promise<{ readonly crew?: string } | undefined> {
  const hints = await projectHints(folder);
  if (hints?.type === "flow") return {};
  if (hints?.definition !== undefined)
    return { crew: path.dirname(path.join(folder, hints.definition)) };
  const isAlone = hints?.type === "crew" || !isInside;
  const places = await (isAlone ? crewPlaces(folder, hints?.type) : crewFolders(folder));
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

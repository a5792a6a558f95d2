import path from "node:path";
import { configFolders } from "./definition.ts";
import { foldersIn, isFile, isFolder, readText } from "./files.ts";
import { findCrewFile } from "./read.ts";

/** Enough for a repository of crews, few enough for a home folder. `depth` is below the root. */
const usualLimits = { depth: 4, folders: 2000, projects: 100 };

/** Other people's code, build output, and hidden folders. */
const skipped =
  /^(\..*|node_modules|venv|env|site-packages|__pycache__|dist|build|out|target|vendor)$/;

/**
 * The folders of crewAI projects, nearest first. A project may be invalid. Doesn't follow links, or
 * search inside a crew's folder.
 */
export async function findProjects(root: string, limits = usualLimits): Promise<string[]> {
  const found: string[] = [];
  let level = [root];
  let seen = 0;
  for (let depth = 0; depth <= limits.depth && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const folder of level) {
      seen += 1;
      if (seen > limits.folders || found.length >= limits.projects) return found;
      const kind = await looksLike(folder);
      if (kind !== undefined) found.push(folder);
      if (kind === "crew") continue;
      for (const name of await foldersIn(folder))
        if (!skipped.test(name)) next.push(path.join(folder, name));
    }
    level = next;
  }
  return found;
}

/** The crew's folder that a file below `root` belongs to, as {@link findProjects} finds it. */
export async function projectOf(root: string, file: string): Promise<string | undefined> {
  const inside = path.relative(root, path.dirname(file));
  if (path.isAbsolute(inside)) return undefined;
  const names = inside.split(path.sep).filter((name) => name !== "");
  // ".." is hidden, too.
  if (names.some((name) => skipped.test(name))) return undefined;
  let folder = root;
  for (const name of ["", ...names]) {
    folder = path.join(folder, name);
    if ((await looksLike(folder)) === "crew") return folder;
  }
  return undefined;
}

/** A flow's crews have their own folders. */
async function looksLike(folder: string): Promise<"crew" | "flow" | undefined> {
  const table = await crewaiTable(folder);
  if (table !== undefined) return /^\s*type\s*=\s*["']flow["']/m.test(table) ? "flow" : "crew";
  if ((await configFolders(folder)).length > 0) return "crew";
  // "crew.json" alone is too common a file name.
  return (await findCrewFile(folder)) !== undefined && (await isFolder(path.join(folder, "agents")))
    ? "crew"
    : undefined;
}

/** Without a parser, so that a project with an invalid file is found, too. */
async function crewaiTable(folder: string): Promise<string | undefined> {
  if (!(await isFile(path.join(folder, "pyproject.toml")))) return undefined;
  const file = await readText(folder, "pyproject.toml").catch(() => undefined);
  const below = /^\s*\[\s*tool\s*\.\s*crewai\s*\]([^]*)/m.exec(file?.text ?? "")?.[1];
  return below?.split(/^\s*\[/m, 1)[0];
}

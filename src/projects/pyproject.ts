import path from "node:path";
import { isFile, readText } from "./files.ts";

/** What says in `pyproject.toml` where a crew is. */
interface ProjectHints {
  /** `[tool.crewai]` `type`. */
  readonly type: string | undefined;
  /** `[tool.crewai]` `definition`. */
  readonly definition: string | undefined;
  /** `[project]` `name`. */
  readonly name: string | undefined;
  /** Whether pip can install it with what it depends on. */
  readonly isPackage: boolean;
}

/** Undefined without `[tool.crewai]`. Needs no parser, so that a project with an invalid file is found, too. */
export async function projectHints(folder: string): Promise<ProjectHints | undefined> {
  if (!(await isFile(path.join(folder, "pyproject.toml")))) return undefined;
  const text = (await readText(folder, "pyproject.toml").catch(() => undefined))?.text ?? "";
  const crewai = tableIn(text, /^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*crewai[ \t]*\]([^]*)/m);
  if (crewai === undefined) return undefined;
  const project = tableIn(text, /^[ \t]*\[[ \t]*project[ \t]*\]([^]*)/m);
  return {
    type: valueIn(crewai, "type"),
    definition: valueIn(crewai, "definition"),
    name: valueIn(project ?? "", "name"),
    isPackage: project !== undefined && /^[ \t]*\[[ \t]*build-system[ \t]*\]/m.test(text),
  };
}

/** The project that a crew's folder belongs to, which has its Python and its `.env`: the nearest folder at or above it with `[tool.crewai]`, else the folder. */
export async function projectRoot(folder: string): Promise<string> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if ((await projectHints(at)) !== undefined) return at;
    if (path.dirname(at) === at) return path.resolve(folder);
  }
}

const assignment = /^[ \t]*(\w+)[ \t]*=[ \t]*["']([^"'\n]*)["']/gm;

function tableIn(text: string, heading: RegExp): string | undefined {
  return heading.exec(text)?.[1]?.split(/^[ \t]*\[/m, 1)[0];
}

function valueIn(table: string, key: string): string | undefined {
  for (const [, name, value] of table.matchAll(assignment)) if (name === key) return value;
  return undefined;
}

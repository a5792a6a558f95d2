import path from "node:path";
import { parse, TomlError } from "smol-toml";
import { asObject, isObject, textAt } from "../base/json.ts";
import { isFile, Reading } from "./reading.ts";
import type { Position } from "./types.ts";

export type PyProject = NonNullable<Awaited<ReturnType<typeof readPyProject>>>;

const file = "pyproject.toml";

/** What a crew needs of `pyproject.toml`. What can't be read is left out: crewAI builds the crew without it. */
export async function readPyProject(reading: Reading) {
  if (!(await isFile(path.join(reading.folder, file)))) return undefined;
  const text = await reading.python(file);
  const { project, tool, "build-system": build } = asObject(tablesIn(text));
  const { crewai } = asObject(tool);
  // The parser gives no positions.
  const lines = text.split("\n");
  const at = (key: string): Position => {
    const index = lines.findLastIndex((line) => line.trimStart().startsWith(key));
    return { file, line: Math.max(index, 0) + 1, column: 1 };
  };
  return {
    name: textAt(asObject(project), "name"),
    isCrewai: isObject(crewai),
    type: textAt(asObject(crewai), "type"),
    definition: textAt(asObject(crewai), "definition"),
    isPackage: isObject(project) && isObject(build),
    at,
  };
}

export async function projectHints(folder: string): Promise<PyProject | undefined> {
  const project = await readPyProject(new Reading(folder));
  return project?.isCrewai === true ? project : undefined;
}

/** The project that a crew's folder belongs to, which has its Python and its `.env`: the nearest folder at or above it with `[tool.crewai]`, else the folder. */
export async function projectRoot(folder: string): Promise<string> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if ((await projectHints(at)) !== undefined) return at;
    if (path.dirname(at) === at) return path.resolve(folder);
  }
}

function tablesIn(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof TomlError) return undefined;
    throw error;
  }
}

import path from "node:path";
import { pythonIn, uvPython } from "../../projects/python.ts";

/** The interpreter of a project: its `.venv`, else the one that uv finds for it. */
export async function findPython(folder: string): Promise<string | undefined> {
  return (await pythonIn(path.join(folder, ".venv"))) ?? (await uvPython(folder));
}

export function noPython(folder: string): string {
  return `The project in ${folder} has no Python environment. Create one with "uv sync" there, or choose an interpreter with --python.`;
}

import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { isFile } from "../../projects/files.ts";

/**
 * The interpreter of a project: its `.venv`, else the one that uv finds for it (`uv python find` installs nothing). Undefined
 * if there is neither.
 */
export async function findPython(folder: string): Promise<string | undefined> {
  for (const file of [".venv/bin/python", ".venv/Scripts/python.exe"])
    if (await isFile(path.join(folder, file))) return path.join(folder, file);
  try {
    const { stdout } = await promisify(execFile)("uv", ["python", "find"], { cwd: folder });
    return stdout.trim() || undefined;
  } catch {
    // uv isn't installed, or knows no Python that fits.
    return undefined;
  }
}

export function noPython(folder: string): string {
  return `The project in ${folder} has no Python environment. Create one with "uv sync" there, or choose an interpreter with --python.`;
}

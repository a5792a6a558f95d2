import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { downloadsFolder } from "./folders.ts";

/**
 * A folder under .vscode-test that is filled once and then reused. It is filled under a temporary name and renamed
 * when complete, so an interrupted run leaves nothing that looks complete, and two runs at once do not disturb each other.
 * @returns the folder's absolute path
 */
export async function installOnce(
  name: string,
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = path.join(downloadsFolder, name);
  if (existsSync(folder)) return folder;
  const partial = `${folder}.partial-${process.pid}`;
  mkdirSync(partial, { recursive: true });
  try {
    await fill(partial);
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    // Another run may have finished the same folder meanwhile; use that one.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

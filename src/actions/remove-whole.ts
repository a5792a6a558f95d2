import { lstat, readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../base/errors.ts";

export interface Unremoved {
  readonly path: string;
  readonly error: unknown;
}

/** Continues after a failure; follows no links. @param stays is kept @returns what is left */
export async function removeWhole(
  path: string,
  stays: readonly string[] = [],
): Promise<readonly Unremoved[]> {
  if (stays.includes(path)) return [];
  try {
    if (!(await lstat(path)).isDirectory()) {
      await rm(path, { force: true });
      return [];
    }
    const left = await emptyFolder(path, stays);
    const isKept = left.length > 0 || stays.some((each) => each.startsWith(join(path, "/")));
    if (!isKept) await rmdir(path);
    return left;
  } catch (error) {
    return codeOf(error) === "ENOENT" ? [] : [{ path, error }];
  }
}

/** Keeps the folder itself, since other windows may watch it. */
export async function emptyFolder(
  folder: string,
  stays: readonly string[] = [],
): Promise<readonly Unremoved[]> {
  const left: Unremoved[] = [];
  try {
    for (const name of await readdir(folder))
      left.push(...(await removeWhole(join(folder, name), stays)));
  } catch (error) {
    if (codeOf(error) !== "ENOENT") left.push({ path: folder, error });
  }
  return left;
}

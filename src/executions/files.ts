import { randomUUID } from "node:crypto";
import { link, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Start of the name of a file that is not complete yet. What a crash leaves behind is told by it and swept later. */
export const UNFINISHED = ".unfinished-";

/** Whether an error is the operating system's, with this code (for example `ENOENT`). */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    codes.includes(error.code)
  );
}

/** The text of a file, or nothing where there is none. Throws what else the file system throws. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** The paths of a folder's JSON files that are complete; none where there is no folder. Throws what else the file system throws. */
export async function jsonFilesIn(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names
      .filter((name) => name.endsWith(".json") && !name.startsWith("."))
      .map((name) => join(folder, name));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}

/**
 * Brings a file into being whole or not at all, and only if there is none of that name: a rename that refuses to replace.
 * Of any number of processes that try at once, exactly one gets `true`. After `true` the file survives a loss of power.
 * Throws what the file system throws, for example on a full disk.
 */
export async function createWhole(path: string, text: string): Promise<boolean> {
  const unfinished = await writeUnfinished(path, text);
  try {
    await link(unfinished, path);
  } catch (error) {
    if (hasCode(error, "EEXIST")) {
      return false;
    }
    throw error;
  } finally {
    await rm(unfinished, { force: true });
  }
  await syncFolder(dirname(path));
  return true;
}

/** Writes a file so that a reader sees the old text or the new one, never a part. Throws what the file system throws. */
export async function replaceWhole(path: string, text: string): Promise<void> {
  const unfinished = await writeUnfinished(path, text);
  try {
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function writeUnfinished(path: string, text: string): Promise<string> {
  const unfinished = join(
    dirname(path),
    `${UNFINISHED}${randomUUID()}-${basename(path).slice(0, 80)}`,
  );
  const file = await open(unfinished, "wx", 0o600);
  try {
    await file.writeFile(text, "utf8");
    await file.sync();
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return unfinished;
}

/** Makes a new name in a folder outlast a loss of power. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") {
    return; // Windows opens no folders; NTFS keeps its own journal of names.
  }
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

import { open, realpath, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "../../base/errors.ts";
import { messageOf, Refusal, unreadable } from "../errors.ts";
import { readConfigText } from "./config.ts";

/** How long to wait for another command that edits the file (ms). */
const lockWaitMs = 5000;

/**
 * Edits a configuration file. Readers see the old text or the new one, never a part. A lock file keeps
 * other commands from editing at the same time.
 * @param edit returns the new text. If it throws, the file stays as it was
 * @param created the text of a file that doesn't exist, before it is edited; by default the file must exist
 * @returns whether the file is new
 * @throws {Refusal} if the file can't be written
 */
export async function editConfig(
  file: string,
  edit: (text: string) => string,
  created?: string,
): Promise<boolean> {
  const fail = (error: unknown) =>
    error instanceof Refusal
      ? error
      : new Refusal("data", `${file} can't be changed: ${messageOf(error)}.`);
  try {
    const target = await realpath(file).catch(() => file);
    const lock = `${target}.lock`;
    const handle = await openLock(lock);
    try {
      const isNew = await write(handle, target, edit, created);
      await rename(lock, target);
      return isNew;
    } catch (error) {
      await rm(lock, { force: true });
      throw error;
    }
  } catch (error) {
    throw fail(error);
  }
}

/** Creates the lock file. The new text is written to it, and then it replaces the configuration. */
async function openLock(lock: string): Promise<FileHandle> {
  const end = performance.now() + lockWaitMs;
  for (;;) {
    try {
      return await open(lock, "wx", 0o600);
    } catch (error) {
      if (codeOf(error) === "ENOENT")
        throw new Refusal("options", `There is no folder ${dirname(lock)}.`);
      if (codeOf(error) !== "EEXIST") throw error;
    }
    if (performance.now() > end)
      throw new Refusal(
        "inUse",
        `Another command is changing the file: ${lock} exists. If none is running, delete it.`,
      );
    await sleep(20);
  }
}

/** Returns whether the file is new. */
async function write(
  handle: FileHandle,
  target: string,
  edit: (text: string) => string,
  created: string | undefined,
): Promise<boolean> {
  try {
    const refuse = (error: unknown): never => {
      const why = unreadable(target, error);
      throw new Refusal("options", `${why} Choose another one with --config.`);
    };
    const before = await stat(target).catch((error: unknown) =>
      codeOf(error) === "ENOENT" && created !== undefined ? undefined : refuse(error),
    );
    const text = before ? await readConfigText(target).catch(refuse) : (created ?? "");
    await handle.writeFile(edit(text));
    if (before) {
      const own = await handle.stat();
      // The service may run as another user than the one who edits.
      if (own.uid !== before.uid || own.gid !== before.gid)
        await handle.chown(before.uid, before.gid);
      await handle.chmod(before.mode & 0o777);
    }
    await handle.sync();
    return !before;
  } finally {
    await handle.close();
  }
}

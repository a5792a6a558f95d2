import { readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { createWhole, hasCode, UNFINISHED } from "./files.ts";

/** Milliseconds for which a revision stays after a newer one was written; far longer than a write takes. */
const KEEP = 10_000;
/** Milliseconds after which an unfinished file or the mark of a removal is of no use to any window. */
const LEFTOVER = 60 * 60_000;

const NAME = /^(?<id>[A-Za-z0-9-]{1,64})\.(?<revision>[1-9]\d{0,14})\.json$/;

/** The record and revision that a file of this name holds; undefined for any other file. */
export function parseRevisionName(
  name: string,
): { readonly id: string; readonly revision: number } | undefined {
  const { id, revision } = NAME.exec(name)?.groups ?? {};
  return id === undefined || revision === undefined
    ? undefined
    : { id, revision: Number(revision) };
}

/** Whether an id can name a file on every system. */
export function isFileId(id: string): boolean {
  return /^[A-Za-z0-9-]{1,64}$/.test(id);
}

/**
 * Records in a folder that several processes change at once without locks: a process that dies or sleeps holds up nobody.
 *
 * A record is the file `<id>.<revision>.json` with the highest revision; a revision is never changed. A change creates the next
 * number exclusively, so of two that start from the same revision one fails and must start again from the other's. A process
 * that slept over several changes could find its number free again, because older revisions are deleted: they are deleted
 * oldest first, so it counts as written only if the revision it started from is still there afterwards.
 */
export class Revisions {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Every record's revisions, oldest first. Throws what the file system throws. */
  async list(): Promise<ReadonlyMap<string, readonly number[]>> {
    const found = new Map<string, number[]>();
    for (const name of await readdir(this.#folder)) {
      const parsed = parseRevisionName(name);
      if (parsed !== undefined) {
        const revisions = found.get(parsed.id) ?? [];
        revisions.push(parsed.revision);
        found.set(parsed.id, revisions);
      }
    }
    for (const revisions of found.values()) {
      revisions.sort((a, b) => a - b);
    }
    return found;
  }

  /** The text of a revision; undefined when it is no longer there. */
  async read(id: string, revision: number): Promise<string | undefined> {
    try {
      return await readFile(this.#path(id, revision), "utf8");
    } catch (error) {
      if (hasCode(error, "ENOENT")) {
        return undefined;
      }
      throw error;
    }
  }

  /** Writes the first revision. False if there was ever one: its number may be free again, when the revisions after it are there. */
  async create(id: string, text: string): Promise<boolean> {
    if (!(await createWhole(this.#path(id, 1), text))) {
      return false;
    }
    if ((await this.list()).get(id)?.at(-1) === 1) {
      return true;
    }
    await rm(this.#path(id, 1), { force: true });
    return false;
  }

  /** Writes the revision that follows on `revision`. False if that one is no longer the last: nothing is changed then. */
  async follow(id: string, revision: number, text: string): Promise<boolean> {
    if (!(await createWhole(this.#path(id, revision + 1), text))) {
      return false;
    }
    if (await this.#exists(id, revision)) {
      return true;
    }
    await rm(this.#path(id, revision + 1), { force: true });
    return false;
  }

  /** Keeps a revision that cannot be understood under another name, for a person to look at. Returns that name. */
  async setAside(id: string, revision: number, now: number): Promise<string> {
    const name = `${id}.${revision}.json.corrupt-${now}`;
    try {
      await rename(this.#path(id, revision), join(this.#folder, name));
    } catch (error) {
      if (!hasCode(error, "ENOENT")) {
        throw error; // Otherwise another window has set it aside.
      }
    }
    return name;
  }

  /** Deletes those of a record's revisions (oldest first) that a newer one replaced more than 10 s ago. */
  async prune(id: string, revisions: readonly number[], now: number): Promise<void> {
    for (const [index, revision] of revisions.slice(0, -1).entries()) {
      const next = revisions[index + 1];
      if (next === undefined || !(await isOlder(this.#path(id, next), now - KEEP))) {
        return;
      }
      await rm(this.#path(id, revision), { force: true });
    }
  }

  /** Deletes the mark of a removal when every window has long seen it. */
  async pruneRemoved(id: string, revision: number, now: number): Promise<void> {
    if (await isOlder(this.#path(id, revision), now - LEFTOVER)) {
      await rm(this.#path(id, revision), { force: true });
    }
  }

  /** Deletes what processes that died while writing have left. */
  async sweepUnfinished(now: number): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name);
      if (name.startsWith(UNFINISHED) && (await isOlder(path, now - LEFTOVER))) {
        await rm(path, { force: true });
      }
    }
  }

  async #exists(id: string, revision: number): Promise<boolean> {
    return (await modifiedAt(this.#path(id, revision))) !== undefined;
  }

  #path(id: string, revision: number): string {
    return join(this.#folder, `${id}.${revision}.json`);
  }
}

async function isOlder(path: string, time: number): Promise<boolean> {
  const modified = await modifiedAt(path);
  return modified !== undefined && modified < time;
}

async function modifiedAt(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (hasCode(error, "ENOENT")) {
      return undefined;
    }
    throw error;
  }
}

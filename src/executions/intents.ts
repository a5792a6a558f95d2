import { createHash, randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createWhole, hasCode, jsonFilesIn, readIfThere } from "./files.ts";

/** A claim as it lies on disk. */
export interface Intent {
  readonly key: string;
  /** The process that made the claim. */
  readonly pid: number;
  /** Tells processes apart that had the same number one after the other. */
  readonly session: string;
  /** What the claimant wrote down. */
  readonly content: object;
}

/** This process, from its start to its end. */
const SESSION = randomUUID();

/** The claim that goes before a kickoff. */
export function kickoffKey(localId: string): string {
  return `kickoff-${localId}`;
}

/**
 * The claim that goes before a resume. One pause can be answered once: `again` stays 0 unless the person said "Send again",
 * then it is the number of resumes already recorded for this attempt (`resumesOf(…).length`).
 */
export function resumeKey(localId: string, taskId: string, attempt: number, again = 0): string {
  const key = `resume-${localId}-${taskId}-${attempt}`;
  return again === 0 ? key : `${key}-again-${again}`;
}

/**
 * Claims that are made before something is sent that must not be sent twice, by whichever window or click.
 * One file a claim, made by exclusive create; it outlives its process, so that a crash cannot lead to a second sending.
 */
export class Intents {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes a claim. False if it was made before, here or in another window. Throws what the file system throws. */
  async claim(key: string, content: object): Promise<boolean> {
    await mkdir(this.#folder, { recursive: true });
    const intent: Intent = { key, pid: process.pid, session: SESSION, content };
    return await createWhole(this.#path(key), JSON.stringify(intent));
  }

  /** Gives a claim back: for what certainly never arrived, or was refused. */
  async release(key: string): Promise<void> {
    await rm(this.#path(key), { force: true });
  }

  /** All claims that can be read. */
  async all(): Promise<readonly Intent[]> {
    const intents: Intent[] = [];
    for (const path of await jsonFilesIn(this.#folder)) {
      const intent = await readIntent(path);
      if (intent !== undefined) {
        intents.push(intent);
      }
    }
    return intents;
  }

  /** Keys hold task ids, which are any text: a hash makes a name that every file system takes, and tells upper from lower case. */
  #path(key: string): string {
    return join(this.#folder, `${createHash("sha256").update(key).digest("hex")}.json`);
  }
}

/** Whether the process that made a claim still runs, as far as this machine can tell. */
export function isAlive(intent: Intent): boolean {
  if (intent.pid === process.pid) {
    return intent.session === SESSION;
  }
  try {
    process.kill(intent.pid, 0); // Signal 0 asks only whether the process is there.
    return true;
  } catch (error) {
    return hasCode(error, "EPERM"); // There, but another user's.
  }
}

async function readIntent(path: string): Promise<Intent | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  try {
    const raw: unknown = JSON.parse(text);
    return isIntent(raw) ? raw : undefined;
  } catch {
    // Not JSON: the claim still holds, since the file is there; only who made it is not known.
    return undefined;
  }
}

function isIntent(raw: unknown): raw is Intent {
  return (
    typeof raw === "object" &&
    raw !== null &&
    "key" in raw &&
    typeof raw.key === "string" &&
    "pid" in raw &&
    typeof raw.pid === "number" &&
    "session" in raw &&
    typeof raw.session === "string" &&
    "content" in raw &&
    typeof raw.content === "object"
  );
}

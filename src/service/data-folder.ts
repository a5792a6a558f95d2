import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "./messages.ts";
import { Refusal } from "./refusal.ts";
import { openDatabase } from "./sqlite.ts";

/** How long the second process waits for the first to say where it listens. */
const addressWaitMs = 2000;

/** Where the service listens, and the id that its answers carry. */
export interface PublishedAddress {
  readonly url: string;
  readonly port: number;
  readonly instance: string;
}

/** The folder in which the service keeps its database, owned by this process until it ends. */
export interface DataFolder {
  /** The database file. */
  readonly database: string;
  /** Writes down where the service listens, for a second process to find. */
  publish(address: PublishedAddress): void;
  /** Takes that back. */
  withdraw(): void;
}

/**
 * Makes the folder if need be and takes it: an exclusive lock on a SQLite file of its own, which the operating system frees
 * even when the process is killed.
 * @throws {Refusal} `inUse` with the address of the process that has it, or `data` when it can't be written.
 */
export async function takeDataFolder(folder: string): Promise<DataFolder> {
  const address = join(folder, "service.json");
  let lock: DatabaseSync | undefined;
  try {
    makeFolder(resolve(folder));
    lock = tryLock(join(folder, "lock.sqlite"));
    // The address of a process that was killed would mislead.
    if (lock) rmSync(address, { force: true });
  } catch (error) {
    throw new Refusal(
      "data",
      `The data folder ${folder} can't be used: ${messageOf(error)}. Make it writable, or name another one with --data.`,
    );
  }
  if (!lock) throw await inUse(folder, address);
  held.push(lock);
  return {
    database: join(folder, "crewdeck.sqlite"),
    publish(published) {
      writeFileSync(address, JSON.stringify({ ...published, pid: process.pid }));
    },
    withdraw() {
      rmSync(address, { force: true });
    },
  };
}

/** The folder for a crew's data where none was named: outside the project, the same for the same crew. `number` above 1 names a spare one. */
export function defaultDataFolder(
  crewFolder: string,
  number: number,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const hash = createHash("sha256").update(resolve(crewFolder)).digest("hex").slice(0, 12);
  const name = `${basename(resolve(crewFolder))}-${hash}${number > 1 ? `-${number}` : ""}`;
  return join(userDataFolder(env), "crewdeck", name);
}

/** Makes a folder and those above it. Node's own recursive way never returns below /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another service may have made it meanwhile.
    if (!existsSync(folder)) throw error;
  }
}

function userDataFolder(env: Readonly<Record<string, string | undefined>>): string {
  if (process.platform === "win32")
    return env["LOCALAPPDATA"] || join(homedir(), "AppData", "Local");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support");
  return env["XDG_DATA_HOME"] || join(homedir(), ".local", "share");
}

/** Open lock files. A handle that is garbage would be closed, and its lock with it. */
const held: DatabaseSync[] = [];

/** Takes the lock, or undefined when another process has it. */
function tryLock(file: string): DatabaseSync | undefined {
  const database = openDatabase(file);
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;");
    return database;
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** SQLite's result code 5, SQLITE_BUSY: another process has the lock. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 5;
}

async function inUse(folder: string, address: string): Promise<Refusal> {
  let url: string | undefined;
  for (const end = Date.now() + addressWaitMs; Date.now() < end;) {
    url = readUrl(address);
    if (url !== undefined) break;
    await sleep(20);
  }
  const where = url === undefined ? "" : `, which listens at ${url}`;
  return new Refusal(
    "inUse",
    `The data folder ${folder} is in use by another crew service${where}. Use that one, end it, or name another folder with --data.`,
    url,
  );
}

function readUrl(file: string): string | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof content === "object" &&
      content !== null &&
      "url" in content &&
      typeof content.url === "string"
      ? content.url
      : undefined;
  } catch {
    // Not there yet, or half written: it is read again.
    return undefined;
  }
}

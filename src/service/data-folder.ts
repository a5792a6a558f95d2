import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { asObject, textAt } from "../base/json.ts";
import { openSqlite } from "../base/sqlite.ts";
import { messageOf, Refusal } from "./errors.ts";

/** How long to wait for the other process's address (ms). */
const addressWaitMs = 2000;

export type DataFolder = Awaited<ReturnType<typeof lockDataFolder>>;

/**
 * The operating system releases the lock when this process ends.
 * @throws {Refusal} `inUse` with the address of the other process, or `data` if the folder can't be
 * written
 */
export async function lockDataFolder(folder: string) {
  const address = join(folder, "service.json");
  let lock: DatabaseSync | undefined;
  try {
    makeFolder(resolve(folder));
    lock = tryLock(join(folder, "lock.sqlite"));
    if (lock) rmSync(address, { force: true });
  } catch (error) {
    throw new Refusal(
      "data",
      `The data folder ${folder} can't be used: ${messageOf(error)}. Make it writable, or choose another one with --data.`,
    );
  }
  if (!lock) throw await inUse(folder, address);
  held.push(lock);
  return {
    database: join(folder, "crewdeck.sqlite"),
    /** `instance` is in the service's responses, too. */
    publish: (published: { url: string; port: number; instance: string }) =>
      writeFileSync(address, JSON.stringify({ ...published, pid: process.pid })),
    withdraw: () => rmSync(address, { force: true }),
  };
}

/** Outside the project; the same for each start. `number` is above 1 if the others are in use. */
export function defaultDataFolder(
  crewFolder: string,
  number: number,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const hash = createHash("sha256").update(resolve(crewFolder)).digest("hex").slice(0, 12);
  const name = `${basename(resolve(crewFolder))}-${hash}${number > 1 ? `-${number}` : ""}`;
  return join(userDataFolder(env), "crewdeck", name);
}

/** Node's recursive option never returns below /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  // A missing drive of Windows is its own parent.
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

function userDataFolder(env: Readonly<Record<string, string | undefined>>): string {
  if (process.platform === "win32")
    return env["LOCALAPPDATA"] || join(homedir(), "AppData", "Local");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support");
  return env["XDG_DATA_HOME"] || join(homedir(), ".local", "share");
}

/** Garbage collection would close the file and release its lock. */
const held: DatabaseSync[] = [];

/** Undefined if another process has the lock. */
function tryLock(file: string): DatabaseSync | undefined {
  const database = openSqlite(file);
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;");
    return database;
  } catch (error) {
    database.close();
    // SQLITE_BUSY
    if (error instanceof Error && "errcode" in error && error.errcode === 5) return undefined;
    throw error;
  }
}

async function inUse(folder: string, address: string): Promise<Refusal> {
  const end = Date.now() + addressWaitMs;
  let url = readUrl(address);
  for (; url === undefined && Date.now() < end; url = readUrl(address)) await sleep(20);
  const where = url === undefined ? "" : `, which listens at ${url}`;
  return new Refusal(
    "inUse",
    `The data folder ${folder} is in use by another crew service${where}. Use that one, end it, or choose another folder with --data.`,
    url,
  );
}

function readUrl(file: string): string | undefined {
  try {
    return textAt(asObject(JSON.parse(readFileSync(file, "utf8"))), "url");
  } catch {
    // Missing or incomplete.
    return undefined;
  }
}

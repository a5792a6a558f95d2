import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
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
 * written or has lost files
 */
export async function lockDataFolder(folder: string) {
  const address = join(folder, "service.json");
  const file = databaseIn(folder);
  let lock: DatabaseSync | undefined;
  const guard = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      throw unusable(folder, messageOf(error));
    }
  };
  guard(() => {
    makeFolder(resolve(folder));
    lock = tryLock(join(folder, "lock.sqlite"));
    if (lock) rmSync(address, { force: true });
  });
  if (!lock) throw await inUse(folder, address);
  held.push(lock);
  const loss = lossIn(file, lock);
  if (loss !== undefined) throw lost(folder, loss);
  return {
    database: file,
    /** Call it when the database has been written. From then on, its loss is noticed. */
    keep: () =>
      guard(() => {
        lock?.exec("INSERT OR REPLACE INTO kept VALUES (1, 0)");
        return watchFiles(folder, file);
      }),
    /** Call it when everything is in the database's file, and its log is empty. */
    release: () => lock?.exec("INSERT OR REPLACE INTO kept VALUES (1, 1)"),
    /** `instance` is in the service's responses, too. */
    publish: (published: { url: string; port: number; instance: string; protocol?: number }) =>
      guard(() => writeFileSync(address, JSON.stringify({ ...published, pid: process.pid }))),
    withdraw: () => {
      try {
        rmSync(address, { force: true });
      } catch {
        // The folder is gone. Clients verify the process behind an address.
      }
    },
  };
}

function unusable(folder: string, problem: string): Refusal {
  return new Refusal(
    "data",
    `The data folder ${folder} can't be used: ${problem}. Make it writable, or choose another one with --data.`,
  );
}

function lost(folder: string, loss: string): Refusal {
  return new Refusal(
    "data",
    `The data folder ${folder} has lost data: ${loss}. Put the file back, or choose another folder with --data. To go on without what is lost, delete lock.sqlite in that folder.`,
  );
}

/** What has been deleted since the last service used the folder; undefined if nothing. */
function lossIn(file: string, lock: DatabaseSync): string | undefined {
  const kept = lock.prepare("SELECT is_complete FROM kept").get();
  if (kept === undefined) return undefined;
  if (!existsSync(file)) return `${file} is missing`;
  if (statSync(file).size === 0) return `${file} is empty`;
  if (kept["is_complete"] === 0 && !existsSync(`${file}-wal`)) return `${file}-wal is missing`;
  return undefined;
}

/** How often to look whether files were deleted (ms). */
const watchMs = 1000;

/** Notices when one of the files is deleted, replaced or emptied. */
function watchFiles(folder: string, database: string) {
  const files = [database, `${database}-wal`];
  const inodes = () => files.map((file) => statSync(file, { throwIfNoEntry: false })?.ino);
  const before = inodes();
  const look = (): Refusal | undefined => {
    try {
      const now = inodes();
      const gone = files.find((_file, index) => now[index] !== before[index]);
      const isEmptied = gone === undefined && statSync(database).size === 0;
      if (gone === undefined && !isEmptied) return undefined;
      const what = isEmptied ? `${database} was emptied` : `${gone} was deleted or replaced`;
      return lost(folder, `${what} while the service used it`);
    } catch (error) {
      // For example a network drive that is gone.
      return unusable(folder, messageOf(error));
    }
  };
  const noticed = new Promise<never>((_, reject) => {
    const timer = setInterval(() => {
      const loss = look();
      if (loss === undefined) return;
      clearInterval(timer);
      reject(loss);
    }, watchMs).unref();
  });
  return {
    /** What is lost now; undefined if nothing. */
    look,
    /** Rejects when something is lost. */
    noticed,
  };
}

export function databaseIn(folder: string): string {
  return join(folder, "crewdeck.sqlite");
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

export function userDataFolder(env: Readonly<Record<string, string | undefined>>): string {
  if (process.platform === "win32")
    return env["LOCALAPPDATA"] || join(homedir(), "AppData", "Local");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support");
  return env["XDG_DATA_HOME"] || join(homedir(), ".local", "share");
}

/** Garbage collection would close the file and release its lock. */
const held: DatabaseSync[] = [];

/** How long a process that looks at the lock may delay the one that gets it (ms). */
const lockWaitMs = 5000;

/** Undefined if another process has the lock. Of two that start at once, one gets it. */
function tryLock(file: string): DatabaseSync | undefined {
  const database = openSqlite(file);
  try {
    // Only one process can begin; what it then waits for are others that are about to give up.
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE;");
    database.exec(`PRAGMA busy_timeout = ${lockWaitMs}`);
    database.exec(
      "CREATE TABLE IF NOT EXISTS kept (id INTEGER PRIMARY KEY, is_complete INTEGER NOT NULL) STRICT; COMMIT; BEGIN EXCLUSIVE; COMMIT;",
    );
    return database;
  } catch (error) {
    database.close();
    // SQLITE_BUSY
    if (error instanceof Error && "errcode" in error && error.errcode === 5) return undefined;
    throw error;
  }
}

async function inUse(folder: string, address: string): Promise<Refusal> {
  const end = performance.now() + addressWaitMs;
  let url = readUrl(address);
  for (; url === undefined && performance.now() < end; url = readUrl(address)) await sleep(20);
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

import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { asObject, textAt } from "../base/json.ts";
import { openSqlite } from "../base/sqlite.ts";
import { Refusal, unusable } from "./errors.ts";

const addressWaitMs = 2000;

const lookMs = 1000;

/**
 * The operating system releases the lock when this process ends.
 * @throws {Refusal} `inUse` with the address of the other process, or `data` if the folder can't be written
 */
export async function lockDataFolder(folder: string) {
  const address = join(folder, "service.json");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    lock(join(folder, "lock.sqlite"));
    rmSync(address, { force: true });
  } catch (error) {
    // SQLITE_BUSY
    const isBusy = error instanceof Error && "errcode" in error && error.errcode === 5;
    throw isBusy ? await inUse(folder, address) : unusable(folder, error);
  }
  return {
    /** `instance` is in the service's responses, too. */
    publish: (published: { url: string; port: number; instance: string; protocol?: number }) => {
      try {
        writeFileSync(address, JSON.stringify({ ...published, pid: process.pid }));
      } catch (error) {
        throw unusable(folder, error);
      }
    },
    withdraw: () => rmSync(address, { force: true }),
  };
}

/** Garbage collection would close the file and release its lock. */
let held: DatabaseSync;

function lock(file: string): void {
  held = openSqlite(file);
  // SQLite would begin to read a file that it can't write, as others could, too.
  accessSync(file, constants.W_OK);
  // Never ends, so no other process can begin one.
  held.exec("BEGIN IMMEDIATE");
}

/** @throws {Refusal} when a file is deleted: SQLite goes on writing to it, and nobody can open it again */
export async function untilDeleted(file: string): Promise<never> {
  while (existsSync(file)) await sleep(lookMs, undefined, { ref: false });
  throw unusable(file, "it was deleted while the service used it");
}

export function databaseIn(folder: string): string {
  return join(folder, "crewdeck.sqlite");
}

export function defaultDataFolder(
  crewFolder: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const hash = createHash("sha256").update(resolve(crewFolder)).digest("hex").slice(0, 12);
  return join(userDataFolder(env), "crewdeck", `${basename(resolve(crewFolder))}-${hash}`);
}

export function userDataFolder(env: Readonly<Record<string, string | undefined>>): string {
  if (process.platform === "win32")
    return env["LOCALAPPDATA"] || join(homedir(), "AppData", "Local");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support");
  return env["XDG_DATA_HOME"] || join(homedir(), ".local", "share");
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

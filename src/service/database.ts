import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "./errors.ts";

/**
 * Opens a SQLite file and creates it if needed. An import of node:sqlite would end the program on a Node without it, before
 * it could report that.
 */
export function openDatabase(file: string): DatabaseSync {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  return new DatabaseSync(file);
}

export type Row = Readonly<Record<string, unknown>>;

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string")
    throw new Error(`The database has no text in the column "${column}".`);
  return value;
}

export function number(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number")
    throw new Error(`The database has no number in the column "${column}".`);
  return value;
}

/** Milliseconds from a deletion to truncating the log, once for all deletions meanwhile: it waits for the disk. */
const erasureDelayMs = 1000;

/** `user_version` of a file in which all deleted data was erased. */
const erasedVersion = 1;

/**
 * Erases deleted data from all files. By default SQLite leaves it in free space of the database, and in the write-ahead log
 * until that is overwritten (SQLite's manual, `PRAGMA secure_delete` and `PRAGMA wal_checkpoint`).
 */
export class Erasure {
  readonly #database: DatabaseSync;
  readonly #log: (line: string) => void;
  #timer: NodeJS.Timeout | undefined;

  /** Needs the connection that deletes, before it creates the first table. */
  constructor(database: DatabaseSync, log: (line: string) => void) {
    this.#database = database;
    this.#log = log;
    database.exec("PRAGMA secure_delete = ON");
    if (this.#pragma("page_count") === 0) this.#markErased();
  }

  /** Once, for a file older than this class: deletes with `forget` and rewrites the file. Throws SQLite's errors. */
  upgrade(forget: () => void): void {
    if (this.#pragma("user_version") >= erasedVersion) return;
    forget();
    this.#database.exec("VACUUM");
    this.#markErased();
  }

  /** Truncates the log soon, after a deletion. */
  plan(): void {
    this.#timer ??= setTimeout(() => this.run(), erasureDelayMs).unref();
  }

  /** Truncates the log now, or soon if it is being read. */
  run(): void {
    this.stop();
    try {
      const row = this.#database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
      if (row && number(row, "busy") !== 0) this.plan();
    } catch (error) {
      // For example a full disk. The next deletion or start tries again.
      this.#log(`Deleted data is still in the database's log: ${messageOf(error)}`);
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #pragma(name: "page_count" | "user_version"): number {
    return number(this.#database.prepare(`PRAGMA ${name}`).get() ?? {}, name);
  }

  #markErased(): void {
    this.#database.exec(`PRAGMA user_version = ${erasedVersion}`);
  }
}

import type { DatabaseSync } from "node:sqlite";
import { messageOf } from "./messages.ts";
import { number } from "./rows.ts";

/** Milliseconds from a deletion to the emptying of the log: once for all deletions meanwhile, since it waits for the disk. */
const soonMs = 1000;

/** `user_version` of a file in which nothing was ever deleted without being erased. */
const erasedAlways = 1;

/**
 * Sees to it that what was deleted is in no file any more. By itself SQLite leaves it in free space of the database, and in the
 * write-ahead log until that is written over (SQLite's manual, `PRAGMA secure_delete` and `PRAGMA wal_checkpoint`).
 */
export class Erasure {
  readonly #database: DatabaseSync;
  readonly #log: (line: string) => void;
  #timer: NodeJS.Timeout | undefined;

  /** Needs the connection that deletes, before it makes the first table. */
  constructor(database: DatabaseSync, log: (line: string) => void) {
    this.#database = database;
    this.#log = log;
    database.exec("PRAGMA secure_delete = ON");
    if (this.#pragma("page_count") === 0) this.#markErased();
  }

  /** Once, for a file from before there was this class: `forget` deletes what had to go, then the file is written anew. Throws what SQLite throws. */
  renew(forget: () => void): void {
    if (this.#pragma("user_version") >= erasedAlways) return;
    forget();
    this.#database.exec("VACUUM");
    this.#markErased();
  }

  /** Empties the log soon: something was deleted. */
  plan(): void {
    this.#timer ??= setTimeout(() => this.run(), soonMs).unref();
  }

  /** Empties the log now, or soon when somebody reads in it. */
  run(): void {
    this.stop();
    try {
      const row = this.#database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
      if (row && number(row, "busy") !== 0) this.plan();
    } catch (error) {
      // A full disk, say. The next deletion, or the next start, tries again.
      this.#log(`What was deleted is still in the database's log: ${messageOf(error)}`);
    }
  }

  /** Takes the plan back. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #pragma(name: "page_count" | "user_version"): number {
    return number(this.#database.prepare(`PRAGMA ${name}`).get() ?? {}, name);
  }

  #markErased(): void {
    this.#database.exec(`PRAGMA user_version = ${erasedAlways}`);
  }
}

import { closeSync, existsSync, openSync, renameSync, rmSync } from "node:fs";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { isDamage } from "./errors.ts";
import { migrate, steps, versionOf } from "./schema.ts";
import { openSqlite, transaction } from "../base/sqlite.ts";

/** What became of a damaged file. */
export interface Repair {
  /** Where it is now. */
  readonly aside: string;
  /** Whether something in it could not be read. */
  readonly isLossy: boolean;
}

/**
 * Puts a new database with all rows that can be read in the place of a damaged one. Not to be called by two processes at once.
 * @param damaged a connection to the file, which is closed
 * @returns undefined where the file is sound
 */
export function repair(file: string, damaged: DatabaseSync, now: number): Repair | undefined {
  const fresh = `${file}.new`;
  try {
    // Another window that has it open can't write to it from here on; then it finds the new file in its place.
    unlessDamaged(() => damaged.exec("BEGIN IMMEDIATE"));
    if (unlessDamaged(() => isSound(damaged)) === true) return undefined;
    for (const ending of ["", "-journal"]) rmSync(`${fresh}${ending}`, { force: true });
    closeSync(openSync(fresh, "wx", 0o600));
    const isLossy = carryOver(damaged, fresh);
    const aside = `${file}.corrupt-${now}`;
    // Windows renames no file that is open.
    if (process.platform === "win32") damaged.close();
    for (const ending of ["-wal", "-shm", ""])
      if (existsSync(`${file}${ending}`)) renameSync(`${file}${ending}`, `${aside}${ending}`);
    renameSync(fresh, file);
    return { aside, isLossy };
  } finally {
    if (damaged.isOpen) damaged.close();
  }
}

/** Makes sure that of several processes one at a time does `work`. The system ends the lock of a process that is killed. */
export function exclusively<T>(lockFile: string, work: () => T): T {
  const lock = openSqlite(lockFile);
  try {
    lock.exec("PRAGMA busy_timeout = 5000; BEGIN EXCLUSIVE");
    return work();
  } finally {
    lock.close();
  }
}

function isSound(connection: DatabaseSync): boolean {
  return connection.prepare("PRAGMA integrity_check(1)").get()?.["integrity_check"] === "ok";
}

/** Copies what can be read into a new file. @returns whether something could not be read */
function carryOver(damaged: DatabaseSync, file: string): boolean {
  const into = openSqlite(file);
  try {
    // Rows fit into the tables of their own version.
    const version = unlessDamaged(() => versionOf(damaged)) ?? 0;
    migrate(into, version === 0 ? steps : steps.slice(0, version));
    const tables = into
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
      )
      .all();
    const losses = transaction(into, () =>
      tables.map(({ name }) => copyTable(String(name), damaged, into)),
    );
    migrate(into);
    return losses.includes(true);
  } finally {
    into.close();
  }
}

function copyTable(table: string, from: DatabaseSync, into: DatabaseSync): boolean {
  const { ids, isWhole } = idsIn(table, from);
  let isLossy = !isWhole;
  for (const id of ids) {
    try {
      const row = from.prepare(`SELECT * FROM ${table} WHERE rowid = ?`).get(id);
      const columns = Object.keys(row ?? {});
      const marks = columns.map(() => "?").join(", ");
      into
        .prepare(`INSERT OR REPLACE INTO ${table} (${columns.join(", ")}) VALUES (${marks})`)
        .run(...Object.values(row ?? {}));
    } catch {
      // This row can't be read, or what is read of it breaks a rule of its table. The others are copied.
      isLossy = true;
    }
  }
  return isLossy;
}

/** All row ids that can be found: from both ends of the table, and in an index, which also has those between damaged pages. */
function idsIn(
  table: string,
  from: DatabaseSync,
): { ids: Iterable<SQLInputValue>; isWhole: boolean } {
  const ids = new Set<SQLInputValue>();
  let isWhole = false;
  for (const source of ["NOT INDEXED ORDER BY rowid", "NOT INDEXED ORDER BY rowid DESC", ""]) {
    try {
      const query = from.prepare(`SELECT rowid AS id FROM ${table} ${source}`);
      for (const { id = null } of query.iterate()) ids.add(id);
      isWhole = true;
    } catch {
      // What was found so far counts.
    }
  }
  return { ids, isWhole };
}

/** @returns undefined where SQLite reports damage */
function unlessDamaged<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

import { closeSync, existsSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { openSqlite, transaction } from "../base/sqlite.ts";
import { isDamage } from "./errors.ts";
import { migrate, steps, versionOf } from "./schema.ts";

/** How long to wait for another process (ms), which also blocks the extension host. */
const busyTimeout = 5_000;

export function connect(file: string): DatabaseSync {
  const connection = openSqlite(file);
  connection.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
  return connection;
}

/**
 * No window may open the file while another one replaces it: SQLite finds a log by its name, so it
 * would write to the log of the other file. A killed process releases the lock.
 */
export function exclusively<T>(file: string, work: () => T): T {
  const lock = connect(`${file}-lock`);
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return work();
  } finally {
    lock.close();
  }
}

/**
 * Keeps readable rows. Call it exclusively. @param damaged it is closed @returns where the file is,
 * if damaged
 */
export function repair(file: string, damaged: DatabaseSync, now: number): string | undefined {
  const part = `${file}.part`;
  try {
    // From here on, windows that have the file open can't write to it.
    unlessDamaged(() => damaged.exec("BEGIN IMMEDIATE"));
    const check = unlessDamaged(() => damaged.prepare("PRAGMA integrity_check(1)").get());
    if (check?.["integrity_check"] === "ok") return undefined;
    for (const ending of ["", "-journal"]) rmSync(`${part}${ending}`, { force: true });
    closeSync(openSync(part, "wx", 0o600));
    copyAll(damaged, part);
    renameSync(part, `${file}.new`);
    // Windows can't rename an open file.
    if (process.platform === "win32") damaged.close();
    return replace(file, `${file}.corrupt-${now}`);
  } finally {
    if (damaged.isOpen) damaged.close();
  }
}

/** Finishes a repair that was killed. Call it exclusively. @returns where the damaged file is */
export function finishRepair(file: string): string | undefined {
  // While the damaged file is in its place, it may be newer than the copy.
  if (existsSync(file) || !existsSync(`${file}.new`)) return undefined;
  const names = readdirSync(path.dirname(file)).filter((name) => /\.corrupt-\d+$/.test(name));
  const aside = names.sort().at(-1) ?? `${path.basename(file)}.corrupt-0`;
  return replace(file, path.join(path.dirname(file), aside));
}

/** Moves the damaged file and its log before the copy. */
function replace(file: string, aside: string): string {
  for (const ending of ["", "-wal", "-shm"])
    if (existsSync(`${file}${ending}`)) renameSync(`${file}${ending}`, `${aside}${ending}`);
  renameSync(`${file}.new`, file);
  return aside;
}

function copyAll(damaged: DatabaseSync, file: string): void {
  const into = openSqlite(file);
  try {
    // Rows fit the tables of their own version.
    const version = unlessDamaged(() => versionOf(damaged)) || Infinity;
    migrate(
      into,
      steps.filter(({ to }) => to <= version),
    );
    const tables = into.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    );
    transaction(into, () => {
      for (const { name } of tables.all()) copyTable(String(name), damaged, into);
    });
    migrate(into);
  } finally {
    into.close();
  }
}

/** From both ends of the table, and by an index, to find rows between damaged pages. */
function copyTable(table: string, from: DatabaseSync, into: DatabaseSync): void {
  const ids = new Set<SQLInputValue>();
  for (const source of ["NOT INDEXED ORDER BY rowid", "NOT INDEXED ORDER BY rowid DESC", ""])
    ifReadable(() => {
      const query = from.prepare(`SELECT rowid AS id FROM ${table} ${source}`);
      for (const { id = null } of query.iterate()) ids.add(id);
    });
  for (const id of ids)
    ifReadable(() => {
      const row = from.prepare(`SELECT * FROM ${table} WHERE rowid = ?`).get(id) ?? {};
      const [columns, values] = [Object.keys(row), Object.values(row)];
      const marks = columns.map(() => "?").join(", ");
      const insert = `INSERT OR REPLACE INTO ${table} (${columns.join(", ")}) VALUES (${marks})`;
      into.prepare(insert).run(...values);
    });
}

function ifReadable(work: () => void): void {
  try {
    work();
  } catch {
    // The other rows are kept.
  }
}

function unlessDamaged<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

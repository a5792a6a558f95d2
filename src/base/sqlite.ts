import type * as sqliteModule from "node:sqlite";
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";

export class NoSqliteError extends Error {
  override readonly name = "NoSqliteError";
}

export function hasSqlite(): boolean {
  return loadSqlite() !== undefined;
}

/** Opens a file, or creates it unless it is only read. @throws NoSqliteError */
export function openSqlite(file: string, options: { readOnly?: boolean } = {}): DatabaseSync {
  const sqlite = loadSqlite();
  if (sqlite === undefined)
    throw new NoSqliteError(`Node ${process.version} has no module node:sqlite.`);
  return new sqlite.DatabaseSync(file, options);
}

/** Importing the module would end a program on a Node without it. Some versions of Node warn that it is experimental. */
function loadSqlite(): typeof sqliteModule | undefined {
  // Node 20 has no `getBuiltinModule`.
  if (!("getBuiltinModule" in process)) return undefined;
  const emitWarning: unknown = Reflect.get(process, "emitWarning");
  try {
    process.emitWarning = () => undefined;
    return process.getBuiltinModule("node:sqlite");
  } finally {
    Reflect.set(process, "emitWarning", emitWarning);
  }
}

/** Rolls back if `work` throws. */
export function transaction<T>(connection: DatabaseSync, work: () => T): T {
  connection.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    connection.exec("COMMIT");
    return result;
  } catch (error) {
    // After some errors, such as a full disk, SQLite has already rolled back.
    if (connection.isTransaction) connection.exec("ROLLBACK");
    throw error;
  }
}

export type Row = Readonly<Record<string, SQLOutputValue>>;

/** The text in a column. @throws TypeError if there is none */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new TypeError(`The column "${column}" holds no text.`);
  return value;
}

/** The text in a column that may be null. @throws TypeError for another type */
export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : text(row, column);
}

/** The number in a column. @throws TypeError if there is none */
export function integer(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw new TypeError(`The column "${column}" holds no number.`);
  return value;
}

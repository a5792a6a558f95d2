import type { DatabaseSync } from "node:sqlite";

/** Opens or creates a SQLite file. Importing node:sqlite would end a program on a Node without it. */
export function openSqlite(file: string): DatabaseSync {
  const emitWarning: unknown = Reflect.get(process, "emitWarning");
  try {
    // Some versions of Node warn that the module is experimental.
    process.emitWarning = () => undefined;
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    return new DatabaseSync(file);
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

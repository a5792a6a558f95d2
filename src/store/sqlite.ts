import type { DatabaseSync } from "node:sqlite";

/** Opens a SQLite file. The module is loaded with the first one. */
export function openSqlite(file: string): DatabaseSync {
  const emitWarning: unknown = Reflect.get(process, "emitWarning");
  try {
    // Some versions of Node warn once on stderr that the module is experimental.
    process.emitWarning = () => undefined;
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    return new DatabaseSync(file);
  } finally {
    Reflect.set(process, "emitWarning", emitWarning);
  }
}

/** Runs `work` in a transaction that is written in whole or not at all. */
export function transaction<T>(connection: DatabaseSync, work: () => T): T {
  connection.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    connection.exec("COMMIT");
    return result;
  } catch (error) {
    // SQLite itself has rolled back after some errors, such as a full disk.
    if (connection.isTransaction) connection.exec("ROLLBACK");
    throw error;
  }
}

import type { DatabaseSync } from "node:sqlite";

/**
 * Opens a SQLite file, made if need be. The module is asked for here and not imported, since an import is resolved before
 * any line runs and would end the program on a Node without it before it could say why.
 */
export function openDatabase(file: string): DatabaseSync {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  return new DatabaseSync(file);
}

/**
 * Runs `action` in a transaction that is on the disk itself, not only handed to the system, when this returns: all of its
 * writes hold, or none. `action` is synchronous, so no other writer of this process comes between.
 */
export function transaction<T>(database: DatabaseSync, action: () => T): T {
  database.exec("PRAGMA synchronous = FULL");
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = action();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  } finally {
    database.exec("PRAGMA synchronous = NORMAL");
  }
}

function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // SQLite has rolled back by itself (a full disk, say): the error that led here is the one to tell.
  }
}

import { DatabaseSync, type SQLInputValue } from "node:sqlite";

/** What a query finds in a SQLite file, which another process may be using. */
export function rowsIn(file: string, query: string, ...values: readonly SQLInputValue[]) {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    return database.prepare(query).all(...values);
  } finally {
    database.close();
  }
}

import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { tables } from "./schema.ts";

/** Copies what can be read of a damaged database into an empty one. @returns whether something could not be read */
export function salvage(damaged: string, into: DatabaseSync): boolean {
  let from: DatabaseSync;
  try {
    from = new DatabaseSync(damaged, { readOnly: true });
  } catch {
    return true;
  }
  try {
    into.exec("BEGIN IMMEDIATE");
    const lost = tables.map((table) => copyTable(table, from, into));
    into.exec("COMMIT");
    return lost.includes(true);
  } finally {
    from.close();
  }
}

/** Reads from both ends, so that only what lies around a damaged page is lost. */
function copyTable(table: string, from: DatabaseSync, into: DatabaseSync): boolean {
  const isWhole = copyRows(`SELECT * FROM ${table} ORDER BY rowid`, table, from, into);
  if (!isWhole) copyRows(`SELECT * FROM ${table} ORDER BY rowid DESC`, table, from, into);
  return !isWhole;
}

function copyRows(query: string, table: string, from: DatabaseSync, into: DatabaseSync): boolean {
  try {
    for (const row of from.prepare(query).iterate()) {
      const columns = Object.keys(row);
      const insert = `INSERT OR REPLACE INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
      into.prepare(insert).run(...Object.values(row).map((value): SQLInputValue => value));
    }
    return true;
  } catch {
    // The rows up to here are kept; the caller reports that some are lost.
    return false;
  }
}

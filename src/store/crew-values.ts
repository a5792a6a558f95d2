import type { Database } from "./database.ts";
import { text } from "../base/sqlite.ts";

/** `flow webhook`: the path where a crew's flows ask for feedback. */
type Kind = "form" | "presets" | "callbacks" | "answer hosts" | "flow webhook";

const isKey = "kind = ? AND crew_id = ?";

/** Methods throw the database's errors. @param parse throws for an invalid value, which is set aside and reported */
export function crewValues<Value>(
  database: Database,
  kind: Kind,
  parse: (raw: unknown) => Value,
  onUnreadable: (error: unknown, crewId: string) => void,
) {
  const get = (crewId: string): Value | undefined => {
    const row = database.get(`SELECT json FROM crew_values WHERE ${isKey}`, kind, crewId);
    if (row === undefined) return undefined;
    try {
      return parse(JSON.parse(text(row, "json")));
    } catch (error) {
      // Renamed, so that the next value doesn't replace it.
      const setAside = `UPDATE OR REPLACE crew_values SET kind = ? WHERE ${isKey}`;
      database.run(setAside, `${kind}, unreadable`, kind, crewId);
      onUnreadable(error, crewId);
      return undefined;
    }
  };
  const set = (crewId: string, value: Value | undefined): void => {
    const json = JSON.stringify(value);
    if (value === undefined) database.run(`DELETE FROM crew_values WHERE ${isKey}`, kind, crewId);
    else database.run("INSERT OR REPLACE INTO crew_values VALUES (?, ?, ?)", kind, crewId, json);
  };
  const change = (crewId: string, change: (before: Value | undefined) => Value): Value =>
    database.write(() => {
      const value = change(get(crewId));
      set(crewId, value);
      return value;
    });
  return { get, set, change };
}

export function crewIdsWith(database: Pick<Database, "all">, kind: Kind): readonly string[] {
  const rows = database.all("SELECT crew_id FROM crew_values WHERE kind = ?", kind);
  return rows.map((row) => text(row, "crew_id"));
}

/** All but `flow webhook`: `FlowWebhooks` forgets it, together with its secret. */
export function forgetCrewValues(database: Database, crewId: string): void {
  database.run("DELETE FROM crew_values WHERE crew_id = ? AND kind != 'flow webhook'", crewId);
}

/**
 * Moves what the form remembers, over that of the new ID. What a person allowed counts only for the address at which it
 * was allowed, and `FlowWebhooks` moves `flow webhook` itself.
 */
export function moveCrewValues(database: Database, from: string, to: string): void {
  database.write(() => {
    database.run(
      "UPDATE OR REPLACE crew_values SET crew_id = ? WHERE crew_id = ? AND (kind LIKE 'form%' OR kind LIKE 'presets%')",
      to,
      from,
    );
    forgetCrewValues(database, from);
  });
}

import type { Database } from "../store/database.ts";
import { text } from "../store/row.ts";

/** A JSON value for each crew, in the database; nothing secret. Methods throw the database's errors. */
export class CrewValues<Value> {
  readonly #database: Database;
  readonly #kind: string;
  readonly #parse: (raw: unknown) => Value;
  readonly #onUnreadable: (error: unknown, crewId: string) => void;

  /** `parse` throws if it doesn't understand a stored value; then the value is set aside and reported. */
  constructor(
    database: Database,
    kind: "form" | "presets" | "callbacks",
    parse: (raw: unknown) => Value,
    onUnreadable: (error: unknown, crewId: string) => void,
  ) {
    this.#database = database;
    this.#kind = kind;
    this.#parse = parse;
    this.#onUnreadable = onUnreadable;
  }

  get(crewId: string): Value | undefined {
    const row = this.#database.get(
      "SELECT json FROM crew_values WHERE kind = ? AND crew_id = ?",
      this.#kind,
      crewId,
    );
    if (row === undefined) return undefined;
    try {
      return this.#parse(JSON.parse(text(row, "json")));
    } catch (error) {
      // Under another name, so that the crew's next value doesn't replace it.
      this.#database.run(
        "UPDATE OR REPLACE crew_values SET kind = ? WHERE kind = ? AND crew_id = ?",
        `${this.#kind}, unreadable`,
        this.#kind,
        crewId,
      );
      this.#onUnreadable(error, crewId);
      return undefined;
    }
  }

  /** Undefined deletes the value. */
  set(crewId: string, value: Value | undefined): void {
    const [database, kind] = [this.#database, this.#kind];
    if (value === undefined)
      database.run("DELETE FROM crew_values WHERE kind = ? AND crew_id = ?", kind, crewId);
    else
      database.run(
        "INSERT OR REPLACE INTO crew_values VALUES (?, ?, ?)",
        kind,
        crewId,
        JSON.stringify(value),
      );
  }

  /** Replaces the value in one transaction, whichever window wrote it. */
  change(crewId: string, change: (before: Value | undefined) => Value | undefined): void {
    this.#database.write(() => this.set(crewId, change(this.get(crewId))));
  }
}

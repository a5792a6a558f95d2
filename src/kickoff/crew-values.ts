import type { Database } from "../store/database.ts";
import { text } from "../store/row.ts";

/** How {@link CrewValues} keeps its values. */
export interface CrewValuesOptions<Value> {
  readonly database: Database;
  readonly kind: "form" | "presets" | "callbacks";
  /** Understands what is kept. @throws where it can't */
  readonly parse: (raw: unknown) => Value;
  /** A value could not be understood. It is set aside. */
  readonly onUnreadable: (error: unknown, crewId: string) => void;
}

/** One JSON value of a kind for each crew, in the database. For what is no secret only. Methods throw what the database does. */
export class CrewValues<Value> {
  readonly #options: CrewValuesOptions<Value>;

  constructor(options: CrewValuesOptions<Value>) {
    this.#options = options;
  }

  get(crewId: string): Value | undefined {
    const { database, kind, parse, onUnreadable } = this.#options;
    const row = database.get(
      "SELECT json FROM crew_values WHERE kind = ? AND crew_id = ?",
      kind,
      crewId,
    );
    if (row === undefined) return undefined;
    try {
      return parse(JSON.parse(text(row, "json")));
    } catch (error) {
      // Under another name, so that the crew's next value does not replace it.
      database.run(
        "UPDATE OR REPLACE crew_values SET kind = ? WHERE kind = ? AND crew_id = ?",
        `${kind}, unreadable`,
        kind,
        crewId,
      );
      onUnreadable(error, crewId);
      return undefined;
    }
  }

  /** Keeps a value in place of the one before; undefined deletes it. */
  set(crewId: string, value: Value | undefined): void {
    const { database, kind } = this.#options;
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

  /** The same, made from the value before, whichever window wrote it. */
  change(crewId: string, change: (before: Value | undefined) => Value | undefined): void {
    this.#options.database.write(() => {
      this.set(crewId, change(this.get(crewId)));
    });
  }
}

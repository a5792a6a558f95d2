import { asArray } from "../base/json.ts";
import { text } from "../base/sqlite.ts";
import type { Database } from "../store/database.ts";

const kind = "answer hosts";

/** The hosts to which a person allowed to send answers to a crew's flows. */
export class AnswerHosts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  has(crewId: string, host: string): boolean {
    return this.#of(crewId).includes(host);
  }

  add(crewId: string, host: string): void {
    this.#database.write(() => {
      const json = JSON.stringify([...new Set([...this.#of(crewId), host])]);
      this.#database.run("INSERT OR REPLACE INTO crew_values VALUES (?, ?, ?)", kind, crewId, json);
    });
  }

  /** Empty if it can't be read: then the person is asked again. */
  #of(crewId: string): readonly unknown[] {
    const select = "SELECT json FROM crew_values WHERE kind = ? AND crew_id = ?";
    const row = this.#database.get(select, kind, crewId);
    try {
      return row === undefined ? [] : asArray(JSON.parse(text(row, "json")));
    } catch {
      return [];
    }
  }
}

import { isRunning, session } from "../base/process.ts";
import type { Database } from "../store/database.ts";
import { integer, text } from "../base/sqlite.ts";

/** Ensures that only one window asks for another token. */
export class TokenPrompts {
  readonly #database: Database;
  readonly #refusing = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** A crew refused its token. Whether this window must ask: no open window has. */
  begin(crewId: string): boolean {
    this.#refusing.add(crewId);
    return this.#database.write(() => {
      const row = this.#database.get("SELECT * FROM token_prompts WHERE crew_id = ?", crewId);
      if (row !== undefined) {
        const pid = integer(row, "pid");
        // A window's question closes with it.
        if (pid === process.pid ? text(row, "session") === session : isRunning(pid)) return false;
      }
      this.#database.run(
        "INSERT OR REPLACE INTO token_prompts (crew_id, pid, session) VALUES (?, ?, ?)",
        crewId,
        process.pid,
        session,
      );
      return true;
    });
  }

  /** Only these crews refuse their token now; others are asked about again. */
  keep(refusing: ReadonlyMap<string, unknown>): void {
    for (const crewId of this.#refusing) {
      if (refusing.has(crewId)) continue;
      this.#database.run("DELETE FROM token_prompts WHERE crew_id = ?", crewId);
      this.#refusing.delete(crewId);
    }
  }
}

import { isRunning, session } from "../base/process.ts";
import type { Database } from "../store/database.ts";
import { integer, type Row, text } from "../store/row.ts";

/** Sees to it that one window asks for a crew's other token, whichever of them hears that the old one is refused. */
export class TokenPrompts {
  readonly #database: Database;
  /** Crews that refuse their token as far as this window knows, by id. */
  readonly #refusing = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** A crew refuses its token. Whether this window is to ask for another one: not if one that is still open has asked. */
  begin(crewId: string): boolean {
    this.#refusing.add(crewId);
    return this.#database.write(() => {
      const earlier = this.#database.get("SELECT * FROM token_prompts WHERE crew_id = ?", crewId);
      if (earlier !== undefined && isOpen(earlier)) return false;
      // The question of a window that is gone went away with it.
      this.#database.run(
        "INSERT OR REPLACE INTO token_prompts (crew_id, pid, session) VALUES (?, ?, ?)",
        crewId,
        process.pid,
        session,
      );
      return true;
    });
  }

  /** Only these crews refuse their token now: a new refusal of the others is to be asked about again. */
  keep(parked: ReadonlyMap<string, unknown>): void {
    for (const crewId of this.#refusing) {
      if (parked.has(crewId)) continue;
      this.#database.run("DELETE FROM token_prompts WHERE crew_id = ?", crewId);
      this.#refusing.delete(crewId);
    }
  }
}

function isOpen(row: Row): boolean {
  const pid = integer(row, "pid");
  return pid === process.pid ? text(row, "session") === session : isRunning(pid);
}

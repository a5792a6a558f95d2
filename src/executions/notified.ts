import type { Database } from "../store/database.ts";

/** What a person was notified of, by whichever window. It is forgotten with its execution. */
export class Notified {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Whether this window is the one to notify of an event. False where any window has, and for an execution that is not tracked any more. */
  claim(key: string, localId: string): boolean {
    return (
      this.#database.run(
        "INSERT OR IGNORE INTO notified SELECT ?, local_id FROM executions WHERE local_id = ?",
        key,
        localId,
      ) === 1
    );
  }
}

import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "../api/types.ts";
import type { CallbackTarget } from "./model.ts";
import { number, text } from "./rows.ts";

const schema = `
  CREATE TABLE IF NOT EXISTS deliveries (
    id TEXT PRIMARY KEY, execution_id TEXT NOT NULL REFERENCES executions, url TEXT NOT NULL, authorization TEXT,
    body TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'pending', failures INTEGER NOT NULL DEFAULT 0
  ) STRICT;
`;

/** One callback that is still to be sent. */
export interface Delivery {
  readonly id: string;
  readonly executionId: string;
  readonly target: CallbackTarget;
  /** JSON text. */
  readonly body: string;
}

/** The callbacks to be sent and those sent, in SQLite. What was sent or given up keeps neither body nor address nor credentials. */
export class DeliveryStore {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec(schema);
  }

  /** Stores a callback to be sent; one with the same id stays as it was first stored. */
  add(id: string, executionId: string, target: CallbackTarget, body: JsonObject): void {
    this.#database
      .prepare(
        "INSERT OR IGNORE INTO deliveries (id, execution_id, url, authorization, body) VALUES (?, ?, ?, ?, ?)",
      )
      .run(id, executionId, target.url, target.authorization ?? null, JSON.stringify(body));
  }

  /** The callback with this id while it is still to be sent. */
  pending(id: string): Delivery | undefined {
    const row = this.#database
      .prepare("SELECT * FROM deliveries WHERE id = ? AND state = 'pending'")
      .get(id);
    if (!row) return undefined;
    const authorization =
      row["authorization"] === null ? {} : { authorization: text(row, "authorization") };
    return {
      id,
      executionId: text(row, "execution_id"),
      target: { url: text(row, "url"), ...authorization },
      body: text(row, "body"),
    };
  }

  /** Counts one failure and returns how many there were. */
  countFailure(id: string): number {
    const row = this.#database
      .prepare("UPDATE deliveries SET failures = failures + 1 WHERE id = ? RETURNING failures")
      .get(id);
    return row ? number(row, "failures") : 0;
  }

  /** Ends a delivery. */
  settle(id: string, state: "sent" | "given up"): void {
    this.#database
      .prepare(
        "UPDATE deliveries SET state = ?, url = '', body = '', authorization = NULL WHERE id = ? AND state = 'pending'",
      )
      .run(state, id);
  }
}

/** The id of what `parts` name: always the same for the same, so that a receiver can tell a repeat. */
export function stableId(...parts: readonly (string | number)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 32);
}

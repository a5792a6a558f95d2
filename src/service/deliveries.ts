import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "../api/types.ts";
import { number, text } from "./database.ts";
import { messageOf } from "./errors.ts";
import type { CallbackTarget } from "./model.ts";

const schema = `
  CREATE TABLE IF NOT EXISTS deliveries (
    id TEXT PRIMARY KEY, execution_id TEXT NOT NULL REFERENCES executions, url TEXT NOT NULL, authorization TEXT,
    body TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'pending', failures INTEGER NOT NULL DEFAULT 0
  ) STRICT;
`;

/** With the default first wait of 5 s, doubled up to an hour, the last attempt is about 2.5 hours after the first. */
export const callbackAttempts = 12;

/** Callbacks to send and callbacks sent, in SQLite. After the last attempt neither body nor address nor credentials are kept. */
export class Deliveries {
  readonly #database: DatabaseSync;
  readonly #log: (line: string) => void;
  readonly #onSend: (id: string) => void;
  readonly #timeoutMs: number;

  /** `onSend` is called before each attempt. */
  constructor(
    database: DatabaseSync,
    log: (line: string) => void,
    onSend: (id: string) => void,
    timeoutMs: number,
  ) {
    this.#database = database;
    this.#log = log;
    this.#onSend = onSend;
    this.#timeoutMs = timeoutMs;
    database.exec(schema);
  }

  /** Stores a callback to send. One with the same id stays as it is. */
  add(id: string, executionId: string, target: CallbackTarget, body: JsonObject): void {
    this.#database
      .prepare(
        "INSERT OR IGNORE INTO deliveries (id, execution_id, url, authorization, body) VALUES (?, ?, ?, ?, ?)",
      )
      .run(id, executionId, target.url, target.authorization ?? null, JSON.stringify(body));
  }

  /** Makes one attempt. Rejects if another one is needed later. */
  async send(id: string): Promise<void> {
    const row = this.#database
      .prepare("SELECT * FROM deliveries WHERE id = ? AND state = 'pending'")
      .get(id);
    if (!row) return;
    this.#onSend(id);
    const url = text(row, "url");
    const authorization = row["authorization"] === null ? undefined : text(row, "authorization");
    try {
      await post(url, headersOf(id, authorization), text(row, "body"), this.#timeoutMs);
    } catch (error) {
      if (this.#countFailure(id) < callbackAttempts) throw error;
      this.#settle(id, "given up");
      // The path may be a secret.
      const { origin } = new URL(url);
      this.#log(
        `A callback of execution ${text(row, "execution_id")} to ${origin} was given up after ${callbackAttempts} attempts: ${messageOf(error)}`,
      );
      return;
    }
    this.#settle(id, "sent");
  }

  #countFailure(id: string): number {
    const row = this.#database
      .prepare("UPDATE deliveries SET failures = failures + 1 WHERE id = ? RETURNING failures")
      .get(id);
    return row ? number(row, "failures") : 0;
  }

  #settle(id: string, state: "sent" | "given up"): void {
    this.#database
      .prepare(
        "UPDATE deliveries SET state = ?, url = '', body = '', authorization = NULL WHERE id = ? AND state = 'pending'",
      )
      .run(state, id);
  }
}

/** An id made of `parts`, always the same for the same parts, so that a receiver can detect a repeat. */
export function stableId(...parts: readonly (string | number)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 32);
}

async function post(url: string, headers: Headers, body: string, timeoutMs: number): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers,
    body,
    // A redirect would send outputs and credentials to another address.
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The receiver answered ${response.status}.`);
}

function headersOf(id: string, authorization: string | undefined): Headers {
  const headers = new Headers({
    "Content-Type": "application/json",
    "User-Agent": "crewdeck",
    "Webhook-Id": id,
  });
  try {
    if (authorization !== undefined) headers.set("Authorization", authorization);
  } catch {
    // Node's error quotes the credentials, and the reason of a failure is stored and logged.
    throw new Error(
      "The credentials of this callback can't be sent: a header can't contain one of their characters.",
    );
  }
  return headers;
}

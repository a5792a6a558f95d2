import { digest } from "../base/bearer.ts";
import { text } from "../base/sqlite.ts";
import { change, row, type Work } from "./database/database.ts";
import { ApiError } from "./errors.ts";
import type { Caller } from "./model.ts";

/** How long a client may repeat a kickoff (ms). */
const repeatedMs = 86_400_000;

/** By what a repeat of a kickoff is recognised: hashes. */
export interface KickoffKey {
  readonly key: string;
  readonly body: string;
}

/** @param header `Idempotency-Key` @param crew its path. Undefined without the header */
export function kickoffKey(
  header: string | undefined,
  { owner }: Caller,
  crew: string,
  body: string,
): KickoffKey | undefined {
  return header
    ? { key: hash(JSON.stringify([owner, crew, header])), body: hash(body) }
    : undefined;
}

/** The execution that this request has started already. @throws {ApiError} 422 if its key came with another body */
export function* startedWith({ key, body }: KickoffKey, now: number): Work<string | undefined> {
  // An older one has given its key back.
  yield* change(
    "UPDATE executions SET kickoff_key = NULL WHERE kickoff_key = ? AND created_at <= ?",
    key,
    now - repeatedMs,
  );
  const sql = "SELECT id, kickoff_body AS body FROM executions WHERE kickoff_key = ?";
  const started = yield* row(sql, key);
  if (started && text(started, "body") !== body) {
    const message = "This Idempotency-Key came with another request before. Send a new one";
    throw new ApiError(422, "Unprocessable Content", message);
  }
  return started && text(started, "id");
}

function hash(part: string): string {
  return digest(part).toString("hex");
}

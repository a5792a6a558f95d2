import { row, type Database, type Work } from "../database/database.ts";
import { ApiError } from "../errors.ts";
import { hasAtWork } from "../store.ts";

/** `Retry-After` of a kickoff that is refused (s). */
const fullSeconds = 10;
/** So many kickoffs of a crew are never stored at the same moment. */
const atOnce = 100;
/** The first key of the advisory lock. The number is arbitrary; no other lock may use it. */
const lock = 726_340;

/**
 * Limits how many executions of a crew are queued or running, in all processes together.
 * @returns the first part of the change that stores a kickoff. It throws an {@link ApiError} 429
 */
export function limitAtWork(
  { isShared }: Pick<Database, "isShared">,
  crew: string,
  most: number,
): () => Work<void> {
  return function* () {
    if (most === Infinity || !(yield* hasAtWork(crew, Math.max(1, most - atOnce)))) return;
    // Near the limit, processes store kickoffs one after the other.
    if (isShared) yield* row("SELECT pg_advisory_xact_lock(?, hashtext(?))", lock, crew);
    if (!(yield* hasAtWork(crew, most))) return;
    const message = `The crew already has ${most} executions that are queued or running. Try again in ${fullSeconds} s`;
    throw new ApiError(429, "Too Many Requests", message, { retryAfter: fullSeconds });
  };
}

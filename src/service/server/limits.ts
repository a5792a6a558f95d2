import type { Work } from "../database/database.ts";
import { ApiError } from "../errors.ts";
import { hasAtWork } from "../store.ts";

/** `Retry-After` of a kickoff that is refused (s). */
const fullSeconds = 10;

/**
 * Limits how many executions of a crew are queued or running, in all processes together. Kickoffs at the same moment may exceed it.
 * @returns the first part of the change that stores a kickoff. It throws an {@link ApiError} 429
 */
export function limitAtWork(crew: string, most: number): () => Work<void> {
  return function* () {
    if (most === Infinity || !(yield* hasAtWork(crew, most))) return;
    const message = `The crew already has ${most} executions that are queued or running. Try again in ${fullSeconds} s`;
    throw new ApiError(429, "Too Many Requests", message, { retryAfter: fullSeconds });
  };
}

import { stableId } from "./deliveries.ts";
import type { AttemptKey } from "./model.ts";
import { outputCallbackIds } from "./reporter.ts";

/**
 * Milliseconds after which an output counts as seen without proof: somebody may know by other means that it is there, and
 * no request is under way that long.
 */
const proofMs = 1000;

/**
 * Knows which outputs somebody can have seen. A resume names a task, not an attempt: of two that were sent at once to reject
 * an output, the second may arrive when the next output is there already. It must not decide about that one.
 */
export class SeenOutputs {
  /** What was shown, by id, and when; the oldest first. */
  readonly #shown = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes that a status answer shows the output of an attempt. */
  show(key: AttemptKey): void {
    this.#note(statusId(key));
  }

  /** Notes that a callback leaves. */
  send(callbackId: string): void {
    this.#note(callbackId);
  }

  /** Whether a decision that comes now can be about the output of this attempt, which was there at `since`. */
  isSeen(key: AttemptKey, since: number): boolean {
    // Of a first output there is none before it that the decision could have been about.
    if (key.attempt === 1 || this.#now() - since >= proofMs) return true;
    return [statusId(key), ...outputCallbackIds(key)].some((id) => this.#shown.has(id));
  }

  #note(id: string): void {
    const now = this.#now();
    for (const [old, at] of this.#shown) {
      if (now - at < 2 * proofMs) break;
      this.#shown.delete(old);
    }
    if (!this.#shown.has(id)) this.#shown.set(id, now);
  }
}

function statusId(key: AttemptKey): string {
  return stableId("status", key.executionId, key.taskIndex, key.attempt);
}

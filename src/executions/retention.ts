import type { Clock } from "../base/clock.ts";
import type { Disposable } from "../base/events.ts";
import type { Lease } from "./lease.ts";
import { type ExecutionSummary, hasEnded } from "./model.ts";
import type { ExecutionStore } from "./store.ts";

/** Milliseconds after a change until the list is cut, so that a start and a burst of ends are over. */
const QUIET = 10_000;

/** What {@link Retention} works with. */
export interface RetentionOptions {
  readonly store: Pick<ExecutionStore, "list" | "remove" | "onDidChange">;
  readonly lease: Pick<Lease, "isHeld" | "confirm">;
  readonly clock: Clock;
  /** How many ended executions are kept; 0 keeps all. Asked for each time. */
  readonly keepEnded: () => number;
  onProblem(message: string, error: unknown): void;
}

/** Keeps the list bounded: the window with the lease removes the ended executions that are too many, the oldest end first. */
export class Retention implements Disposable {
  readonly #options: RetentionOptions;
  readonly #subscription: Disposable;
  #cancelTimer: (() => void) | undefined;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#subscription = options.store.onDidChange(({ added, changed }) => {
      if ([...added, ...changed].some(hasEnded)) this.#cutSoon();
    });
    this.#cutSoon();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#cancelTimer?.();
  }

  #cutSoon(): void {
    this.#cancelTimer ??= this.#options.clock.after(QUIET, () => {
      this.#cancelTimer = undefined;
      try {
        this.#cut();
      } catch (error) {
        this.#options.onProblem("Ended executions that are too many could not be removed.", error);
      }
    });
  }

  #cut(): void {
    const { store, lease, keepEnded } = this.#options;
    if (!lease.confirm()) return;
    for (const { localId } of tooMany(store.list(), keepEnded())) store.remove(localId);
  }
}

/** The ended executions beyond the `keep` that ended last. What is pinned, or has feedback under way that may bring it back, stays and is not counted. */
export function tooMany(
  executions: readonly ExecutionSummary[],
  keep: number,
): readonly ExecutionSummary[] {
  if (keep <= 0) return [];
  const candidates = executions.filter(
    (execution) =>
      hasEnded(execution) &&
      execution.pinned !== true &&
      execution.resumes.every(({ outcome }) => outcome !== "sending"),
  );
  return candidates.sort((one, other) => endOf(other) - endOf(one)).slice(keep);
}

function endOf({ endedAt, startedAt }: ExecutionSummary): number {
  return Date.parse(endedAt ?? startedAt);
}

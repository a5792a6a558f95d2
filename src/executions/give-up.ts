import type { Clock } from "../base/clock.ts";
import type { ExecutionSummary } from "./model.ts";
import { stopWatching } from "./reduce.ts";
import type { ExecutionStore } from "./store.ts";
import { canBeAsked, isTooOld } from "./watched.ts";

/** What giving up needs. */
export interface GiveUpOptions {
  readonly store: Pick<ExecutionStore, "summary" | "update">;
  readonly clock: Clock;
  onProblem(message: string, error: unknown): void;
}

/**
 * Marks an execution as no longer watched where nothing has happened to it for too long. Only to be called after a question: what ended while
 * no window was open must not be given up unasked. Never throws.
 */
export function giveUpByAge(options: GiveUpOptions, localId: string): void {
  const { store, clock } = options;
  const isDue = (execution: ExecutionSummary) =>
    canBeAsked(execution) &&
    execution.watchingStoppedAt === undefined &&
    isTooOld(execution, clock.now());
  const execution = store.summary(localId);
  if (execution === undefined || !isDue(execution)) return;
  try {
    store.update(localId, (current) =>
      isDue(current) ? stopWatching(current, clock.now()) : current,
    );
  } catch (error) {
    options.onProblem("An execution that is too old to be followed could not be marked so.", error);
  }
}

import type { Clock } from "../base/clock.ts";
import { hasEnded, type ExecutionSummary } from "../executions/model.ts";
import { isQuickPhase, pace } from "../executions/pace.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Tracker } from "../executions/tracker.ts";

/** What waiting for an execution works with. */
export interface UntilOptions {
  readonly store: Pick<ExecutionStore, "summary" | "onDidChange">;
  readonly clock: Clock;
  readonly tracker: Pick<Tracker, "pollNow" | "onDidChange">;
  /** Whether asking helps only after somebody has done something: the crew refuses, or is not connected. */
  readonly isHopeless: (execution: ExecutionSummary) => boolean;
}

/**
 * Waits until an execution waits for a person, may wait, has ended, is no longer tracked or can't be asked for, at most so many
 * milliseconds. A model that waits is somebody who looks: meanwhile the crew is asked at that pace, so that the model need not call
 * again and again.
 * @throws the signal's reason
 */
export async function untilItMatters(
  { store, clock, tracker, isHopeless }: UntilOptions,
  localId: string,
  milliseconds: number,
  signal: AbortSignal,
): Promise<void> {
  const matters = () => {
    const execution = store.summary(localId);
    return execution === undefined || needsSomebody(execution) || isHopeless(execution);
  };
  signal.throwIfAborted();
  if (matters()) return;
  const over = new AbortController();
  const end = () => over.abort();
  const look = () => {
    if (matters()) end();
  };
  const subscriptions = [store.onDidChange(look), tracker.onDidChange(look)];
  const cancelEnd = clock.after(milliseconds, end);
  signal.addEventListener("abort", end);
  try {
    const begun = clock.now();
    for (let slowQuestions = 0; !over.signal.aborted;) {
      const age = clock.now() - begun;
      if (
        !(await passes(
          clock,
          pace({ age, slowQuestions, isLookedAt: true, isUnknown: false }),
          over.signal,
        ))
      )
        break;
      await tracker.pollNow(localId);
      // What keeps a question from leaving is told by no event.
      look();
      if (!isQuickPhase(age)) slowQuestions++;
    }
  } finally {
    for (const subscription of subscriptions) subscription.dispose();
    cancelEnd();
    signal.removeEventListener("abort", end);
  }
  signal.throwIfAborted();
}

/** Whether so many milliseconds pass before the signal ends it. */
async function passes(
  clock: Pick<Clock, "after">,
  milliseconds: number,
  signal: AbortSignal,
): Promise<boolean> {
  return await new Promise((resolve) => {
    const broken = () => {
      cancel();
      resolve(false);
    };
    const cancel = clock.after(milliseconds, () => {
      signal.removeEventListener("abort", broken);
      resolve(true);
    });
    signal.addEventListener("abort", broken, { once: true });
  });
}

function needsSomebody(execution: ExecutionSummary): boolean {
  return (
    hasEnded(execution) ||
    execution.state === "waiting" ||
    execution.mayBeWaiting === true ||
    execution.watchingStoppedAt !== undefined
  );
}

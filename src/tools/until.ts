import type { Clock } from "../api/clock.ts";
import { hasEnded, type Execution } from "../executions/model.ts";
import { isQuickPhase, pace } from "../executions/pace.ts";
import type { ExecutionStore } from "../executions/store.ts";

/** What waiting for an execution works with. */
export interface UntilOptions {
  readonly store: Pick<ExecutionStore, "find" | "onDidChange">;
  readonly clock: Clock;
  /** Has the crew asked now; resolves when the answer is written. */
  readonly poll: (localId: string) => Promise<void>;
}

/**
 * Waits until an execution waits for a person, may wait, has ended or is no longer tracked, at most so many milliseconds. A model
 * that waits is somebody who looks: meanwhile the crew is asked at that pace, so that the model need not call again and again.
 * @throws the signal's reason
 */
export async function untilItMatters({ store, clock, poll }: UntilOptions, localId: string, milliseconds: number, signal: AbortSignal): Promise<void> {
  const matters = () => {
    const execution = store.find(localId);
    return execution === undefined || needsSomebody(execution);
  };
  signal.throwIfAborted();
  if (matters()) return;
  const over = new AbortController();
  const end = () => over.abort();
  const subscription = store.onDidChange(() => {
    if (matters()) end();
  });
  const cancelEnd = clock.after(milliseconds, end);
  signal.addEventListener("abort", end);
  try {
    const begun = clock.now();
    for (let slowQuestions = 0; !over.signal.aborted; ) {
      const age = clock.now() - begun;
      if (!(await passes(clock, pace({ age, slowQuestions, isLookedAt: true, isUnknown: false }), over.signal))) break;
      await poll(localId);
      if (!isQuickPhase(age)) slowQuestions++;
    }
  } finally {
    subscription.dispose();
    cancelEnd();
    signal.removeEventListener("abort", end);
  }
  signal.throwIfAborted();
}

/** Whether so many milliseconds pass before the signal ends it. */
async function passes(clock: Pick<Clock, "after">, milliseconds: number, signal: AbortSignal): Promise<boolean> {
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

function needsSomebody(execution: Execution): boolean {
  return hasEnded(execution) || execution.state === "waiting" || execution.mayBeWaiting === true || execution.watchingStoppedAt !== undefined;
}

import { wait, type Clock } from "../base/clock.ts";
import { hasEnded, waitsForPerson, type ExecutionSummary } from "../executions/model.ts";
import { pace } from "../executions/polls.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Poller } from "../executions/poller.ts";

/**
 * Waits until the execution may need a person, has ended, can't be polled, or the time is over.
 * Polls at the pace of a watched execution.
 * @throws the signal's reason
 */
export async function untilItMatters(
  parts: {
    readonly store: Pick<ExecutionStore, "summary" | "onDidChange">;
    readonly clock: Clock;
    readonly poller: Pick<Poller, "pollNow" | "onDidChange">;
    /** Whether polling can't help: the crew refuses the token, or isn't connected. */
    readonly isHopeless: (execution: ExecutionSummary) => boolean;
  },
  localId: string,
  milliseconds: number,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, poller, isHopeless } = parts;
  const matters = () => {
    const execution = store.summary(localId);
    return (
      execution === undefined ||
      hasEnded(execution) ||
      waitsForPerson(execution) ||
      execution.watchingStoppedAt !== undefined ||
      isHopeless(execution)
    );
  };
  signal.throwIfAborted();
  if (matters()) return;
  const over = new AbortController();
  const end = () => over.abort();
  const check = () => {
    if (matters()) end();
  };
  const subscriptions = [store.onDidChange(check), poller.onDidChange(check)];
  const cancelEnd = clock.after(milliseconds, end);
  signal.addEventListener("abort", end, { signal: over.signal });
  try {
    const begun = clock.now();
    while (!over.signal.aborted) {
      if (!(await wait(clock, pace(clock.now() - begun, true), over.signal))) break;
      await poller.pollNow(localId);
      // No event fires when a request can't be sent.
      check();
    }
  } finally {
    for (const subscription of subscriptions) subscription.dispose();
    cancelEnd();
    end();
  }
  signal.throwIfAborted();
}

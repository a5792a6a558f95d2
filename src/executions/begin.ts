import type { Clock } from "../base/clock.ts";
import type { Disposable } from "../base/events.ts";
import { hasEnded } from "./model.ts";
import type { ExecutionStore } from "./store.ts";

/** Milliseconds between the start of the window and the first question, so that nobody waits for it (design). */
const QUIET = 5_000;

/**
 * Calls `begin` once: 5 s after now if an execution has not ended, else as soon as there is one that has not. What is started
 * or tracked in this window is a person's wish and does not wait for the 5 s; what another window tracks does.
 */
export function beginWhenNeeded(
  store: Pick<ExecutionStore, "list" | "onDidChange" | "onDidAdd">,
  clock: Clock,
  begin: () => void,
): Disposable {
  let isQuiet = true;
  const subscriptions: Disposable[] = [];
  const stop = () => {
    for (const subscription of subscriptions.splice(0)) subscription.dispose();
  };
  const look = () => {
    if (isQuiet || store.list().every(hasEnded)) return;
    stop();
    begin();
  };
  const lookNow = () => {
    isQuiet = false;
    look();
  };
  subscriptions.push(store.onDidChange(look), store.onDidAdd(lookNow), {
    dispose: clock.after(QUIET, lookNow),
  });
  return { dispose: stop };
}

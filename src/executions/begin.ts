import type { Clock } from "../api/clock.ts";
import type { Disposable } from "./emitter.ts";
import { hasEnded } from "./model.ts";
import type { ExecutionStore } from "./store.ts";

/** Milliseconds between the start of the window and the first question, so that nobody waits for it (design). */
const QUIET = 5_000;

/** Calls `begin` once: 5 s after now if an execution has not ended, else as soon as there is one that has not. */
export function beginWhenNeeded(store: Pick<ExecutionStore, "list" | "onDidChange">, clock: Clock, begin: () => void): Disposable {
  const isNeeded = () => store.list().some((execution) => !hasEnded(execution));
  let cancel: () => void = () => undefined;
  let isQuiet = true;
  const look = () => {
    if (isQuiet || !isNeeded()) return;
    subscription.dispose();
    begin();
  };
  const subscription = store.onDidChange(({ added }) => {
    // What was started or tracked in this window is a person's wish: it does not wait.
    if (added.length > 0) isQuiet = false;
    look();
  });
  cancel = clock.after(QUIET, () => {
    isQuiet = false;
    look();
  });
  return {
    dispose() {
      cancel();
      subscription.dispose();
    },
  };
}

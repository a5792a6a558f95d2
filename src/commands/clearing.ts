import { logProblem } from "../editor/log.ts";
import type { Disposable } from "../base/events.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { ForgettingParts } from "./forget-here.ts";

/** Forgets in this window what a person deletes in another one, so that this one writes none of it back. */
export function watchClearing(
  store: Pick<ExecutionStore, "onDidClear">,
  parts: ForgettingParts,
): Disposable {
  return store.onDidClear((scope) => {
    const forgetting = import("./forget-here.ts").then(({ forgetHere }) =>
      forgetHere(parts, scope),
    );
    forgetting.catch((error: unknown) =>
      logProblem("Forgetting what was deleted in another window", error),
    );
  });
}

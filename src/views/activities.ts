import { type Activity, activityOf } from "../executions/activity.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";

/** The store has another summary after each change of an execution or its events. */
const made = new WeakMap<ExecutionSummary, Activity>();

/** What happened in an execution; made once for each change, since 10,000 events take some 150 ms. */
export function activityIn(
  store: Pick<ExecutionStore, "events" | "summary">,
  execution: ExecutionSummary,
): Activity {
  const summary = store.summary(execution.localId) ?? execution;
  const known = made.get(summary);
  if (known !== undefined) return known;
  const activity = activityOf(summary, store.events(summary.localId));
  made.set(summary, activity);
  return activity;
}

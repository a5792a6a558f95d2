import { type Activity, noActivity } from "../../src/executions/activity.ts";
import type { Execution } from "../../src/executions/model.ts";
import type { Step } from "../../src/executions/steps.ts";
import type { Circumstances } from "../../src/view/actions.ts";
import { viewOf } from "../../src/view/execution-view.ts";
import { tasksOf } from "../../src/view/tasks.ts";
import { textOf } from "../../src/view/text.ts";

/** The text of an execution. */
export function renderExecution(
  execution: Execution,
  circumstances: Circumstances = {},
  steps: readonly Step[] = [],
  activity: Activity = noActivity,
) {
  const view = viewOf(execution, activity, circumstances);
  return textOf(steps.length === 0 ? view : { ...view, tasks: tasksOf(execution, steps, {}) });
}

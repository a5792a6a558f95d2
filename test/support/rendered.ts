import { type Activity, noActivity } from "../../src/executions/activity.ts";
import type { Execution } from "../../src/executions/model.ts";
import type { Circumstances } from "../../src/view/actions.ts";
import { viewOf } from "../../src/view/execution-view.ts";
import { textOf } from "../../src/view/text.ts";

export function renderExecution(
  execution: Execution,
  circumstances: Circumstances = {},
  activity: Activity = noActivity,
) {
  return textOf(viewOf(execution, activity, circumstances));
}

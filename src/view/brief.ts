import * as l10n from "@vscode/l10n";
import { defined } from "../base/json.ts";
import { shortName } from "../base/text.ts";
import type { Activity } from "../executions/activity.ts";
import { type ExecutionSummary, hasEnded, mayWait, type TaskSummary } from "../executions/model.ts";
import { interruptedAt, taskTime, taskWait, wholeTime } from "../executions/times.ts";
import { titleOf } from "../executions/title.ts";
import { taskTokenUse } from "../executions/tokens.ts";
import { actionsOf, answersTo, type Circumstances, isUnwatched } from "./actions.ts";
import {
  formatDuration,
  formatSpan,
  fullProgress,
  present,
  stateLabel,
  stateName,
  useLabels,
} from "./words.ts";

export type BriefView = ReturnType<typeof briefOf>;

/** All of a row, and the head of any surface. @param activity without it, when it was interrupted is less exact */
export function briefOf(
  execution: ExecutionSummary,
  circumstances: Circumstances = {},
  activity?: Activity,
) {
  const { isKickingOff = false, isInterrupted = false } = circumstances;
  const { crew, state, stateText, progress, waiting } = execution;
  const own = isInterrupted ? stateName("interrupted") : stateLabel(execution);
  const label = isKickingOff ? l10n.t("Kicking off…") : own;
  const task = waiting?.taskId ?? (state === "running" ? progress?.current : undefined);
  const interrupted = isInterrupted ? interruptedAt(execution, activity) : undefined;
  return {
    title: titleOf(execution),
    crew: crew.name,
    state: isInterrupted ? ("interrupted" as const) : state,
    label,
    facts: present(
      stateText !== undefined && stateText !== label && l10n.t("the crew says “{0}”", stateText),
      task && l10n.t("task {0}", shortName(task)),
      fullProgress(execution),
    ),
    actions: actionsOf(execution, circumstances),
    answers: answersTo(execution, circumstances),
    ...defined({ elapsed: elapsedOf(execution, interrupted) }),
  };
}

/** How long it took, or since when it runs (ms since 1970): the surfaces count. Undefined if unknown. */
function elapsedOf(execution: ExecutionSummary, interrupted?: number): string | number | undefined {
  const started = Date.parse(execution.startedAt);
  const whole = wholeTime(execution);
  if (hasEnded(execution)) return whole && formatSpan(whole.seconds * 1000);
  const { state, origin } = execution;
  if (origin === "tracked" || state === "unconfirmed") return undefined;
  if (interrupted === undefined) return started;
  return interrupted - started < 1_000 ? undefined : formatSpan(interrupted - started);
}

export function taskBrief(
  task: TaskSummary,
  execution: ExecutionSummary,
  circumstances: Circumstances = {},
) {
  const { taskId, agent = "", isSkipped = false } = task;
  const state = taskState(task, execution, circumstances);
  const [worked, waited] = [taskTime(task, execution), taskWait(task, execution)];
  return {
    taskId,
    name: shortName(taskId),
    ...(agent !== "" && { agent }),
    state,
    label: isSkipped ? l10n.t("Skipped") : taskStateLabel(state),
    facts: present(
      worked && formatDuration(worked),
      // What waits says so already.
      waited && state !== "waiting" && l10n.t("waited for you: {0}", formatDuration(waited)),
      ...useLabels(taskTokenUse(task), circumstances.prices ?? []),
    ),
  };
}

/** Nothing is shown as running that is no longer watched, or may be what waits. A stop leaves a task pending that has run. */
function taskState(
  { state, attempts, times }: TaskSummary,
  execution: ExecutionSummary,
  circumstances: Circumstances,
): TaskSummary["state"] | "interrupted" | "unknown" | "stopped" {
  if (state === "running" && circumstances.isInterrupted === true) return "interrupted";
  const isLost = isUnwatched(execution, circumstances) || mayWait(execution);
  if (state === "running" && isLost) return "unknown";
  const hasRun = attempts.length > 0 || times !== undefined;
  return state === "pending" && hasRun && execution.state === "stopped" ? "stopped" : state;
}

function taskStateLabel(state: ReturnType<typeof taskState>): string {
  if (state === "unknown") return l10n.t("Last seen running");
  return state === "pending" ? l10n.t("Not started") : stateName(state);
}

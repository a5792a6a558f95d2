import * as l10n from "@vscode/l10n";
import { defined } from "../base/json.ts";
import { shortName } from "../base/text.ts";
import type { Activity } from "../executions/activity.ts";
import { type ExecutionSummary, hasEnded, type TaskSummary } from "../executions/model.ts";
import { interruptedAt, taskTime, taskWait, wholeTime } from "../executions/times.ts";
import { titleOf } from "../executions/title.ts";
import { taskTokenUse } from "../executions/tokens.ts";
import { actionsOf, answersTo, type Circumstances, isUnwatched } from "./actions.ts";
import {
  formatDuration,
  formatSpan,
  fullProgress,
  interruptedLabel,
  present,
  stateLabel,
  taskState,
  taskStateLabel,
  useLabels,
} from "./words.ts";

export type BriefView = ReturnType<typeof briefOf>;

/**
 * What an execution is and does, as far as its summary tells: all of a row, and the head of any surface.
 * @param activity without it, when it was interrupted is less exact
 */
export function briefOf(
  execution: ExecutionSummary,
  circumstances: Circumstances = {},
  activity?: Activity,
) {
  const { isKickingOff = false, isInterrupted = false } = circumstances;
  const { crew, state, stateText, progress, waiting } = execution;
  const own = isInterrupted ? interruptedLabel() : stateLabel(execution);
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

/** What a task is and does, as far as its summary tells. One that was running when it was last seen may be what waits. */
export function taskBrief(
  task: TaskSummary,
  execution: ExecutionSummary,
  circumstances: Circumstances,
) {
  const { taskId, agent = "", state } = task;
  const { isInterrupted = false, prices = [] } = circumstances;
  const isHeld = isInterrupted && state === "running";
  const isLost = state === "running" && isUnwatched(execution, circumstances);
  const seen = isLost ? l10n.t("Last seen running") : taskStateLabel(task, execution);
  const [worked, waited] = [taskTime(task, execution), taskWait(task, execution)];
  return {
    taskId,
    name: shortName(taskId),
    ...(agent !== "" && { agent }),
    // Nothing is shown as running that is no longer watched.
    state: isHeld
      ? ("interrupted" as const)
      : isLost
        ? ("unknown" as const)
        : taskState(task, execution),
    label: isHeld ? interruptedLabel() : seen,
    facts: present(
      worked && formatDuration(worked),
      // What waits says so already.
      waited && state !== "waiting" && l10n.t("waited for you: {0}", formatDuration(waited)),
      ...useLabels(taskTokenUse(task), prices),
    ),
  };
}

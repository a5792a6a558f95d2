import * as l10n from "@vscode/l10n";
import { oneLine, shortName } from "../../base/text.ts";
import { interruptedAt } from "../../executions/times.ts";
import {
  canRunAgainFrom,
  type ExecutionSummary,
  hasEnded,
  isStopping,
  mayWait,
  type TaskSummary,
} from "../../executions/model.ts";
import { answeredPause, pendingResume } from "../../executions/resumes.ts";
import { attemptPairs } from "../../executions/tasks.ts";
import { sharesTitle, titleOf } from "../../executions/title.ts";
import { taskTokenUse, tokenUse } from "../../executions/tokens.ts";
import { actionsOf, answersTo, type Circumstances } from "../../view/actions.ts";
import {
  askLabel,
  elapsedLabel,
  fullProgress,
  type Icon,
  interruptedLabel,
  isRehearsal,
  kickingOffLabel,
  present,
  rehearsalLabel,
  shortProgress,
  shortStart,
  startLabel,
  stateIcons,
  stateLabel,
  taskStateLabel,
  taskTimeLabels,
  triggerFacts,
  useLabels,
} from "../../view/words.ts";
import type { GroupKind } from "./grouping.ts";
import type { Row } from "./rows.ts";

const max = { inputs: 4, value: 80, error: 300 };

/** Of a title in its row: state, progress and time have room beside it in a side bar of usual width. */
const longestTitle = 20;

/** @param now milliseconds since 1970. @param group whose row needs no repetition */
export function executionRow(
  execution: ExecutionSummary,
  now: number,
  circumstances: Circumstances = {},
  group: GroupKind = "crew",
): Row {
  const { isInterrupted = false, doubt, prices = [] } = circumstances;
  const title = titleOf(execution);
  const warnings = warningsOf(execution, circumstances);
  // How long it ran is known only while it is watched.
  const isLost = doubt?.isLasting === true && !isInterrupted;
  const interrupted = isInterrupted ? interruptedAt(execution) : undefined;
  const time = !isLost && elapsedLabel(execution, now, interrupted);
  const pinned = execution.pinned === true && l10n.t("pinned");
  const rehearsal = isRehearsal(execution) && l10n.t("rehearsal");
  const crew = l10n.t("Crew: {0}", execution.crew.name);
  const asks = askOf(execution);
  const start = startLabel(execution);
  const situation = present(
    situationOf(execution, circumstances),
    asks,
    fullProgress(execution),
    time,
    ...warnings,
  );
  return {
    label: oneLine(title, longestTitle),
    description: present(
      stateIn(execution, circumstances, group),
      asks,
      execution.state !== "completed" && shortProgress(execution),
      time,
      // Its menu says what to do, and there is little room.
      ...(isInterrupted ? [] : warnings),
      pinned,
      sharesTitle(execution) && shortStart(execution, now),
      group !== "crew" && execution.crew.name,
      rehearsal,
    ).join(" · "),
    // Computed on demand: few of 10,000 rows are hovered over.
    get tooltip() {
      return present(
        title,
        ...situation,
        ...useLabels(tokenUse(execution), prices),
        !hasEnded(execution) && doubt?.text,
        ...details(execution),
        crew,
        start,
        ...triggerFacts(execution).map(({ label, value }) => l10n.t("{0}: {1}", label, value)),
        ...execution.kickoffIds.map((id) => l10n.t("ID: {0}", id)),
      );
    },
    icon: iconOf(execution, circumstances),
    facts: factsOf(execution, circumstances),
    sentence: present(
      title,
      ...situation,
      sharesTitle(execution) && start,
      rehearsal,
      pinned,
      group !== "crew" && crew,
    ).join(", "),
  };
}

export function taskRow(
  task: TaskSummary,
  execution: ExecutionSummary,
  circumstances: Circumstances = {},
): Row {
  const { isInterrupted = false, prices = [] } = circumstances;
  const isStale = task.state === "running" && isUnwatched(execution, circumstances);
  const staleLabel = isInterrupted ? interruptedLabel() : l10n.t("Last seen running");
  const state = isStale ? staleLabel : taskStateLabel(task, execution);
  const attempt = task.attempts.at(-1);
  const name = shortName(task.taskId);
  const waits = execution.waiting?.taskId === task.taskId;
  const more = present(
    waits && askOf(execution),
    attempt !== undefined && attempt.number > 1 && l10n.t("attempt {0}", attempt.number),
    task.agent !== undefined && task.agent !== "" && shortName(task.agent),
  );
  return {
    label: name,
    description: [state, ...more].join(" · "),
    tooltip: [
      name,
      state,
      ...more,
      ...taskTimeLabels(task, execution),
      ...useLabels(taskTokenUse(task), prices),
    ],
    icon: isStale
      ? staleIcon(isInterrupted)
      : task.state === "pending"
        ? { id: "circle-large-outline" }
        : stateIcons[task.state],
    facts: present(
      "task",
      task.state,
      ...(waits ? answersTo(execution) : []).map(({ verb }) => verb),
      attempt?.output !== undefined && "output",
      attemptPairs({ tasks: [task] }).length > 0 && "attempts",
      canRunAgainFrom(execution) && "again",
    ).join(":"),
    sentence: l10n.t("Task {0}, {1}", name, [state, ...more].join(", ")),
  };
}

function situationOf(
  execution: ExecutionSummary,
  { isKickingOff, isInterrupted }: Circumstances,
): string {
  const task = waitingTask(execution);
  if (isKickingOff === true) return kickingOffLabel();
  if (isInterrupted === true) return interruptedLabel();
  const state = stateLabel(execution);
  return task === undefined ? state : l10n.t("{0} at task {1}", state, task);
}

/** What its group doesn't say. */
function stateIn(
  execution: ExecutionSummary,
  circumstances: Circumstances,
  group: GroupKind,
): string | undefined {
  const { isKickingOff, isInterrupted } = circumstances;
  const isUsual = isKickingOff !== true && isInterrupted !== true;
  const task = waitingTask(execution);
  if (isUsual && group === "waiting" && task !== undefined) return task;
  if (isUsual && group === "state" && execution.state !== "unknown") return undefined;
  return situationOf(execution, circumstances);
}

/** With its attempt from the second on. */
function waitingTask({ waiting }: ExecutionSummary): string | undefined {
  if (waiting === undefined) return undefined;
  const task = shortName(waiting.taskId);
  return waiting.attempt > 1 ? l10n.t("{0}, attempt {1}", task, waiting.attempt) : task;
}

/** What a flow still asks for. */
function askOf(execution: ExecutionSummary): string | undefined {
  const { waiting } = execution;
  const sent = pendingResume(execution) ?? answeredPause(execution);
  return waiting === undefined || sent !== undefined ? undefined : askLabel(waiting);
}

function warningsOf(execution: ExecutionSummary, { doubt }: Circumstances): readonly string[] {
  const pending = pendingResume(execution);
  const answered = answeredPause(execution) && l10n.t("answered, pause still reported");
  if (hasEnded(execution)) return present(answered);
  const { stop, watchingStoppedAt } = execution;
  return present(
    pending?.outcome === "sending" && l10n.t("sending feedback…"),
    pending?.outcome === "unanswered" && l10n.t("feedback may have been sent"),
    answered,
    isStopping(execution) && l10n.t("stopping…"),
    stop?.outcome === "unanswered" && l10n.t("request to stop may have been sent"),
    stop?.outcome === "ignored" && l10n.t("asked to stop, and goes on"),
    doubt?.short ?? (watchingStoppedAt && l10n.t("no longer watched")),
  );
}

function details({ request, error, pinned, ...execution }: ExecutionSummary): readonly string[] {
  const inputs = Object.entries(request?.inputs ?? {});
  return present(
    isRehearsal(execution) && rehearsalLabel(),
    pinned === true && l10n.t("Pinned: first in its group"),
    error !== undefined && l10n.t("Error: {0}", oneLine(error, max.error)),
    ...inputs.slice(0, max.inputs).map(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return l10n.t("{0}: {1}", shortName(name), oneLine(text, max.value));
    }),
    inputs.length > max.inputs && l10n.t("and {0} more inputs", inputs.length - max.inputs),
  );
}

function factsOf(execution: ExecutionSummary, circumstances: Circumstances): string {
  const { state, output, waiting, kickoffIds, request, pinned } = execution;
  const actions = [...answersTo(execution, circumstances), ...actionsOf(execution, circumstances)];
  return present(
    "execution",
    state,
    ...actions.map(({ verb }) => verb),
    hasEnded(execution) && "ended",
    (output ?? waiting?.output) !== undefined && "output",
    attemptPairs(execution).length > 0 && "attempts",
    kickoffIds.length > 0 && "id",
    request !== undefined && "request",
    pinned === true && "pinned",
  ).join(":");
}

/** What it does now isn't known. */
function isUnwatched(execution: ExecutionSummary, { doubt }: Circumstances): boolean {
  const { watchingStoppedAt } = execution;
  return !hasEnded(execution) && (doubt !== undefined || watchingStoppedAt !== undefined);
}

function staleIcon(isInterrupted = false): Icon {
  return isInterrupted ? { id: "warning", color: "list.warningForeground" } : { id: "eye-closed" };
}

function iconOf(execution: ExecutionSummary, circumstances: Circumstances): Icon {
  const { isKickingOff, isInterrupted } = circumstances;
  const { state } = execution;
  if (isKickingOff === true) return stateIcons.running;
  if (isInterrupted === true || (state === "running" && isUnwatched(execution, circumstances)))
    return staleIcon(isInterrupted);
  return mayWait(execution)
    ? { ...stateIcons.unknown, color: "list.warningForeground" }
    : stateIcons[state];
}

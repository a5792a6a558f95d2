import * as l10n from "@vscode/l10n";
import { defined } from "../../base/json.ts";
import { stateChanges, timeUse, unseenTasks, wholeTime } from "../../executions/durations.ts";
import type { Interruption } from "../../executions/interruptions.ts";
import { hasEnded, without } from "../../executions/model.ts";
import type { Execution, ExecutionSummary } from "../../executions/model.ts";
import type { SentResume, StateChange } from "../../executions/model.ts";
import { formatDuration, formatSpan, formatTime, interruptedLabel, present } from "../labels.ts";
import { startLabel, stateLabel } from "../labels.ts";
import { cellText, inlineName, inlineText, tableLines } from "./markdown.ts";
import type { Part } from "./sections.ts";

/** Until a person lets it continue. */
export type Interrupted = Pick<Interruption, "from"> & Partial<Interruption>;

/** Characters. */
const longestBar = 20;

export function timesPart(execution: ExecutionSummary): Part {
  const { endedAt } = execution;
  const whole = wholeTime(execution);
  const span = formatSpan((whole?.seconds ?? 0) * 1000);
  const lines = present(
    `- ${startLabel(execution)}`,
    endedAt && l10n.t("- Finished: {0}", formatTime(endedAt)),
    whole?.isByCrew === true && l10n.t("- Duration: {0} (reported by the crew)", span),
    whole?.isByCrew === false && l10n.t("- Duration: {0}", span),
  );
  const table = timeTable(execution);
  const parts = table.length === 0 ? [] : [{ id: "shares", lines: table }];
  return { id: "times", lines: [`## ${l10n.t("Times")}`, "", ...lines], parts };
}

/** The tasks' sections have single times. Text precedes the bar: a screen reader may skip that. */
function timeTable(execution: ExecutionSummary): string[] {
  const { tasks, waited, percents } = timeUse(execution);
  if (waited === undefined && tasks.filter(({ duration }) => duration !== undefined).length < 2)
    return [];
  const times = [
    ...tasks.map(({ taskId, duration }) => [
      cellText(taskId),
      duration === undefined ? l10n.t("not known") : formatDuration(duration),
    ]),
    ...(waited === undefined ? [] : [[`*${l10n.t("Waiting for you")}*`, formatDuration(waited)]]),
  ];
  const head = [l10n.t("Task"), l10n.t("Time")];
  if (percents === undefined) return tableLines([head, ...times]);
  // Even the smallest share is visible.
  const bar = (percent: number) => "█".repeat(Math.round((percent / 100) * longestBar)) || "▏";
  return tableLines([
    [...head, l10n.t("Share"), ""],
    ...times.map((row, at) => [...row, `${percents[at] ?? 0} %`, bar(percents[at] ?? 0)]),
  ]);
}

/** Undefined while only the start is known. */
export function historyPart(
  execution: Execution,
  interruptions: readonly Interrupted[] = [],
): Part | undefined {
  const { origin, startedAt, watchingStoppedAt, resumes } = execution;
  const changes = stateChanges(execution);
  const start = origin === "tracked" ? l10n.t("Tracked from here on") : l10n.t("Kicked off");
  const events = present(
    { at: startedAt, text: start },
    // Refused feedback changed nothing, and is shown with its output.
    ...resumes
      .filter(({ outcome }) => outcome !== "refused")
      .map((resume) => ({ at: resume.feedback.at, text: feedbackEvent(resume) })),
    ...changes.map((change, at) => ({
      at: change.at,
      text: changeEvent(change, execution, at === changes.length - 1 && hasEnded(execution)),
    })),
    ...interruptions.flatMap(({ from, to }) => [
      { at: iso(from), text: interruptedLabel() },
      ...(to === undefined ? [] : [{ at: iso(to), text: l10n.t("Continued") }]),
    ]),
    watchingStoppedAt !== undefined && {
      at: watchingStoppedAt,
      text: l10n.t("No longer watched"),
    },
  );
  if (events.length === 1) return undefined;
  const lines = events
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .map(({ at, text }) => `- ${formatTime(at)} – ${text}`);
  return { id: "history", lines: [`## ${l10n.t("History")}`, "", ...lines] };
}

function changeEvent(change: StateChange, execution: Execution, isEnd: boolean): string {
  const { notBefore, taskId, attempt, state, stateText, mayBeWaiting } = change;
  const then = {
    ...without(execution, "stateText", "mayBeWaiting"),
    state,
    ...defined({ stateText, mayBeWaiting }),
  };
  const label = inlineText(stateLabel(then));
  const task = inlineName(taskId ?? "");
  const withTask =
    attempt === undefined
      ? l10n.t("{0}: task {1}", label, task)
      : l10n.t("{0}: task {1}, attempt {2}", label, task, attempt);
  const text = taskId === undefined ? label : withTask;
  if (notBefore !== undefined)
    return l10n.t("{0} (at some time after {1})", text, formatTime(notBefore));
  const unseen = isEnd && execution.history !== undefined ? unseenTasks(execution) : [];
  return unseen.length === 0
    ? text
    : l10n.t(
        "{0}; completed without being seen running: {1}",
        text,
        unseen.map(inlineName).join(", "),
      );
}

function feedbackEvent({ taskId, attempt, feedback, outcome }: SentResume): string {
  const task = inlineName(taskId);
  const approvedOrRejected = feedback.isApprove
    ? l10n.t("You approved task {0}, attempt {1}", task, attempt)
    : l10n.t("You rejected task {0}, attempt {1}", task, attempt);
  const text =
    feedback.isAnswer === true
      ? l10n.t("You answered the flow at {0}, attempt {1}", task, attempt)
      : approvedOrRejected;
  return outcome === "unanswered" ? l10n.t("{0}; may have been sent", text) : text;
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

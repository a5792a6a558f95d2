import * as l10n from "@vscode/l10n";
import { defined } from "../base/json.ts";
import type { Activity } from "../executions/activity.ts";
import { interruptedAt, lastTimeIn, stateChanges, unseenTasks } from "../executions/times.ts";
import {
  type Execution,
  hasEnded,
  type SentResume,
  type StateChange,
  without,
} from "../executions/model.ts";
import type { Circumstances } from "./actions.ts";
import { inlineName, inlineText } from "./markdown.ts";
import { formatTime, interruptedLabel, present, stateLabel } from "./words.ts";

export interface HistoryEntry {
  /** ISO 8601. */
  readonly at: string;
  /** Markdown. */
  readonly text: string;
}

/** Oldest first. Empty while only the start is known. */
export function historyOf(
  execution: Execution,
  activity: Activity,
  { isInterrupted = false }: Circumstances,
): readonly HistoryEntry[] {
  const { origin, startedAt, watchingStoppedAt, resumes } = execution;
  const changes = stateChanges(execution);
  const start = origin === "tracked" ? l10n.t("Tracked from here on") : l10n.t("Kicked off");
  const entries = present<HistoryEntry>(
    { at: startedAt, text: start },
    // Refused feedback changed nothing, and is shown with its output.
    ...resumes
      .filter(({ outcome }) => outcome !== "refused")
      .map((resume) => ({ at: resume.feedback.at, text: feedbackEvent(resume) })),
    ...changes.map((change, at) => ({
      at: change.at,
      text: changeEvent(change, execution, at === changes.length - 1 && hasEnded(execution)),
    })),
    ...activity.interruptions.flatMap(({ from, to }) => [
      { at: iso(from), text: interruptedLabel() },
      { at: iso(to), text: l10n.t("Continued") },
    ]),
    // Of one that never began, nothing is known.
    isInterrupted &&
      lastTimeIn(activity) !== undefined && {
        at: iso(interruptedAt(execution, activity)),
        text: interruptedLabel(),
      },
    watchingStoppedAt !== undefined && {
      at: watchingStoppedAt,
      text: l10n.t("No longer watched"),
    },
  );
  return entries.length === 1
    ? []
    : entries.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
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

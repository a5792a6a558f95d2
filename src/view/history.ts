import * as l10n from "@vscode/l10n";
import type { Activity } from "../executions/activity.ts";
import { interruptedAt, lastTimeIn, stateChanges } from "../executions/times.ts";
import type { Execution, SentResume, StateChange } from "../executions/model.ts";
import type { Circumstances } from "./actions.ts";
import { inlineName, inlineText } from "./markdown.ts";
import { decisionIn } from "./tasks.ts";
import { formatTime, interruptedLabel, present, stateName } from "./words.ts";

/** Oldest first; `at` is ISO 8601, `text` Markdown. Empty while only the start is known. */
export function historyOf(
  execution: Execution,
  activity: Activity,
  { isInterrupted = false }: Circumstances,
): readonly { readonly at: string; readonly text: string }[] {
  const { origin, startedAt, resumes } = execution;
  const start = origin === "tracked" ? l10n.t("Tracked from here on") : l10n.t("Kicked off");
  const entries = present<{ at: string; text: string }>(
    { at: startedAt, text: start },
    // Refused feedback changed nothing, and is shown with its output.
    ...resumes
      .filter(({ outcome }) => outcome !== "refused")
      .map((resume) => ({ at: resume.feedback.at, text: feedbackEvent(resume) })),
    ...stateChanges(execution).map((change) => ({ at: change.at, text: changeEvent(change) })),
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
  );
  return entries.length === 1
    ? []
    : entries.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

function changeEvent({ notBefore, taskId, attempt, state, stateText }: StateChange): string {
  const label = state === "unknown" ? (stateText ?? stateName(state)) : stateName(state);
  const text = atTask(inlineText(label), taskId, attempt);
  return notBefore === undefined
    ? text
    : l10n.t("{0} (at some time after {1})", text, formatTime(notBefore));
}

function feedbackEvent({ taskId, attempt, feedback, outcome }: SentResume): string {
  const text = atTask(decisionIn(feedback).title, taskId, attempt);
  return outcome === "unanswered" ? l10n.t("{0}; may have been sent", text) : text;
}

function atTask(text: string, taskId: string | undefined, attempt: number | undefined): string {
  if (taskId === undefined) return text;
  return attempt === undefined
    ? l10n.t("{0}, task {1}", text, inlineName(taskId))
    : l10n.t("{0}, task {1}, attempt {2}", text, inlineName(taskId), attempt);
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

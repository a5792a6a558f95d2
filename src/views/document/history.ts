import * as l10n from "@vscode/l10n";
import { without, type Execution, type SentResume, type StateChange } from "../../executions/model.ts";
import { stateInWords, timeInWords } from "../words.ts";
import { inlineText } from "./markdown.ts";
import type { Part } from "./sections.ts";

/** Something that happened, and when: ISO 8601. */
interface Event {
  readonly at: string;
  readonly words: string;
}

/** What happened to an execution, in the order in which it was seen from here. Nothing before more is known than how it began. */
export function historyPart(execution: Execution): Part[] {
  const { origin, startedAt, watchingStoppedAt, resumes } = execution;
  const events: Event[] = [
    { at: startedAt, words: origin === "tracked" ? l10n.t("Followed from here on") : l10n.t("Kicked off") },
    ...changesOf(execution).map((change) => ({ at: change.at, words: changeInWords(change, execution) })),
    // What the crew refused stands below the output it was about; it changed nothing.
    ...resumes.filter(({ outcome }) => outcome !== "refused").map((resume) => ({ at: resume.feedback.at, words: feedbackInWords(resume) })),
    ...(watchingStoppedAt === undefined ? [] : [{ at: watchingStoppedAt, words: l10n.t("No longer watched") }]),
  ];
  if (events.length === 1) return [];
  const inOrder = events.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return [{ id: "history", lines: [`## ${l10n.t("History")}`, "", ...inOrder.map(({ at, words }) => `- ${timeInWords(at)} – ${words}`)] }];
}

/** The changes that were written down; of a record that an earlier version kept, the two that it knows. */
function changesOf({ history, state, waiting, endedAt }: Execution): readonly StateChange[] {
  if (history !== undefined) return history;
  if (waiting !== undefined) return [{ at: waiting.since, state, taskId: waiting.taskId, attempt: waiting.attempt }];
  return endedAt === undefined ? [] : [{ at: endedAt, state }];
}

function changeInWords({ state, stateText, mayBeWaiting, taskId, attempt, notBefore }: StateChange, execution: Execution): string {
  const then = { ...without(execution, "stateText", "mayBeWaiting"), state, ...(stateText === undefined ? {} : { stateText }), ...(mayBeWaiting === undefined ? {} : { mayBeWaiting }) };
  const word = inlineText(stateInWords(then));
  const task = inlineText(taskId ?? "");
  const what = taskId === undefined ? word : attempt === undefined ? l10n.t("{0}: task {1}", word, task) : l10n.t("{0}: task {1}, attempt {2}", word, task, attempt);
  return notBefore === undefined ? what : l10n.t("{0} (at some time after {1})", what, timeInWords(notBefore));
}

function feedbackInWords({ taskId, attempt, feedback, outcome }: SentResume): string {
  const task = inlineText(taskId);
  const what = feedback.isApprove ? l10n.t("You approved task {0}, attempt {1}", task, attempt) : l10n.t("You rejected task {0}, attempt {1}", task, attempt);
  return outcome === "unanswered" ? l10n.t("{0}; may have been sent", what) : what;
}

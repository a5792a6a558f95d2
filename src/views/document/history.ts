import * as l10n from "@vscode/l10n";
import { stateChanges, unseenTasks } from "../../executions/durations.ts";
import {
  hasEnded,
  without,
  type Execution,
  type SentResume,
  type StateChange,
} from "../../executions/model.ts";
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
    {
      at: startedAt,
      words: origin === "tracked" ? l10n.t("Followed from here on") : l10n.t("Kicked off"),
    },
    // What the crew refused stands below the output it was about; it changed nothing.
    ...resumes
      .filter(({ outcome }) => outcome !== "refused")
      .map((resume) => ({ at: resume.feedback.at, words: feedbackInWords(resume) })),
    ...stateChanges(execution).map((change, at, all) => ({
      at: change.at,
      words: changeInWords(change, execution, at === all.length - 1 && hasEnded(execution)),
    })),
    ...(watchingStoppedAt === undefined
      ? []
      : [{ at: watchingStoppedAt, words: l10n.t("No longer watched") }]),
  ];
  if (events.length === 1) return [];
  const inOrder = events.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return [
    {
      id: "history",
      lines: [
        `## ${l10n.t("History")}`,
        "",
        ...inOrder.map(({ at, words }) => `- ${timeInWords(at)} – ${words}`),
      ],
    },
  ];
}

function changeInWords(
  { state, stateText, mayBeWaiting, taskId, attempt, notBefore }: StateChange,
  execution: Execution,
  isEnd: boolean,
): string {
  const then = {
    ...without(execution, "stateText", "mayBeWaiting"),
    state,
    ...(stateText === undefined ? {} : { stateText }),
    ...(mayBeWaiting === undefined ? {} : { mayBeWaiting }),
  };
  const word = inlineText(stateInWords(then));
  const task = inlineText(taskId ?? "");
  const what =
    taskId === undefined
      ? word
      : attempt === undefined
        ? l10n.t("{0}: task {1}", word, task)
        : l10n.t("{0}: task {1}, attempt {2}", word, task, attempt);
  if (notBefore !== undefined)
    return l10n.t("{0} (at some time after {1})", what, timeInWords(notBefore));
  const unseen = isEnd && execution.history !== undefined ? unseenTasks(execution) : [];
  return unseen.length === 0
    ? what
    : l10n.t("{0}; done without being seen at work: {1}", what, unseen.map(inlineText).join(", "));
}

function feedbackInWords({ taskId, attempt, feedback, outcome }: SentResume): string {
  const task = inlineText(taskId);
  const what = feedback.isApprove
    ? l10n.t("You approved task {0}, attempt {1}", task, attempt)
    : l10n.t("You rejected task {0}, attempt {1}", task, attempt);
  return outcome === "unanswered" ? l10n.t("{0}; may have been sent", what) : what;
}

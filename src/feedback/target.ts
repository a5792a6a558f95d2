import * as l10n from "@vscode/l10n";
import { canBeAnswered, type Execution, type ExecutionSummary } from "../executions/model.ts";
import { attemptToAnswer, resumesOf } from "../executions/resumes.ts";
import type { FeedbackToSend } from "../sending/feedback.ts";
import type { DraftTarget } from "./drafts.ts";

export type ThreadSubject = Omit<FeedbackToSend, "text">;

export function targetOf({ execution, taskId }: ThreadSubject): DraftTarget {
  return { localId: execution.localId, taskId, attempt: attemptToAnswer(execution, taskId) };
}

export function isSameTarget(one: ThreadSubject, other: ThreadSubject): boolean {
  const [a, b] = [targetOf(one), targetOf(other)];
  return a.localId === b.localId && a.taskId === b.taskId && a.attempt === b.attempt;
}

/**
 * Whether the output no longer waits, by what is stored now; undefined is no longer tracked. For a person who answers anew, it waits as
 * long as the crew reports its pause.
 */
export function isOver(
  { execution, taskId, again }: ThreadSubject,
  current: ExecutionSummary | undefined,
): boolean {
  const isAnsweredAnew = again === true && current?.stillPaused?.taskId === taskId;
  if (current === undefined || !(canBeAnswered(current) || isAnsweredAnew)) return true;
  if (current.waiting !== undefined && current.waiting.taskId !== taskId) return true;
  return attemptToAnswer(current, taskId) !== attemptToAnswer(execution, taskId);
}

/** Whether this very text is among what was sent for the output, with or without an answer. */
export function isRecorded(
  subject: ThreadSubject,
  text: string,
  current: Execution | undefined,
): boolean {
  const sent = current === undefined ? [] : resumesOf(current, targetOf(subject));
  return sent.some(
    ({ feedback }) =>
      feedback.isApprove === subject.isApprove && (feedback.text === text || text.trim() === ""),
  );
}

export function crewAndHost({ crew }: Pick<Execution, "crew">): string {
  return `“${crew.name}” (${hostOf(crew.url)})`;
}

/**
 * The callbacks of the kickoff that are sent again with a resume, since crews don't carry them over (specification): "task → hooks.test".
 * Only their hosts, because whoever knows a callback's path may post to it.
 */
export function callbacksAgain({ request }: Pick<Execution, "request">): readonly string[] {
  const callbacks = request?.callbacks;
  const all: readonly (readonly [string, string | undefined])[] = [
    [l10n.t("task"), callbacks?.taskWebhookUrl],
    [l10n.t("step"), callbacks?.stepWebhookUrl],
    [l10n.t("crew"), callbacks?.crewWebhookUrl],
    [l10n.t("human input"), callbacks?.humanInputWebhook?.url ?? callbacks?.humanInputWebhookUrl],
    [l10n.t("events"), callbacks?.webhooks?.url],
  ];
  return all.flatMap(([name, url = ""]) => (url === "" ? [] : [`${name} → ${hostOf(url)}`]));
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

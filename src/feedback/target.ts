import * as l10n from "@vscode/l10n";
import { hostOf, shortAddress } from "../api/address.ts";
import { givenCallbacks } from "../api/callbacks.ts";
import { canBeAnswered, type Execution, type ExecutionSummary } from "../executions/model.ts";
import { attemptToAnswer, resumesOf } from "../executions/resumes.ts";
import type { FeedbackToSend } from "../sending/feedback.ts";
import type { DraftTarget } from "./drafts.ts";

export type ThreadSubject = Omit<FeedbackToSend, "text">;

interface TaskOfExecution {
  readonly execution: ExecutionSummary;
  readonly taskId: string;
}

/** The output that feedback is for, as the person saw the execution. */
export function targetOf({ execution, taskId }: TaskOfExecution): DraftTarget {
  return { localId: execution.localId, taskId, attempt: attemptToAnswer(execution, taskId) };
}

export function isSameTarget(one: TaskOfExecution, other: TaskOfExecution): boolean {
  const [a, b] = [targetOf(one), targetOf(other)];
  return a.localId === b.localId && a.taskId === b.taskId && a.attempt === b.attempt;
}

/** A reported pause waits when answering again. @param current undefined if untracked */
export function isOver(
  { execution, taskId, again }: ThreadSubject,
  current: ExecutionSummary | undefined,
): boolean {
  const isAnsweredAgain = again === true && current?.stillPaused?.taskId === taskId;
  if (current === undefined || !(canBeAnswered(current) || isAnsweredAgain)) return true;
  if (current.waiting !== undefined && current.waiting.taskId !== taskId) return true;
  return attemptToAnswer(current, taskId) !== attemptToAnswer(execution, taskId);
}

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

export function crewAndAddress({ crew }: Pick<Execution, "crew">): string {
  return `“${crew.name}” (${shortAddress(crew.url)})`;
}

/** Crews don't keep callbacks for a resume (specification). Hosts only: a path can be a secret. */
export function callbacksAgain({ request }: Pick<Execution, "request">): readonly string[] {
  const labels = {
    taskWebhookUrl: l10n.t("task"),
    stepWebhookUrl: l10n.t("step"),
    crewWebhookUrl: l10n.t("crew"),
    humanInputWebhookUrl: l10n.t("human input"),
    webhooks: l10n.t("events"),
  };
  const given = givenCallbacks(request?.callbacks ?? {});
  return given.map(({ name, address }) => `${labels[name]} → ${hostOf(address)}`);
}

import type { Execution, ExecutionSummary } from "../executions/model.ts";
import { attemptToAnswer, resumesOf } from "../executions/resumes.ts";
import type { DraftTarget } from "./drafts.ts";
import { wantsFeedback } from "./pending.ts";
import type { FeedbackToSend } from "../sending/feedback.ts";

/** What a thread is for. */
export type ThreadSubject = Omit<FeedbackToSend, "text">;

/** The output that a thread is about. */
export function targetOf({ execution, taskId }: ThreadSubject): DraftTarget {
  return { localId: execution.localId, taskId, attempt: attemptToAnswer(execution, taskId) };
}

/** Whether two threads would be about the same output. */
export function isSameOutput(one: ThreadSubject, other: ThreadSubject): boolean {
  const [a, b] = [targetOf(one), targetOf(other)];
  return a.localId === b.localId && a.taskId === b.taskId && a.attempt === b.attempt;
}

/**
 * Whether the output no longer waits, by what is stored now; nothing is stored of what is no longer tracked. For a person who answers anew
 * it waits as long as the crew reports its pause.
 */
export function isOver(
  { execution, taskId, again }: ThreadSubject,
  current: ExecutionSummary | undefined,
): boolean {
  const isAnsweredAnew = again === true && current?.stillPaused?.taskId === taskId;
  if (current === undefined || !(wantsFeedback(current) || isAnsweredAnew)) return true;
  if (current.waiting !== undefined && current.waiting.taskId !== taskId) return true;
  return attemptToAnswer(current, taskId) !== attemptToAnswer(execution, taskId);
}

/** Whether these very words are among what was sent for the output, with or without an answer. */
export function isWrittenDown(
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

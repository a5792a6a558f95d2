import { hasEnded, type Execution, type SentResume } from "../executions/model.ts";
import { resumesOf } from "../executions/resumes.ts";

/**
 * Feedback for what waits now that has left, or was about to, and has no answer: actions are off meanwhile. For an execution
 * that only may be waiting, the last thing that was sent counts. Where it has ended nothing is in doubt: its end may be seen
 * before the answer, or instead of one that a crash took.
 */
export function pendingResume(execution: Execution): SentResume | undefined {
  if (hasEnded(execution)) return undefined;
  const sent = execution.waiting === undefined ? execution.resumes : resumesOf(execution, execution.waiting);
  const last = sent.at(-1);
  return last?.outcome === "sending" || last?.outcome === "unanswered" ? last : undefined;
}

/** Whether a person can be of use: a task waits, or may. */
export function wantsFeedback(execution: Execution): boolean {
  return execution.state === "waiting" || (execution.state === "unknown" && execution.mayBeWaiting === true);
}

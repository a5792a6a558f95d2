import { hasEnded, type ExecutionSummary, type ResumeSummary } from "../executions/model.ts";
import { answeredPause, resumesOf, unfollowed } from "../executions/resumes.ts";

/**
 * Feedback for what waits now that has left, or was about to, and has no answer: actions are off meanwhile. For an execution
 * that only may be waiting, the last thing that was sent counts. Where it has ended nothing is in doubt: its end may be seen
 * before the answer, or instead of one that a crash took.
 */
export function pendingResume(execution: ExecutionSummary): ResumeSummary | undefined {
  if (hasEnded(execution)) return undefined;
  const sent =
    execution.waiting === undefined ? execution.resumes : resumesOf(execution, execution.waiting);
  const last = sent.at(-1);
  return last?.outcome === "sending" || last?.outcome === "unanswered" ? last : undefined;
}

/** Feedback that a person may have sent once more, word for word: it has no answer, or the crew took it and still reports the pause. */
export function repeatable(execution: ExecutionSummary): ResumeSummary | undefined {
  const pending = pendingResume(execution);
  return pending === undefined
    ? answeredPause(execution)
    : pending.outcome === "unanswered"
      ? pending
      : undefined;
}

/** Feedback for a task that the crew took, where the output that waits may be the same: a person who answers it anew must know. */
export function takenBefore(
  execution: ExecutionSummary,
  taskId: string,
): ResumeSummary | undefined {
  const isPauseKnown = execution.waiting !== undefined || execution.stillPaused !== undefined;
  const taken = isPauseKnown ? answeredPause(execution) : unfollowed(execution, taskId);
  return taken?.taskId === taskId ? taken : undefined;
}

/** Whether a person can be of use: a task waits, or may. */
export function wantsFeedback(execution: ExecutionSummary): boolean {
  return (
    execution.state === "waiting" ||
    (execution.state === "unknown" && execution.mayBeWaiting === true)
  );
}

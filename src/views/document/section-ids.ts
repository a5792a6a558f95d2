import type { AttemptSummary, ExecutionSummary, TaskSummary } from "../../executions/model.ts";

/** Id of a task's section. */
export function taskSection(taskId: string): string {
  return `task ${taskId}`;
}

/** Id of the section of one of a task's attempts, which counts from 1. */
export function attemptSection(taskId: string, attempt: number): string {
  return `${taskSection(taskId)} attempt ${attempt}`;
}

/** Id of the section of what a person said of an attempt, the first, second… time. */
export function feedbackSection(taskId: string, attempt: number, time: number): string {
  return `${attemptSection(taskId, attempt)} feedback ${time}`;
}

/** Id of the section under which feedback is given when the waiting task is not known. */
export const mayBeWaitingSection = "may be waiting";

/** Whether a task has one output that no person looked at: it needs no heading of its own and stands below the task's. */
export function isOnlyAttempt(
  attempt: AttemptSummary,
  { taskId, attempts, state }: TaskSummary,
  { resumes }: ExecutionSummary,
): boolean {
  const isAnswered =
    attempt.feedback !== undefined ||
    resumes.some((resume) => resume.taskId === taskId && resume.attempt === attempt.number);
  return attempts.length === 1 && !isAnswered && state !== "waiting";
}

/** Id of the section of what an execution brought in the end. */
export const resultSection = "result";

import type { ExecutionSummary } from "../executions/model.ts";

/** Whether an execution waits for feedback, or may: a deployed crew no longer knows the id of one that waits. */
export function waitsForYou(execution: ExecutionSummary): boolean {
  return execution.state === "waiting" || (mayWait(execution) && !isNeverSeen(execution));
}

/** Whether the crew has never known a tracked id: it is more likely mistyped, or another crew's, than waiting. */
export function isNeverSeen(execution: ExecutionSummary): boolean {
  const { origin, seenAt, progress, tasks, resumes } = execution;
  const wasSeen =
    seenAt !== undefined ||
    progress !== undefined ||
    tasks.length > 0 ||
    resumes.some(({ outcome }) => outcome === "answered");
  return origin === "tracked" && mayWait(execution) && !wasSeen;
}

function mayWait({ state, mayBeWaiting }: ExecutionSummary): boolean {
  return state === "unknown" && mayBeWaiting === true;
}

/** Executions that need attention, newest first. */
export interface ActiveExecutions {
  readonly waiting: readonly ExecutionSummary[];
  /** Queued or running, and still polled. */
  readonly running: readonly ExecutionSummary[];
}

export function activeOf(executions: readonly ExecutionSummary[]): ActiveExecutions {
  const runs = ({ state, watchingStoppedAt }: ExecutionSummary) =>
    (state === "queued" || state === "running") && watchingStoppedAt === undefined;
  return { waiting: executions.filter(waitsForYou), running: executions.filter(runs) };
}

/** The one execution that waits, or if none does, that runs; undefined if there are several or none. */
export function theOne({ waiting, running }: ActiveExecutions): ExecutionSummary | undefined {
  const first = waiting.length > 0 ? waiting : running;
  return first.length === 1 ? first[0] : undefined;
}

/** The execution that has waited longest; of several, the one started first. */
export function longestWaiting(
  executions: readonly ExecutionSummary[],
): ExecutionSummary | undefined {
  const since = ({ waiting, startedAt }: ExecutionSummary) =>
    `${waiting?.since ?? startedAt} ${startedAt}`;
  return executions.filter(waitsForYou).sort((a, b) => (since(a) < since(b) ? -1 : 1))[0];
}

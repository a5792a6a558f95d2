import { type ExecutionSummary, waitsForPerson } from "../executions/model.ts";

export interface ActiveExecutions {
  readonly waiting: readonly ExecutionSummary[];
  /** Queued or running, and still polled. */
  readonly running: readonly ExecutionSummary[];
}

export function activeOf(executions: readonly ExecutionSummary[]): ActiveExecutions {
  const runs = ({ state, watchingStoppedAt }: ExecutionSummary) =>
    (state === "queued" || state === "running") && watchingStoppedAt === undefined;
  return { waiting: executions.filter(waitsForPerson), running: executions.filter(runs) };
}

/** The only one that waits or, if none does, runs. */
export function theOne({ waiting, running }: ActiveExecutions): ExecutionSummary | undefined {
  const first = waiting.length > 0 ? waiting : running;
  return first.length === 1 ? first[0] : undefined;
}

/** Ties: the one started first. */
export function longestWaiting(
  executions: readonly ExecutionSummary[],
): ExecutionSummary | undefined {
  const since = ({ waiting, startedAt }: ExecutionSummary) =>
    `${waiting?.since ?? startedAt} ${startedAt}`;
  return executions.filter(waitsForPerson).sort((a, b) => (since(a) < since(b) ? -1 : 1))[0];
}

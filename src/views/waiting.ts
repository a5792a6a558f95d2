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

/** Oldest first. Ties: the one started first. */
export function toReview(executions: readonly ExecutionSummary[]): readonly ExecutionSummary[] {
  const since = ({ waiting, startedAt }: ExecutionSummary) =>
    `${waiting?.since ?? startedAt} ${startedAt}`;
  return executions.filter(waitsForPerson).sort((a, b) => (since(a) < since(b) ? -1 : 1));
}

/** After or before `current` in {@link toReview}, around its ends. Undefined if nothing else waits. */
export function nextToReview(
  executions: readonly ExecutionSummary[],
  current: string | undefined,
  step: 1 | -1,
): ExecutionSummary | undefined {
  const all = toReview(executions);
  const at = all.findIndex(({ localId }) => localId === current);
  const next = all.at(at === -1 ? Math.min(0, step) : (at + step) % all.length);
  return next?.localId === current ? undefined : next;
}

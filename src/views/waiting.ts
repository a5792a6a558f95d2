import { type Crew, isInterrupted } from "../crews/types.ts";
import { type ExecutionSummary, toReview, waitsForPerson } from "../executions/model.ts";

export interface ActiveExecutions {
  readonly waiting: readonly ExecutionSummary[];
  /** Queued or running, still polled and not interrupted. */
  readonly running: readonly ExecutionSummary[];
}

export function activeOf(
  executions: readonly ExecutionSummary[],
  crews: readonly Crew[],
): ActiveExecutions {
  const crewsById = new Map(crews.map((crew) => [crew.id, crew]));
  const runs = ({ state, watchingStoppedAt, crew, kickoffIds }: ExecutionSummary) =>
    (state === "queued" || state === "running") &&
    watchingStoppedAt === undefined &&
    !isInterrupted(crewsById.get(crew.id), kickoffIds);
  return { waiting: executions.filter(waitsForPerson), running: executions.filter(runs) };
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

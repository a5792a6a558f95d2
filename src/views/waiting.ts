import { type Crew, isInterrupted } from "../crews/types.ts";
import { type ExecutionSummary, waitsForPerson } from "../executions/model.ts";

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

/** The only one that waits or, if none does, runs. */
export function theOne({ waiting, running }: ActiveExecutions): ExecutionSummary | undefined {
  const first = waiting.length > 0 ? waiting : running;
  return first.length === 1 ? first[0] : undefined;
}

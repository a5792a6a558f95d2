import { type ExecutionSummary, waitsForPerson } from "../executions/model.ts";

/** The executions that something is going on with, newest first. */
export interface ActiveExecutions {
  /** Somebody is needed: they wait, or may be waiting as a crew that tells no more reads. */
  readonly waiting: readonly ExecutionSummary[];
  /** Queued or at work, and watched. */
  readonly running: readonly ExecutionSummary[];
}

/** Sorts out what runs and what waits. What polling gave up by age is neither: nobody knows. */
export function activeOf(executions: readonly ExecutionSummary[]): ActiveExecutions {
  return { waiting: executions.filter(waitsForPerson), running: executions.filter(runs) };
}

/** The one that a click leads to without asking: what waits comes first. Nothing where there is none, or a choice. */
export function theOne({ waiting, running }: ActiveExecutions): ExecutionSummary | undefined {
  const first = waiting.length > 0 ? waiting : running;
  return first.length === 1 ? first[0] : undefined;
}

function runs({ state, watchingStoppedAt }: ExecutionSummary): boolean {
  return (state === "queued" || state === "running") && watchingStoppedAt === undefined;
}

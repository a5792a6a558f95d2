import type { ExecutionSummary } from "./model.ts";

/** Two outputs of one task, one after the other. Attempts count from 1. */
export interface AttemptPair {
  readonly taskId: string;
  readonly previous: number;
  readonly attempt: number;
}

/** Every attempt that can be held against the one before it, in the order of the tasks, oldest first. An attempt whose output is not known is skipped. */
export function attemptPairs({ tasks }: Pick<ExecutionSummary, "tasks">): readonly AttemptPair[] {
  return tasks.flatMap(({ taskId, attempts }) => {
    const told = attempts.filter(({ output }) => output !== undefined).map(({ number }) => number);
    return told.flatMap((attempt, at) => {
      const previous = told[at - 1];
      return previous === undefined ? [] : [{ taskId, previous, attempt }];
    });
  });
}

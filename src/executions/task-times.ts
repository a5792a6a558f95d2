import { defined } from "../base/json.ts";
import { type Activity, activityOf, type KeptEvents } from "./activity.ts";
import type { Execution, TaskTimes } from "./model.ts";
import { modelTokens, sumOfTokens } from "./tokens.ts";

/** By task ID: how long each task worked and waited, and its tokens. Without work that has not ended. */
export function taskTimes({ spans, interruptions }: Activity): ReadonlyMap<string, TaskTimes> {
  const waits = spans.filter(({ kind }) => kind === "wait");
  const hasAttempts = new Set(
    spans.filter(({ kind }) => kind === "attempt").map(({ parentId }) => parentId),
  );
  const works = spans.filter(
    ({ kind, id }) => kind === "attempt" || (kind === "task" && !hasAttempts.has(id)),
  );
  const all = Map.groupBy(spans, ({ taskId }) => taskId);
  const waitsOf = Map.groupBy(waits, ({ taskId }) => taskId);
  const times = [...Map.groupBy(works, ({ taskId }) => taskId)].flatMap(([taskId, own]) => {
    if (taskId === undefined) return [];
    const ownWaits = waitsOf.get(taskId) ?? [];
    // Of those that were seen by polling, some may be missing.
    const reported = ownWaits.filter(({ isSeen }) => isSeen !== true);
    const waited = reported.map(({ start, end = start }) => end - start);
    // A deployed crew may wait inside its task.
    const worked = own.map(({ start, end = NaN }) => {
      const inside = ownWaits.map(
        (wait) => Math.min(end, wait.end ?? end) - Math.max(start, wait.start),
      );
      const idle = interruptions.map(({ from, to }) => Math.min(end, to) - Math.max(start, from));
      return end - start - total([...inside, ...idle].map((each) => Math.max(0, each)));
    });
    const seconds = total(worked) / 1000;
    const models = modelTokens(all.get(taskId) ?? []);
    const entry = defined({
      worked: Number.isNaN(seconds) ? undefined : seconds,
      waited: total(waited) === 0 ? undefined : total(waited) / 1000,
      tokens: sumOfTokens(own.map((span) => span.tokens)),
      models: models.length === 0 ? undefined : models,
    });
    return [[taskId, entry] as const];
  });
  return new Map(times);
}

/** With the times of its tasks and the tokens of its models, if its crew reports events. */
export function withTimes(execution: Execution, kept: KeptEvents): Execution {
  if (kept.events.length === 0) return execution;
  const activity = activityOf(execution, kept);
  const times = taskTimes(activity);
  const models = modelTokens(activity.spans);
  const tasks = execution.tasks.map((task) => ({
    ...task,
    ...defined({ times: times.get(task.taskId) ?? task.times }),
  }));
  return { ...execution, tasks, ...(models.length > 0 && { models }) };
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

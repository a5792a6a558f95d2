import type { Execution, ExecutionTask, StateChange } from "../../executions/model.ts";

/** How long a task worked. */
export interface TaskTime {
  readonly taskId: string;
  readonly seconds: number;
  /** Whether it was seen from here, and not told by the crew: polling sees a change some seconds late. */
  readonly isAbout: boolean;
  /** Its share of the time of all tasks, in whole per cent; the shares add up to 100. */
  readonly percent: number;
}

/**
 * How long each task worked that is over, in the tasks' order: as the crew tells, else, and for more than one attempt, as it was seen from here. Nothing unless it is
 * known of all of them, since shares of a part would mislead, and nothing of a single one.
 */
export function taskTimes(execution: Execution): readonly TaskTime[] {
  const { tasks, progress } = execution;
  const over = tasks.filter(({ state }) => state === "completed" || state === "failed");
  const known = over.flatMap((task) => timeOf(task, execution) ?? []);
  const isPart = known.length < over.length || (progress?.unit === "task" && progress.completed > over.length);
  const total = known.reduce((sum, { seconds }) => sum + seconds, 0);
  if (isPart || known.length < 2 || total === 0) return [];
  const percents = wholePercents(known.map(({ seconds }) => seconds / total));
  return known.map((time, at) => ({ ...time, percent: percents[at] ?? 0 }));
}

function timeOf({ taskId, executionTime, attempts }: ExecutionTask, { history = [], endedAt }: Execution): Omit<TaskTime, "percent"> | undefined {
  // A crew tells the time of the last attempt alone (observed).
  if (executionTime !== undefined && attempts.length < 2) return { taskId, seconds: executionTime, isAbout: false };
  const spans = history.flatMap((change, at) => (change.state === "running" && change.taskId === taskId ? [spanOf(change, history[at + 1], endedAt)] : []));
  const seconds = spans.reduce<number | undefined>((sum, span) => (sum === undefined || span === undefined ? undefined : sum + span), 0);
  return seconds === undefined || spans.length === 0 ? undefined : { taskId, seconds, isAbout: true };
}

/** Seconds from one change to the next; undefined where one of them was seen long after it happened. */
function spanOf(change: StateChange, next: StateChange | undefined, endedAt: string | undefined): number | undefined {
  const end = next?.at ?? endedAt;
  if (end === undefined || change.notBefore !== undefined || next?.notBefore !== undefined) return undefined;
  return Math.max(0, (Date.parse(end) - Date.parse(change.at)) / 1000);
}

/** Shares of a whole as whole per cent that add up to 100: those with the largest rests are rounded up. */
function wholePercents(shares: readonly number[]): readonly number[] {
  const floors = shares.map((share) => Math.floor(share * 100));
  const missing = 100 - floors.reduce((sum, floor) => sum + floor, 0);
  const byRest = shares.map((share, at) => ({ at, rest: share * 100 - (floors[at] ?? 0) })).sort((a, b) => b.rest - a.rest);
  const raised = new Set(byRest.slice(0, missing).map(({ at }) => at));
  return floors.map((floor, at) => (raised.has(at) ? floor + 1 : floor));
}

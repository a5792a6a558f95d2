import { defined } from "../base/json.ts";
import type { Activity } from "./activity.ts";
import {
  type Execution,
  type ExecutionSummary,
  hasEnded,
  mayWait,
  type ResumeSummary,
  type StateChange,
  type TaskSummary,
  type TaskTimes,
} from "./model.ts";
import { modelTokens, sumOfTokens } from "./tokens.ts";

/** Shorter measured times are unknown, since polling may pause for a minute (s). */
const shortestSeen = 60;

export interface Duration {
  readonly seconds: number;
  /** Reported by the crew; otherwise measured here. */
  readonly isByCrew: boolean;
}

export function wholeTime(execution: ExecutionSummary): Duration | undefined {
  const { origin, startedAt, endedAt, executionTime, tasks } = execution;
  if (!hasEnded(execution)) return undefined;
  const waited = waitedFor(execution);
  const worked = total(tasks.map((task) => task.executionTime ?? 0));
  // A crew may leave out the time it waited for a person.
  if (executionTime !== undefined && (!waited || executionTime >= waited.seconds + worked))
    return { seconds: executionTime, isByCrew: true };
  const isSeenLate = execution.history?.at(-1)?.notBefore !== undefined;
  if (origin === "tracked" || endedAt === undefined || isSeenLate) return undefined;
  return measured([(Date.parse(endedAt) - Date.parse(startedAt)) / 1000]);
}

/** How long a completed or failed task worked, all attempts together, if known. */
export function taskTime(task: TaskSummary, execution: ExecutionSummary): Duration | undefined {
  const { taskId, executionTime, attempts, times } = task;
  if (!isDone(task)) return undefined;
  if (times?.worked !== undefined) return { seconds: times.worked, isByCrew: true };
  const isRejected = ({ feedback, outcome, ...resume }: ResumeSummary) =>
    resume.taskId === taskId && !feedback.isApprove && outcome === "answered";
  // A crew reports only the last attempt's time (observed).
  if (executionTime !== undefined && attempts.length <= 1 && !execution.resumes.some(isRejected))
    return { seconds: executionTime, isByCrew: true };
  if (!hasEnded(execution)) return undefined;
  const own = workPeriods(execution).filter((period) => period.taskId === taskId);
  return measured(own.map(secondsOf), shortestSeen);
}

export function taskWait(
  { taskId, times }: TaskSummary,
  execution: ExecutionSummary,
): Duration | undefined {
  if (times?.waited !== undefined) return { seconds: times.waited, isByCrew: true };
  return measured(endedOf(pauses(execution).filter((pause) => pause.taskId === taskId)), 1);
}

/** `tasks` in their order: before the end, only those with a known time. `waited` for a person, in all pauses together. */
export function timeUse(execution: ExecutionSummary) {
  const done = execution.tasks.filter(isDone).map((task) => ({
    taskId: task.taskId,
    duration: taskTime(task, execution),
  }));
  const tasks = hasEnded(execution) ? done : done.filter(({ duration }) => duration !== undefined);
  return { tasks, waited: waitedFor(execution) };
}

function isDone({ state }: TaskSummary): boolean {
  return state === "completed" || state === "failed";
}

/** All together; undefined if one is unknown, or all are shorter than `shortest` (s). */
function measured(seconds: readonly (number | undefined)[], shortest = 0): Duration | undefined {
  const sum = total(seconds.map((each = NaN) => each));
  return sum >= shortest ? { seconds: sum, isByCrew: false } : undefined;
}

export function stateChanges(execution: ExecutionSummary): readonly StateChange[] {
  const { history, state, waiting, endedAt } = execution;
  if (history !== undefined) return history;
  if (waiting !== undefined)
    return [{ at: waiting.since, state, taskId: waiting.taskId, attempt: waiting.attempt }];
  return endedAt === undefined ? [] : [{ at: endedAt, state }];
}

/** Work on a task or a pause, as seen by polling. */
export interface Period {
  readonly taskId?: string;
  readonly attempt?: number;
  readonly from: number;
  readonly to?: number;
  /** Its length is not known: a change was seen long after it happened, or never. */
  readonly isVague?: true;
  readonly isApprove?: boolean;
}

export function workPeriods(execution: ExecutionSummary): readonly Period[] {
  const changes = stateChanges(execution);
  const end = execution.endedAt === undefined ? undefined : { at: execution.endedAt };
  return changes.flatMap((change, at) => {
    const isWork = change.state === "running" && change.taskId !== undefined;
    return isWork ? [periodOf(change, changes[at + 1] ?? end)] : [];
  });
}

export function pauses(execution: ExecutionSummary): readonly Period[] {
  const changes = stateChanges(execution);
  const answers = execution.resumes.filter(({ outcome }) => outcome === "answered");
  return changes.flatMap((change, at): Period[] => {
    if (change.state !== "waiting" && !mayWait(change)) return [];
    const [from, next] = [Date.parse(change.at), changes[at + 1]];
    const answer = answers.findLast(({ taskId, attempt, feedback }) => {
      const sent = Date.parse(feedback.at);
      const isOfThis = taskId === change.taskId && attempt === change.attempt;
      const isInside = next !== undefined && sent <= Date.parse(next.at);
      // An answer proves that there was a pause.
      return isInside && (isOfThis || (mayWait(change) && sent >= from));
    });
    if (answer === undefined)
      return [mayWait(change) ? { from, isVague: true } : periodOf(change, next)];
    const { taskId, attempt, feedback } = answer;
    const isApprove = feedback.isAnswer === true ? undefined : feedback.isApprove;
    return [{ ...periodOf(change, feedback), taskId, attempt, ...defined({ isApprove }) }];
  });
}

function waitedFor(execution: ExecutionSummary): Duration | undefined {
  const byCrew = execution.tasks.flatMap(({ times }) => times?.waited ?? []);
  if (byCrew.length === 0) return measured(endedOf(pauses(execution)), 1);
  return { seconds: total(byCrew), isByCrew: true };
}

function endedOf(periods: readonly Period[]): readonly (number | undefined)[] {
  return periods.filter(({ to, isVague }) => to !== undefined || isVague).map(secondsOf);
}

function periodOf(
  change: StateChange,
  next: Pick<StateChange, "at" | "notBefore"> | undefined,
): Period {
  const { taskId, attempt, at, notBefore } = change;
  const isVague = notBefore !== undefined || next?.notBefore !== undefined;
  const to = next === undefined ? undefined : Math.max(Date.parse(at), Date.parse(next.at));
  return { from: Date.parse(at), ...defined({ taskId, attempt, to }), ...(isVague && { isVague }) };
}

function secondsOf({ from, to, isVague }: Period): number | undefined {
  return to === undefined || isVague === true ? undefined : (to - from) / 1000;
}

type Happened = Pick<Activity, "spans" | "marks">;

export function lastTimeIn({ spans, marks }: Happened): number | undefined {
  const times = [...spans.map(({ start, end = start }) => end), ...marks.map(({ at }) => at)];
  return times.reduce<number | undefined>((last = -Infinity, at) => Math.max(last, at), undefined);
}

/** When it was last seen at work: its last change of state, or its last event if known (ms since 1970). */
export function interruptedAt(
  { startedAt, history }: ExecutionSummary,
  { spans, marks }: Happened = { spans: [], marks: [] },
): number {
  const change = history?.at(-1);
  // The crew's own span and its queue's begin when the kickoff is sent, by another clock.
  const own = spans.filter(({ kind }) => kind !== "crew" && kind !== "queue");
  return Math.max(
    Date.parse(change?.notBefore ?? change?.at ?? startedAt),
    lastTimeIn({ spans: own, marks }) ?? -Infinity,
  );
}

/** By task ID: how long each task worked and waited, and its tokens. Without work that has not ended. */
export function taskTimes({ spans, interruptions }: Activity): ReadonlyMap<string, TaskTimes> {
  const times = [...Map.groupBy(spans, ({ taskId }) => taskId)].flatMap(([taskId, own]) => {
    const attempts = own.filter(({ kind }) => kind === "attempt");
    const grouped = new Set(attempts.map(({ parentId }) => parentId));
    const works = [
      ...attempts,
      ...own.filter(({ kind, id }) => kind === "task" && !grouped.has(id)),
    ];
    if (taskId === undefined || works.length === 0) return [];
    const waits = own.filter(({ kind }) => kind === "wait");
    // Of those that were seen by polling, some may be missing.
    const reported = waits.filter(({ isSeen }) => isSeen !== true);
    const waited = total(reported.map(({ start, end = start }) => end - start)) / 1000;
    // A deployed crew may wait inside its task.
    const idle = [...waits, ...interruptions.map(({ from, to }) => ({ start: from, end: to }))];
    const worked = works.map(({ start, end = NaN }) => {
      const inside = idle.map(
        (each) => Math.min(end, each.end ?? end) - Math.max(start, each.start),
      );
      return end - start - total(inside.map((each) => Math.max(0, each)));
    });
    const seconds = total(worked) / 1000;
    const models = modelTokens(own);
    const entry = defined({
      worked: Number.isNaN(seconds) ? undefined : seconds,
      waited: waited === 0 ? undefined : waited,
      tokens: sumOfTokens(works.map((span) => span.tokens)),
      models: models.length === 0 ? undefined : models,
    });
    return [[taskId, entry] as const];
  });
  return new Map(times);
}

export function withTimes(execution: Execution, activity: Activity): Execution {
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

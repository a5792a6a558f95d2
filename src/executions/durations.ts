import { defined } from "../base/json.ts";
import { hasEnded, mayWait } from "./model.ts";
import type { ExecutionSummary, ResumeSummary, StateChange, TaskSummary } from "./model.ts";

/** Shorter measured times are unknown, since polling may pause for a minute (s). */
const shortestSeen = 60;

/** Per cent of the time. Shares are compared only if two of them have this much. */
const smallestShare = 5;

export interface Duration {
  readonly seconds: number;
  /** Reported by the crew; otherwise measured here. */
  readonly isByCrew: boolean;
}

interface TaskDuration {
  readonly taskId: string;
  readonly duration?: Duration;
}

interface TimeUse {
  /** In task order. Before the end, only those with a known time. */
  readonly tasks: readonly TaskDuration[];
  /** Time spent waiting for a person, all pauses together. */
  readonly waited?: Duration;
  /** In whole per cent: of each task, then of the pauses. Undefined unless all times are known. */
  readonly percents?: readonly number[];
}

export function wholeTime(execution: ExecutionSummary): Duration | undefined {
  const { origin, startedAt, endedAt, executionTime } = execution;
  if (!hasEnded(execution)) return undefined;
  const isSeenLate = execution.history?.at(-1)?.notBefore !== undefined;
  const seen =
    origin === "tracked" || endedAt === undefined || isSeenLate
      ? undefined
      : secondsBetween(startedAt, endedAt);
  const waited = waitedFor(execution);
  const worked = execution.tasks.reduce((sum, task) => sum + (task.executionTime ?? 0), 0);
  // A crew may leave out the time it waited for a person.
  if (executionTime !== undefined && (!waited || executionTime >= waited.seconds + worked))
    return { seconds: executionTime, isByCrew: true };
  return measured(seen, 0);
}

/** How long a completed or failed task worked, all attempts together, if known. */
export function taskTime(
  { taskId, state, executionTime, attempts, times }: TaskSummary,
  execution: ExecutionSummary,
): Duration | undefined {
  if (state !== "completed" && state !== "failed") return undefined;
  if (times?.worked !== undefined) return { seconds: times.worked, isByCrew: true };
  const isDoneAgain =
    attempts.length > 1 ||
    execution.resumes.some(
      (resume) =>
        resume.taskId === taskId && !resume.feedback.isApprove && resume.outcome === "answered",
    );
  // A crew reports only the last attempt's time (observed).
  if (executionTime !== undefined && !isDoneAgain)
    return { seconds: executionTime, isByCrew: true };
  if (!hasEnded(execution)) return undefined;
  const seconds = workPeriods(execution).filter((period) => period.taskId === taskId);
  return measured(sumOf(seconds.map(secondsOf)), shortestSeen);
}

/** How long a task has waited for a person, in pauses that have ended, if known. */
export function taskWait(
  { taskId, times }: TaskSummary,
  execution: ExecutionSummary,
): Duration | undefined {
  if (times?.waited !== undefined) return { seconds: times.waited, isByCrew: true };
  const own = pauses(execution).filter((pause) => pause.taskId === taskId);
  return measured(sumOf(endedOf(own)), 1);
}

function measured(seconds: number | undefined, shortest: number): Duration | undefined {
  return seconds === undefined || seconds < shortest ? undefined : { seconds, isByCrew: false };
}

export function timeUse(execution: ExecutionSummary): TimeUse {
  const isEnd = hasEnded(execution);
  const all = execution.tasks
    .filter(({ state }) => state === "completed" || state === "failed")
    .map((task): TaskDuration => ({
      taskId: task.taskId,
      ...defined({ duration: taskTime(task, execution) }),
    }));
  const waited = waitedFor(execution);
  return {
    tasks: isEnd ? all : all.filter(({ duration }) => duration !== undefined),
    ...defined({ waited, percents: isEnd ? percentsOf(execution, all, waited) : undefined }),
  };
}

/** A crew that lags behind an approval may still report that the approved task runs: it doesn't. */
export function stateChanges(execution: ExecutionSummary): readonly StateChange[] {
  const { history, state, waiting, endedAt } = execution;
  if (history === undefined) {
    if (waiting !== undefined)
      return [{ at: waiting.since, state, taskId: waiting.taskId, attempt: waiting.attempt }];
    return endedAt === undefined ? [] : [{ at: endedAt, state }];
  }
  const changes: StateChange[] = [];
  for (const change of history) {
    const isStale = change.state === "running" && isApprovedBefore(execution, change);
    const last = changes.at(-1);
    const isRedundant = isStale && last?.state === "running" && last.taskId === undefined;
    if (!isRedundant) changes.push(isStale ? defined({ ...change, taskId: undefined }) : change);
  }
  return changes;
}

export function unseenTasks(execution: ExecutionSummary): readonly string[] {
  const seen = new Set(stateChanges(execution).map(({ taskId }) => taskId));
  const sent = new Set(execution.resumes.map(({ taskId }) => taskId));
  return execution.tasks
    .filter(({ taskId, state }) => state === "completed" && !seen.has(taskId) && !sent.has(taskId))
    .map(({ taskId }) => taskId);
}

function isApprovedBefore({ resumes }: ExecutionSummary, { taskId, at }: StateChange): boolean {
  const sent = resumes.filter((each) => each.taskId === taskId && each.outcome === "answered");
  return sent.some(
    ({ feedback }) => feedback.isApprove && Date.parse(feedback.at) <= Date.parse(at),
  );
}

/** Work on a task or a pause, as seen by polling. */
export interface Period {
  readonly taskId?: string;
  readonly attempt?: number;
  /** Milliseconds since 1970. */
  readonly from: number;
  /** Undefined while it lasts. */
  readonly to?: number;
  /** Its length is not known: a change was seen long after it happened, or never. */
  readonly isVague?: true;
  /** Of a pause that a person ended from here. */
  readonly isApprove?: boolean;
}

export function workPeriods(execution: ExecutionSummary): readonly Period[] {
  const changes = stateChanges(execution);
  const end = execution.endedAt === undefined ? undefined : { at: execution.endedAt };
  const periods: Period[] = [];
  for (const [at, change] of changes.entries()) {
    if (change.state !== "running" || change.taskId === undefined) continue;
    const period = periodOf(change, changes[at + 1] ?? end);
    const last = periods.at(-1);
    const continues =
      last !== undefined &&
      last.taskId === period.taskId &&
      last.to === period.from &&
      last.isVague === period.isVague;
    if (continues) periods.splice(-1, 1, { ...period, from: last.from });
    else periods.push(period);
  }
  return periods;
}

export function pauses(execution: ExecutionSummary): readonly Period[] {
  const changes = stateChanges(execution);
  const answers = execution.resumes.filter(({ outcome }) => outcome === "answered");
  return changes.flatMap((change, at) => {
    const next = changes[at + 1];
    const isBeforeNext = ({ at }: { readonly at: string }) =>
      next !== undefined && Date.parse(at) <= Date.parse(next.at);
    if (mayWait(change)) {
      // An answer proves that there was a pause.
      const answer = answers.find(
        ({ feedback }) =>
          Date.parse(feedback.at) >= Date.parse(change.at) && isBeforeNext(feedback),
      );
      return [
        answer === undefined
          ? { from: Date.parse(change.at), isVague: true as const }
          : { ...periodOf(change, answer.feedback), ...answered(answer) },
      ];
    }
    if (change.state !== "waiting") return [];
    const answer = answers.findLast(
      ({ taskId, attempt }) => taskId === change.taskId && attempt === change.attempt,
    );
    return [
      answer !== undefined && isBeforeNext(answer.feedback)
        ? { ...periodOf(change, answer.feedback), ...answered(answer) }
        : periodOf(change, next),
    ];
  });
}

function answered({ taskId, attempt, feedback }: ResumeSummary) {
  return { taskId, attempt, ...(feedback.isAnswer !== true && { isApprove: feedback.isApprove }) };
}

function waitedFor(execution: ExecutionSummary): Duration | undefined {
  const byCrew = execution.tasks.flatMap(({ times }) => times?.waited ?? []);
  if (byCrew.length === 0) return measured(sumOf(endedPauses(execution)), 1);
  return { seconds: byCrew.reduce((sum, each) => sum + each), isByCrew: true };
}

function endedPauses(execution: ExecutionSummary): readonly (number | undefined)[] {
  return endedOf(pauses(execution));
}

function endedOf(periods: readonly Period[]): readonly (number | undefined)[] {
  return periods.filter(({ to, isVague }) => to !== undefined || isVague).map(secondsOf);
}

function percentsOf(
  execution: ExecutionSummary,
  tasks: readonly TaskDuration[],
  waited: Duration | undefined,
): readonly number[] | undefined {
  const seconds = tasks.map(({ duration }) => duration?.seconds);
  if (waited !== undefined) seconds.push(waited.seconds);
  const total = sumOf(seconds);
  const { progress } = execution;
  const isPart =
    (progress?.unit === "task" && progress.completed > tasks.length) ||
    endedPauses(execution).includes(undefined);
  if (total === undefined || total === 0 || isPart) return undefined;
  const percents = wholePercents(seconds.map((each = 0) => each / total));
  return percents.filter((percent) => percent >= smallestShare).length < 2 ? undefined : percents;
}

function periodOf(change: StateChange, next: Seen | undefined): Period {
  const { taskId, attempt, at, notBefore } = change;
  const isVague = notBefore !== undefined || next?.notBefore !== undefined;
  const to = next === undefined ? undefined : Math.max(Date.parse(at), Date.parse(next.at));
  return { from: Date.parse(at), ...defined({ taskId, attempt, to }), ...(isVague && { isVague }) };
}

type Seen = Pick<StateChange, "at" | "notBefore">;

function secondsOf({ from, to, isVague }: Period): number | undefined {
  return to === undefined || isVague === true ? undefined : (to - from) / 1000;
}

function secondsBetween(from: string, to: string): number {
  return Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000);
}

function sumOf(seconds: readonly (number | undefined)[]): number | undefined {
  return seconds.reduce<number | undefined>(
    (sum, each) => (sum === undefined || each === undefined ? undefined : sum + each),
    0,
  );
}

/** Whole percentages that add up to 100: the largest remainders are rounded up. */
function wholePercents(shares: readonly number[]): readonly number[] {
  const floors = shares.map((share) => Math.floor(share * 100));
  const missing = 100 - floors.reduce((sum, floor) => sum + floor, 0);
  const byRest = shares
    .map((share, at) => ({ at, rest: share * 100 - (floors[at] ?? 0) }))
    .sort((a, b) => b.rest - a.rest);
  const raised = new Set(byRest.slice(0, missing).map(({ at }) => at));
  return floors.map((floor, at) => (raised.has(at) ? floor + 1 : floor));
}

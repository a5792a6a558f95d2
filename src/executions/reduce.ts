import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { forEachCallback, plainCallbacks } from "../api/callbacks.ts";
import type { KickoffRequest, StatusReading } from "../api/types.ts";
import type { Clock } from "../base/clock.ts";
import { defined } from "../base/json.ts";
import {
  type Attempt,
  type Execution,
  hasEnded,
  isLocalCrew,
  lastSentAt,
  type SentKickoff,
  type StateChange,
  without,
} from "./model.ts";
import { requestAt } from "./flow-requests.ts";
import { crewContinued, isAt, resumesOf, type ResumeTarget, waitsAt } from "./resumes.ts";
import { attemptAt, endTasks, isSameOutput, mergeTasks, moveOn, taskIn } from "./tasks.ts";

/** A crew may answer "NOT FOUND" until a worker has a new id (observed; ms). */
const unknownGrace = 2 * 60_000;
/** How often `seenAt` is written without news (ms). */
const seenStep = 60_000;
/** How long one of several servers may report what was before a pause or its end (ms). */
const stale = 10_000;
/** How long a crew may lag after it accepted feedback (ms). */
const lag = 60_000;
/** After this time a crew that stops has stopped (ms). */
const longestStop = 90_000;
/** After this time without an answer, a change may be older (ms); polls are a minute apart. */
const longUnseen = 3 * 60_000;

type Pause = NonNullable<StatusReading["waiting"]>;

interface NewExecution extends Pick<Execution, "crew" | "origin" | "engine" | "label" | "batch"> {
  readonly request?: KickoffRequest;
  readonly kickoffId?: string;
}

/** `unconfirmed` without a kickoff id; a tracked one is `unknown` until the first status answer. */
export function newExecution(from: NewExecution, clock: Clock): Execution {
  const { crew, request, origin, engine, kickoffId, label, batch } = from;
  return {
    localId: randomUUID(),
    crew: { id: crew.id, name: crew.name, url: crew.url },
    kickoffIds: kickoffId === undefined ? [] : [kickoffId],
    origin,
    ...defined({ label, batch, request: request && withoutSecrets(request), engine }),
    state: kickoffId === undefined ? "unconfirmed" : origin === "kickoff" ? "queued" : "unknown",
    startedAt: iso(clock.now()),
    tasks: [],
    resumes: [],
  };
}

export function confirmKickoff(execution: Execution, kickoffId: string): Execution {
  if (execution.kickoffIds.includes(kickoffId)) return execution;
  const state = execution.state === "unconfirmed" ? "queued" : execution.state;
  return { ...execution, kickoffIds: [...execution.kickoffIds, kickoffId], state };
}

/** `now`, when the answer came, in milliseconds since 1970. Of an ended execution, only its callbacks and its test can change. */
export function applyReading(execution: Execution, reading: StatusReading, now: number): Execution {
  if (hasEnded(execution)) {
    const known = withUndelivered(execution, reading.undelivered);
    return reading.test === undefined ? known : { ...known, test: reading.test };
  }
  if (reading.state === "unknown") return applyNotFound(execution, now, reading.stateText);
  const { progress, executionTime, tasks, usage, trigger, test } = reading;
  const { decisions, flowId, eventCount } = reading;
  // Each answer decides again whether an answered pause is still reported.
  const next = {
    ...withUndelivered(without(execution, "stillPaused"), reading.undelivered),
    tasks: mergeTasks(execution.tasks, tasks),
    ...defined({ progress, executionTime, usage, trigger, test, decisions, flowId, eventCount }),
  };
  return withIgnoredStop(seen(execution, advance(next, execution, reading, now), now), now);
}

/** A request to stop that led to nothing in time can be sent again. */
function withIgnoredStop(execution: Execution, now: number): Execution {
  const { stop } = execution;
  if (stop?.outcome !== "answered" || hasEnded(execution)) return execution;
  if (now - Date.parse(stop.at) < longestStop) return execution;
  return { ...execution, stop: { ...stop, outcome: "ignored" } };
}

/** Applies a "NOT FOUND" (200, or 404 on a known route), unless the id may be too new. */
export function applyNotFound(
  execution: Execution,
  now: number,
  stateText = "NOT FOUND",
): Execution {
  // The crew no longer sends anything for it.
  if (hasEnded(execution)) return withUndelivered(execution, undefined);
  const { seenAt, state } = execution;
  const sentAt = lastSentAt(execution);
  const hasBegun = seenAt !== undefined && Date.parse(seenAt) > sentAt && state !== "queued";
  const isEarly = now - sentAt < unknownGrace && !hasBegun;
  const isKnownToWait = execution.waiting !== undefined;
  if (execution.kickoffIds.length === 0 || isKnownToWait || isEarly) return execution;
  return { ...without(execution, "stillPaused"), state: "unknown", mayBeWaiting: true, stateText };
}

function withUndelivered(execution: Execution, undelivered: Execution["undelivered"]): Execution {
  if (isDeepStrictEqual(execution.undelivered, undelivered)) return execution;
  return { ...without(execution, "undelivered"), ...defined({ undelivered }) };
}

function withoutSecrets(request: KickoffRequest): SentKickoff {
  const { inputs, meta, restoreFromStateId, extra, runAgain, rules } = request;
  const urls = forEachCallback((name) => request[name]);
  return {
    inputs,
    ...defined({ meta, restoreFromStateId, extra, runAgain, rules }),
    callbacks: { ...defined(urls), ...plainCallbacks(request) },
  };
}

function advance(
  next: Execution,
  before: Execution,
  reading: StatusReading,
  now: number,
): Execution {
  const { state, stateText } = reading;
  // A deployed flow's status may not show that it waits for an answer; a local one's does.
  const asksPerson =
    next.waiting !== undefined &&
    requestAt(next, next.waiting) !== undefined &&
    !isLocalCrew(next.crew);
  if (asksPerson && !reading.ended && reading.waiting === undefined) return next;
  if ((state === "running" || state === "queued") && isJustHeard(before, now)) return next;
  switch (state) {
    case "waiting":
    case "awaiting":
      return reading.waiting === undefined
        ? waitsSomewhere(next, stateText, now)
        : beginsToWait(next, reading.waiting, now);
    case "completed":
    case "failed":
    case "stopped":
      return end(next, reading, state, now);
    case "queued":
      return { ...without(next, "waiting", "mayBeWaiting", "stateText"), state };
    case "running":
      return run(next, before, reading);
    case "other":
    case "unknown":
      return { ...without(next, "waiting", "mayBeWaiting"), state: "unknown", stateText };
  }
}

/** A callback reported the pause, and one of several servers may not know it yet. */
function isJustHeard(execution: Execution, now: number): boolean {
  const { waiting } = execution;
  if (waiting === undefined || resumesOf(execution, waiting).length > 0) return false;
  const isHeard = attemptAt(execution.tasks, waiting)?.isHeard === true;
  return isHeard && now - Date.parse(waiting.since) < stale;
}

/** A running crew has continued: pauses are answered, earlier tasks completed. */
function run(next: Execution, before: Execution, { progress }: StatusReading): Execution {
  const settled = crewContinued(next);
  const hasGrown = (progress?.completed ?? 0) > (before.progress?.completed ?? 0);
  const tasks =
    progress?.current !== undefined || hasGrown
      ? moveOn(settled.tasks, progress?.current)
      : settled.tasks.map((task) =>
          task.state === "waiting" ? { ...task, state: "running" as const } : task,
        );
  return { ...without(settled, "waiting", "mayBeWaiting", "stateText"), state: "running", tasks };
}

function end(
  next: Execution,
  { output, error, progress: reached, executionTime }: StatusReading,
  state: "completed" | "failed" | "stopped",
  now: number,
): Execution {
  // A stopped crew may not have received any feedback.
  const settled = state === "stopped" ? next : crewContinued(next);
  const { progress, crew, origin, startedAt } = settled;
  // A local crew's time is that from the kickoff on: it says when what is learned late, such as by a new window, has ended.
  const isTimed = executionTime !== undefined && isLocalCrew(crew) && origin === "kickoff";
  const ended = isTimed ? Date.parse(startedAt) + executionTime * 1000 : now;
  const hasReached = state !== "completed" && reached?.current !== undefined;
  const tasks = hasReached ? moveOn(settled.tasks, reached.current) : settled.tasks;
  return {
    ...without(settled, "waiting", "mayBeWaiting", "stateText"),
    state,
    endedAt: iso(Math.min(now, ended)),
    tasks: endTasks(tasks, state),
    ...(progress?.total !== undefined &&
      state === "completed" && { progress: { ...progress, completed: progress.total } }),
    ...defined({ output, error }),
  };
}

/** Updates `seenAt` with a change, or about once a minute. */
function seen(before: Execution, after: Execution, now: number): Execution {
  const last = before.seenAt === undefined ? -Infinity : Date.parse(before.seenAt);
  const isDue = now - last >= seenStep || last <= lastSentAt(before);
  return isDue || !isDeepStrictEqual(before, after) ? { ...after, seenAt: iso(now) } : before;
}

/** If this attempt was just answered, the crew lags; later, it waits again. */
function beginsToWait(execution: Execution, pause: Pause, now: number): Execution {
  const attempt = attemptOf(execution, pause, now);
  const target = { taskId: pause.taskId, attempt };
  if (acceptedWithin(execution, target, now, lag)) return { ...execution, stillPaused: target };
  const isNext = !isAt(execution.waiting, target) && resumesOf(execution, target).length === 0;
  const settled = isNext ? crewContinued(execution) : execution;
  return waitsAt(settled, pause, attempt, now, { open: [execution.progress?.current] });
}

/** A pause known from a callback stays; just after feedback, the crew lags. */
function waitsSomewhere(execution: Execution, stateText: string, now: number): Execution {
  if (execution.waiting !== undefined) return { ...execution, state: "waiting" };
  const last = execution.resumes.findLast(({ outcome }) => outcome !== "refused");
  if (last && last.isFollowed === undefined && acceptedWithin(execution, last, now, lag))
    return { ...execution, stillPaused: { taskId: last.taskId, attempt: last.attempt } };
  return { ...execution, state: "unknown", mayBeWaiting: true, stateText };
}

/** The crew's own number, unless that attempt was answered with another output. */
function attemptOf(execution: Execution, pause: Pause, now: number): number {
  const numbered = attemptAt(execution.tasks, pause);
  const isReused = numbered?.feedback !== undefined && !fits(pause, numbered);
  return pause.attempt === undefined || isReused
    ? inferAttempt(execution, pause, now)
    : pause.attempt;
}

/** The next attempt has another output, or pauses after the crew continued. */
function inferAttempt(execution: Execution, pause: Pause, now: number): number {
  const { taskId } = pause;
  const last = taskIn(execution.tasks, taskId)?.attempts.at(-1);
  if (last === undefined) return 1;
  if (!fits(pause, last)) return last.number + 1;
  const target = { taskId, attempt: last.number };
  const continued = resumesOf(execution, target).some((resume) => resume.isFollowed === true);
  return continued && !acceptedWithin(execution, target, now, stale)
    ? last.number + 1
    : last.number;
}

function fits({ output }: Pause, { output: known }: Attempt): boolean {
  return output === undefined || known === undefined || isSameOutput(output, known);
}

function acceptedWithin(
  execution: Execution,
  target: ResumeTarget,
  now: number,
  within: number,
): boolean {
  const last = resumesOf(execution, target).at(-1);
  const at = last?.answeredAt ?? last?.feedback.at ?? "";
  return last?.outcome === "answered" && now - Date.parse(at) < within;
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

export function withHistory(before: Execution, after: Execution, now: number): Execution {
  const [was, is] = [situationOf(before), situationOf(after)];
  const parts = ["state", "taskId", "attempt", "stateText"] as const;
  if (parts.every((part) => was[part] === is[part])) return after;
  const seen = before.seenAt ?? before.startedAt;
  const notBefore = now - Date.parse(seen) > longUnseen ? seen : undefined;
  const change = { at: iso(now), ...is, ...defined({ notBefore }) };
  return { ...after, history: [...(after.history ?? []), change].slice(-200) };
}

function situationOf(execution: Execution): Omit<StateChange, "at" | "notBefore"> {
  const { state, stateText, mayBeWaiting, waiting, progress, tasks } = execution;
  const running = tasks.filter((task) => task.state === "running");
  const current = progress?.current ?? (running.length === 1 ? running[0]?.taskId : undefined);
  // A crew that lags behind an approval may still report that the approved task runs.
  const isDone = current !== undefined && taskIn(tasks, current)?.state === "completed";
  const isKnown = state === "running" && !isDone;
  const { taskId, attempt } =
    state === "waiting" ? { ...waiting } : { taskId: isKnown ? current : undefined };
  return { state, ...defined({ stateText, mayBeWaiting, taskId, attempt }) };
}

/** Keeps the end of an execution, which only these change: outputs, undelivered callbacks, what the person does, a resume with a new ID, and a flow's request. */
export function keepEnd(current: Execution, next: Execution): Execution {
  if (!hasEnded(current) || next.kickoffIds.length > current.kickoffIds.length) return next;
  if (next.requestIds?.length !== current.requestIds?.length) return next;
  const { crew, label, title, pinned, resumes, undelivered } = next;
  const persons = { crew, resumes, ...defined({ label, title, pinned }) };
  const { output, usage, executionTime, test } = { ...next, ...current };
  const tasks = current.tasks.map((task) => ({
    ...task,
    attempts: next.tasks.find((each) => each.taskId === task.taskId)?.attempts ?? task.attempts,
  }));
  const lateTasks = next.tasks.filter(({ taskId }) => taskIn(tasks, taskId) === undefined);
  const own = without(current, "label", "title", "pinned", "undelivered");
  const late = defined({ output, usage, executionTime, test, undelivered });
  return { ...own, ...persons, ...late, tasks: [...tasks, ...lateTasks] };
}

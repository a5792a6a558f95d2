import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../base/clock.ts";
import type { CallbackUrls, KickoffRequest, StatusReading } from "../api/types.ts";
import {
  type CrewRef,
  type Execution,
  type ExecutionSummary,
  hasEnded,
  type SentKickoff,
  without,
} from "./model.ts";
import { crewGoesOn } from "./resumes.ts";
import { plainCallbacks } from "./plain-callbacks.ts";
import { endTasks, mergeTasks, moveOn } from "./tasks.ts";
import { beginsToWait, waitsSomewhere } from "./waiting.ts";

/** Milliseconds after a kickoff or resume in which a crew may not know the id yet (observed: "NOT FOUND" until a worker has it). */
const UNKNOWN_GRACE = 2 * 60_000;
/** `seenAt` is to the minute: an answer that says nothing new is not worth a write. */
const SEEN_STEP = 60_000;

const CALLBACKS = [
  "taskWebhookUrl",
  "stepWebhookUrl",
  "crewWebhookUrl",
  "humanInputWebhookUrl",
] as const;

/** What a new execution is made of. */
export interface NewExecution {
  readonly crew: CrewRef;
  /** Absent for one that is only followed by its id. Secrets in it are left out. */
  readonly request?: KickoffRequest;
  readonly origin: "kickoff" | "tracked";
  readonly engine?: string;
  /** Absent while the kickoff's answer is missing. */
  readonly kickoffId?: string;
  readonly label?: string;
}

/** An execution as it is first written down. A kickoff begins `unconfirmed` and stays so if its answer never comes; one that is tracked is `unknown` until it is first asked for. */
export function newExecution(from: NewExecution, clock: Clock): Execution {
  const { crew, request, origin, engine, kickoffId, label } = from;
  return {
    localId: randomUUID(),
    crew: { id: crew.id, name: crew.name, url: crew.url },
    kickoffIds: kickoffId === undefined ? [] : [kickoffId],
    origin,
    ...(label === undefined ? {} : { label }),
    ...(request === undefined ? {} : { request: withoutSecrets(request) }),
    ...(engine === undefined ? {} : { engine }),
    state: kickoffId === undefined ? "unconfirmed" : origin === "kickoff" ? "queued" : "unknown",
    startedAt: iso(clock.now()),
    tasks: [],
    resumes: [],
  };
}

/** The kickoff's answer came. */
export function confirmKickoff(execution: Execution, kickoffId: string): Execution {
  if (execution.kickoffIds.includes(kickoffId)) {
    return execution;
  }
  const state = execution.state === "unconfirmed" ? "queued" : execution.state;
  return { ...execution, kickoffIds: [...execution.kickoffIds, kickoffId], state };
}

/** An execution after a status answer that came at `now` (milliseconds since 1970). One that has ended stays as it is. */
export function applyReading(execution: Execution, reading: StatusReading, now: number): Execution {
  if (hasEnded(execution)) {
    return execution;
  }
  if (reading.state === "unknown") {
    return applyNotFound(execution, now, reading.stateText);
  }
  return seen(execution, advance(withDetails(execution, reading), execution, reading, now), now);
}

/**
 * An execution after the crew said that it does not know the id (200 "NOT FOUND", or 404 on a known route), which is also what
 * a deployed crew's pause for a person reads like. Within 2 minutes of kickoff or resume and before any progress nothing changes.
 */
export function applyNotFound(
  execution: Execution,
  now: number,
  stateText = "NOT FOUND",
): Execution {
  const isKnownToWait = execution.waiting !== undefined;
  const isEarly = now - lastSentAt(execution) < UNKNOWN_GRACE && !progressSeen(execution);
  if (hasEnded(execution) || execution.kickoffIds.length === 0 || isKnownToWait || isEarly) {
    return execution;
  }
  return { ...without(execution, "stillPaused"), state: "unknown", mayBeWaiting: true, stateText };
}

/** Milliseconds since 1970 of the last kickoff or resume that may have reached the crew. */
export function lastSentAt(execution: ExecutionSummary): number {
  const sent = execution.resumes.filter((resume) => resume.outcome !== "refused");
  return Math.max(
    Date.parse(execution.startedAt),
    ...sent.map((resume) => Date.parse(resume.feedback.at)),
  );
}

/** Polling has given up by age. */
export function stopWatching(execution: Execution, now: number): Execution {
  return { ...execution, watchingStoppedAt: iso(now) };
}

/** The person wants polling to go on. */
export function watchAgain(execution: Execution, now: number): Execution {
  return { ...without(execution, "watchingStoppedAt"), watchedSince: iso(now) };
}

/** Copies what may be kept: streaming and human-input credentials are not among it. */
function withoutSecrets(request: KickoffRequest): SentKickoff {
  const callbacks: { -readonly [Key in keyof CallbackUrls]: CallbackUrls[Key] } = {};
  for (const name of CALLBACKS) {
    if (request[name] !== undefined) {
      callbacks[name] = request[name];
    }
  }
  return {
    inputs: request.inputs,
    ...(request.meta === undefined ? {} : { meta: request.meta }),
    callbacks: { ...callbacks, ...plainCallbacks(request) },
  };
}

/** An answer since the last kickoff or resume has shown it at work. */
function progressSeen(execution: Execution): boolean {
  const isSeen =
    execution.seenAt !== undefined && Date.parse(execution.seenAt) > lastSentAt(execution);
  return isSeen && execution.state !== "queued";
}

/** What any answer may report, whatever its state. Each answer says anew whether an answered pause is still reported. */
function withDetails(execution: Execution, reading: StatusReading): Execution {
  return {
    ...without(execution, "stillPaused"),
    tasks: mergeTasks(execution.tasks, reading.tasks),
    ...(reading.progress === undefined ? {} : { progress: reading.progress }),
    ...(reading.executionTime === undefined ? {} : { executionTime: reading.executionTime }),
  };
}

function advance(
  next: Execution,
  before: Execution,
  reading: StatusReading,
  now: number,
): Execution {
  switch (reading.state) {
    case "waiting":
    case "awaiting":
      return reading.state === "waiting" && reading.waiting !== undefined
        ? beginsToWait(next, reading.waiting, now)
        : waitsSomewhere(next, reading.stateText, now);
    case "completed":
    case "failed":
    case "stopped":
      return end(next, reading, reading.state, now);
    case "queued":
      return { ...without(next, "waiting", "mayBeWaiting", "stateText"), state: "queued" };
    case "running":
      return run(next, before, reading);
    case "other":
    case "unknown":
      return {
        ...without(next, "waiting", "mayBeWaiting"),
        state: "unknown",
        stateText: reading.stateText,
      };
  }
}

/** It works: what waited has given way, and the task before the current one is over. */
function run(next: Execution, before: Execution, reading: StatusReading): Execution {
  const settled = crewGoesOn(next);
  const current = reading.progress?.current;
  const hasGrown = (reading.progress?.completed ?? 0) > (before.progress?.completed ?? 0);
  const tasks =
    current !== undefined || hasGrown
      ? moveOn(settled.tasks, current)
      : settled.tasks.map((task) =>
          task.state === "waiting" ? { ...task, state: "running" as const } : task,
        );
  return { ...without(settled, "waiting", "mayBeWaiting", "stateText"), state: "running", tasks };
}

function end(
  next: Execution,
  reading: StatusReading,
  state: "completed" | "failed" | "stopped",
  now: number,
): Execution {
  const settled = without(crewGoesOn(next), "waiting", "mayBeWaiting", "stateText");
  const { progress } = settled;
  return {
    ...settled,
    state,
    endedAt: iso(now),
    tasks: endTasks(settled.tasks, state),
    ...(progress?.total === undefined || state !== "completed"
      ? {}
      : { progress: { ...progress, completed: progress.total } }),
    ...(reading.output === undefined ? {} : { output: reading.output }),
    ...(reading.outputJson === undefined ? {} : { outputJson: reading.outputJson }),
    ...(reading.error === undefined ? {} : { error: reading.error }),
  };
}

/** Notes when the crew was last heard, together with a change, or else about once a minute. */
function seen(before: Execution, after: Execution, now: number): Execution {
  const last = before.seenAt === undefined ? -Infinity : Date.parse(before.seenAt);
  const isStale = now - last >= SEEN_STEP || last <= lastSentAt(before);
  return isStale || !isDeepStrictEqual(before, after) ? { ...after, seenAt: iso(now) } : before;
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

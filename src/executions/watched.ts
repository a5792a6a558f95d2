import type { CrewApiError } from "../api/errors.ts";
import { type ExecutionSummary, hasEnded, lastSentAt, mayWait, sendsCallbacks } from "./model.ts";

/** Interval, and for how long, after a kickoff, a resume or the first sight (ms). */
const [quick, quickPhase] = [2_000, 20_000];
const growth = 1.4;
const longestLookedAt = 15_000;
const unattendedFactor = 4;
const longestUnattended = 60_000;
/** If the crew doesn't know the id (ms). */
const unknownPace = 60_000;
const longestBackOff = 5 * 60_000;
const ageLimit = 24 * 60 * 60_000;
/** The least time between two polls, however often a window is shown (ms). */
const leastGap = 2_000;

interface PaceFacts {
  /** Milliseconds from a kickoff, a resume or the first sight to the last poll. */
  readonly age: number;
  readonly slowPolls: number;
  readonly isLookedAt: boolean;
  /** It may wait for a person. */
  readonly isUnknown: boolean;
}

export function isQuickPhase(age: number): boolean {
  return age < quickPhase;
}

/** 2 s for the first 20 s, then up to 15 s; four times that, up to 60 s, if nobody looks (ms). */
export function pace({ age, slowPolls, isLookedAt, isUnknown }: PaceFacts): number {
  if (isUnknown) return unknownPace;
  const base = isQuickPhase(age) ? quick : Math.min(longestLookedAt, quick * growth ** slowPolls);
  return isLookedAt ? base : Math.min(longestUnattended, base * unattendedFactor);
}

/** Full jitter (`random` in 0 to 1), doubling to 5 minutes, at least `ordinary` (ms). */
export function backOff(failures: number, random: number, ordinary: number): number {
  return Math.max(ordinary, random * Math.min(longestBackOff, quick * 2 ** failures));
}

export type PollOutcome =
  | { readonly kind: "written" }
  /** The request failed, or its answer is invalid. */
  | { readonly kind: "failed"; readonly error: CrewApiError }
  /** Blocked on this machine: no client, no token, a full disk. */
  | { readonly kind: "blocked"; readonly error: unknown };

/** Times in milliseconds since 1970. */
export class Watched {
  readonly localId: string;
  request: AbortController | undefined;
  /** A poll was requested, and happens even if polling is off. */
  isForced = false;
  waiters: (() => void)[] = [];
  error: CrewApiError | undefined;
  localProblem: unknown;
  failures = 0;
  #failedAt: number | undefined;
  #session: string;
  #askedIn = "";
  #sessionStart: number;
  #slowPolls = 0;
  #askedAt: number | undefined;
  /** Overrides the interval: after a failure, or to poll soon. */
  #dueAt: number | undefined;

  constructor(execution: ExecutionSummary, now: number) {
    this.localId = execution.localId;
    this.#session = paceSession(execution);
    this.#sessionStart = now;
    this.#dueAt = now;
  }

  /** Polls a new session at once. @returns whether another window's answer ended a problem */
  follow(execution: ExecutionSummary, now: number): boolean {
    const session = paceSession(execution);
    if (session !== this.#session) {
      this.#session = session;
      this.#sessionStart = now;
      this.#slowPolls = 0;
      this.failures = 0;
      this.#dueAt = now;
    }
    const isOver =
      this.#failedAt !== undefined && Date.parse(execution.seenAt ?? "") > this.#failedAt;
    if (isOver) {
      this.failures = 0;
      this.#failedAt = this.error = this.localProblem = undefined;
    }
    return isOver;
  }

  pollSoon(now: number): void {
    this.#dueAt = Math.max(now, (this.#askedAt ?? -Infinity) + leastGap);
  }

  due(execution: ExecutionSummary, isLookedAt: boolean): number {
    return this.#dueAt ?? (this.#askedAt ?? 0) + this.#pace(execution, isLookedAt);
  }

  begin(): AbortController {
    this.isForced = false;
    this.#askedIn = this.#session;
    return (this.request = new AbortController());
  }

  /** `random` in 0 to 1, for the jitter. @returns whether the problem changed or ended */
  record(outcome: PollOutcome, execution: ExecutionSummary, now: number, random: number): boolean {
    // An answer to an earlier session doesn't delay the next poll.
    if (this.#askedIn === this.#session) this.#plan(outcome, execution, now, random);
    const before = { error: this.error, isBlocked: this.localProblem !== undefined };
    this.error = outcome.kind === "failed" ? outcome.error : undefined;
    this.localProblem = outcome.kind === "blocked" ? outcome.error : undefined;
    this.#failedAt = outcome.kind === "written" ? undefined : now;
    // `Retry-After` overrides everything.
    if (this.error?.retryAfterMs !== undefined) this.#dueAt = now + this.error.retryAfterMs;
    return (
      before.error?.kind !== this.error?.kind ||
      before.error?.message !== this.error?.message ||
      before.isBlocked !== (outcome.kind === "blocked")
    );
  }

  #plan({ kind }: PollOutcome, execution: ExecutionSummary, now: number, random: number): void {
    const isFirst = this.#askedAt === undefined;
    this.#askedAt = now;
    if (kind !== "written") {
      this.failures += 1;
      this.#dueAt = now + backOff(this.failures, random, this.#pace(execution, true));
      return;
    }
    if (!isQuickPhase(now - this.#sessionStart) && !isFirst) this.#slowPolls += 1;
    this.#dueAt = undefined;
    this.failures = 0;
  }

  #pace(execution: ExecutionSummary, isLookedAt: boolean): number {
    return pace({
      age: (this.#askedAt ?? this.#sessionStart) - this.#sessionStart,
      slowPolls: this.#slowPolls,
      isLookedAt,
      isUnknown: mayWait(execution),
    });
  }
}

/** Whether an execution can be polled: also one that has ended, until its callbacks have arrived. */
export function canBeAsked(execution: ExecutionSummary): boolean {
  const isOver = hasEnded(execution) && !sendsCallbacks(execution);
  return !isOver && execution.kickoffIds.length > 0;
}

export function isTooOld(execution: ExecutionSummary, now: number): boolean {
  const since =
    execution.watchedSince === undefined ? -Infinity : Date.parse(execution.watchedSince);
  return now - Math.max(lastSentAt(execution), since) >= ageLimit;
}

/** An answer requested before a resume, a new id, or a callback's pause doesn't count after it. */
export function answerSession({ kickoffIds, resumes, waiting }: ExecutionSummary): string {
  const pause = [waiting?.taskId, waiting?.attempt];
  return JSON.stringify([kickoffIds.at(-1), resumes.map(({ outcome }) => outcome), pause]);
}

function paceSession({ kickoffIds, resumes, watchedSince }: ExecutionSummary): string {
  const sent = resumes.filter(({ outcome }) => outcome === "answered" || outcome === "unanswered");
  return JSON.stringify([kickoffIds.at(-1), sent.length, watchedSince]);
}

import { CrewApiError } from "../api/errors.ts";
import { type ExecutionSummary, hasEnded, lastSentAt, mayWait, sendsCallbacks } from "./model.ts";

/** The first and the longest interval while somebody looks (ms). */
const [quick, slow] = [2_000, 15_000];
const quickPhase = 20_000;
/** How much slower it is while nobody looks, and its longest interval (ms). */
const unattended = { factor: 4, longest: 60_000 };
/** If the crew doesn't know the id (ms). */
const unknownPace = 60_000;
const longestBackOff = 5 * 60_000;
const ageLimit = 24 * 60 * 60_000;
/** The least time between two polls, however often a window is shown (ms). */
const leastGap = 2_000;

/** The next interval, by the time since a kickoff, a resume or the first sight (ms). */
export function pace(age: number, isLookedAt: boolean): number {
  const base = age < quickPhase ? quick : Math.min(slow, age / 5);
  return isLookedAt ? base : Math.min(unattended.longest, base * unattended.factor);
}

/** How one execution is polled. Times in milliseconds since 1970. */
export class PolledExecution {
  readonly localId: string;
  request: AbortController | undefined;
  /** A poll was requested, and happens even if polling is off. Resolved when it has. */
  requested: PromiseWithResolvers<undefined> | undefined;
  failures = 0;
  /** Why the last poll brought nothing: the crew's answer, or what blocked it on this machine. */
  #failure: { readonly error: unknown; readonly at: number } | undefined;
  readonly #seenFrom: number;
  #askedAt = -Infinity;
  /** Overrides the interval: after a failure, or to poll soon. */
  #dueAt: number | undefined;

  constructor({ localId }: ExecutionSummary, now: number) {
    this.localId = localId;
    this.#seenFrom = now;
  }

  /** The request failed, or its answer is invalid. */
  get error(): CrewApiError | undefined {
    const error = this.#failure?.error;
    return error instanceof CrewApiError ? error : undefined;
  }

  /** Blocked on this machine: no client, no token, a full disk. */
  get localProblem(): unknown {
    return this.error === undefined ? this.#failure?.error : undefined;
  }

  /** @returns whether another window's answer ended a problem */
  follow({ seenAt = "" }: ExecutionSummary): boolean {
    if (this.#failure === undefined || !(Date.parse(seenAt) > this.#failure.at)) return false;
    this.failures = 0;
    this.#failure = this.#dueAt = undefined;
    return true;
  }

  pollSoon(now: number): void {
    this.#dueAt = Math.max(now, this.#askedAt + leastGap);
  }

  due(execution: ExecutionSummary, isLookedAt: boolean): number {
    return this.#dueAt ?? this.#askedAt + this.#pace(execution, isLookedAt);
  }

  begin(now: number): AbortController {
    this.requested = undefined;
    this.#askedAt = now;
    return (this.request = new AbortController());
  }

  /** `random` in 0 to 1, for the jitter. @returns whether the problem changed or ended */
  record(error: unknown, execution: ExecutionSummary, now: number, random: number): boolean {
    const before = this.#problem();
    this.#failure = error === undefined ? undefined : { error, at: now };
    this.failures = error === undefined ? 0 : this.failures + 1;
    // Full jitter, doubling to the longest.
    const backOff = random * Math.min(longestBackOff, quick * 2 ** this.failures);
    // `Retry-After` overrides everything.
    const pause = this.error?.retryAfterMs ?? Math.max(this.#pace(execution, true), backOff);
    this.#dueAt = error === undefined ? undefined : now + pause;
    return before !== this.#problem();
  }

  #problem(): string {
    const kind = this.error && `${this.error.kind} ${this.error.message}`;
    return kind ?? (this.localProblem === undefined ? "" : "blocked");
  }

  #pace(execution: ExecutionSummary, isLookedAt: boolean): number {
    // After a kickoff or a resume, whoever sent it, polling is quick again.
    const age = this.#askedAt - Math.max(this.#seenFrom, wantedSince(execution));
    return mayWait(execution) && age >= 0 ? unknownPace : pace(age, isLookedAt);
  }
}

/** Whether an execution can be polled: also one that has ended, until its callbacks have arrived. */
export function canBeAsked(execution: ExecutionSummary): boolean {
  const isOver = hasEnded(execution) && !sendsCallbacks(execution);
  return !isOver && execution.kickoffIds.length > 0;
}

export function isTooOld(execution: ExecutionSummary, now: number): boolean {
  return now - wantedSince(execution) >= ageLimit;
}

/** When something was sent, or the person asked to keep watching, last. */
function wantedSince(execution: ExecutionSummary): number {
  const { watchedSince } = execution;
  return Math.max(
    lastSentAt(execution),
    watchedSince === undefined ? -Infinity : Date.parse(watchedSince),
  );
}

/** What was requested before a resume, a new id or a callback's pause doesn't count after it. */
export function sessionOf({ kickoffIds, resumes, waiting }: ExecutionSummary): string {
  const pause = [waiting?.taskId, waiting?.attempt];
  return JSON.stringify([kickoffIds.at(-1), resumes.map(({ outcome }) => outcome), pause]);
}

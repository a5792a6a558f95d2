import { type ExecutionSummary, hasEnded, lastSentAt, mayWait, sendsCallbacks } from "./model.ts";

/** The first and the longest interval while somebody looks (ms). */
const [quick, slow] = [2_000, 15_000];
const quickPhase = 20_000;
/** How much slower it is while nobody looks, and its longest interval (ms). */
const unattended = { factor: 4, longest: 60_000 };
/** If the crew doesn't know the id (ms). */
const unknownPace = 60_000;
/** After this time since anything was sent, it is polled this often (ms). */
const old = { age: 24 * 60 * 60_000, pace: 30 * 60_000 };
const longestBackOff = 5 * 60_000;

/** How one execution is polled. Times in milliseconds since 1970. */
export interface Poll {
  readonly localId: string;
  readonly seenFrom: number;
  request?: AbortController | undefined;
  /** A poll was requested, and happens even if polling is off. Resolved when it has. */
  requested?: PromiseWithResolvers<undefined> | undefined;
  askedAt: number;
  /** Overrides the interval: after a failure, or to poll soon. */
  dueAt?: number | undefined;
  failures: number;
  /** Why the last poll brought nothing: the crew's answer, or what blocked it on this machine. */
  failure?: { readonly error: unknown; readonly at: number } | undefined;
}

/** The next interval, by the time since a kickoff, a resume or the first sight (ms). */
export function pace(age: number, isLookedAt: boolean): number {
  const base = age < quickPhase ? quick : Math.min(slow, age / 5);
  return isLookedAt ? base : Math.min(unattended.longest, base * unattended.factor);
}

export function paceOf(poll: Poll, execution: ExecutionSummary, isLookedAt: boolean): number {
  const sentAt = lastSentAt(execution);
  if (poll.askedAt - sentAt >= old.age) return old.pace;
  // After a kickoff or a resume, whoever sent it, polling is quick again.
  const age = poll.askedAt - Math.max(poll.seenFrom, sentAt);
  return mayWait(execution) && age >= 0 ? unknownPace : pace(age, isLookedAt);
}

/** Full jitter, doubling to the longest (ms). @param random from 0 to 1 */
export function retryDelay({ failures }: Poll, random: number): number {
  return random * Math.min(longestBackOff, quick * 2 ** failures);
}

/** Whether an execution can be polled: also one that has ended, until its callbacks have arrived. */
export function canBeAsked(execution: ExecutionSummary): boolean {
  const isOver = hasEnded(execution) && !sendsCallbacks(execution);
  return !isOver && execution.kickoffIds.length > 0;
}

/** What was requested before a resume, a new id or a callback's pause doesn't count after it. */
export function sessionOf({ kickoffIds, resumes, waiting }: ExecutionSummary): string {
  const pause = [waiting?.taskId, waiting?.attempt];
  return JSON.stringify([kickoffIds.at(-1), resumes.map(({ outcome }) => outcome), pause]);
}

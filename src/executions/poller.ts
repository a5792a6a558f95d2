import { CrewApiError } from "../api/errors.ts";
import type { CrewClient } from "../api/client.ts";
import type { Clock } from "../base/clock.ts";
import type { ProblemLog } from "../base/errors.ts";
import { type Disposable, Disposables, Emitter } from "../base/events.ts";
import type { Leader } from "../store/leader.ts";
import {
  type CrewRef,
  type Execution,
  type ExecutionSummary,
  hasEnded,
  lastSentAt,
  mayWait,
  sendsCallbacks,
} from "./model.ts";
import { applyNotFound, applyReading } from "./reduce.ts";
import type { ExecutionStore } from "./store.ts";

/** How long to collect problems: those of a crew without a token fire one event (ms). */
const newsPause = 50;
/** The least time between two polls, however often a window is shown (ms). */
const leastGap = 2_000;
const atOnce = 4;
/** The first and the longest interval while somebody looks (ms). */
const [quick, slow] = [2_000, 15_000];
const quickPhase = 20_000;
/** How much slower it is while nobody looks, and its longest interval (ms). */
const unattended = { factor: 4, longest: 60_000 };
const unknownPace = 60_000;
/** After this time since anything was sent, it is polled this often (ms). */
const old = { age: 24 * 60 * 60_000, pace: 30 * 60_000 };
const longestBackOff = 5 * 60_000;

export interface PollerOptions {
  readonly store: Pick<ExecutionStore, "list" | "summary" | "update" | "onDidChange">;
  readonly clock: Clock;
  readonly leader: Pick<Leader, "isThisWindow" | "onDidChange" | "takeOver">;
  /** `find` returns undefined if the crew isn't connected on this machine. */
  readonly crews: {
    find(crewId: string): CrewRef | undefined;
    client(crew: CrewRef): Promise<Pick<CrewClient, "status">>;
  };
  /** For problems other than a crew's answer, such as a full disk. */
  readonly log: ProblemLog;
  readonly random?: () => number;
}

export interface PollerChange {
  readonly crewIds: readonly string[];
  readonly localIds: readonly string[];
}

interface Attention {
  readonly isFocused: boolean;
  readonly isListVisible: boolean;
  readonly open: ReadonlySet<string>;
}

/** How one execution is polled. Times in milliseconds since 1970. */
interface Poll {
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

/** Polls the crews and stores the answers. A window that doesn't lead polls only on request. */
export class Poller implements Disposable {
  readonly #options: PollerOptions;
  readonly #polls = new Map<string, Poll>();
  readonly #underWay = new Map<string, number>();
  /** By crew: until when it asked to wait (milliseconds since 1970). */
  readonly #notBefore = new Map<string, number>();
  readonly #refusing = new Map<string, CrewApiError>();
  readonly #subscriptions = new Disposables();
  readonly #onError = (error: unknown) =>
    this.#options.log.problem("A listener of the poller failed.", error);
  readonly #changes = new Emitter<PollerChange>(this.#onError);
  readonly #refusals = new Emitter<{ readonly crew: CrewRef; readonly error: CrewApiError }>(
    this.#onError,
  );
  readonly #polled = new Emitter<string>(this.#onError);
  readonly onDidChange = this.#changes.event;
  /** Fires once when a crew refuses its token; it isn't polled until `pollAgain`. */
  readonly onDidRefuse = this.#refusals.event;
  /** Fires with the local id after each poll, whatever came of it. */
  readonly onDidPoll = this.#polled.event;
  #attention: Attention = { isFocused: false, isListVisible: false, open: new Set() };
  #isStarted = false;
  #isDisposed = false;
  #cancelTimer: (() => void) | undefined;
  #news: ExecutionSummary[] = [];
  #cancelNews: (() => void) | undefined;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#isStarted || this.#isDisposed) return;
    this.#isStarted = true;
    const { store, leader } = this.#options;
    if (this.#attention.isFocused) leader.takeOver();
    this.#subscriptions.add(
      store.onDidChange(({ added, changed, removed }) => {
        for (const { localId } of removed) this.#drop(localId);
        this.#follow([...added, ...changed]);
      }),
    );
    this.#subscriptions.add(leader.onDidChange(() => this.#plan()));
    this.#follow(store.list());
  }

  /** Resolves when answers are stored. By `localId`, also asks a crew that refused its token. */
  async pollNow(localId?: string): Promise<void> {
    const { store, clock } = this.#options;
    const wanted =
      localId === undefined
        ? store.list().filter((each) => !this.#refusing.has(each.crew.id))
        : [store.summary(localId)];
    const polls = wanted.flatMap((execution) => {
      if (this.#isDisposed || execution === undefined || !canBeAsked(execution)) return [];
      const poll = this.#pollOf(execution);
      if ((this.#notBefore.get(execution.crew.id) ?? 0) > clock.now()) return [];
      return (poll.requested ??= Promise.withResolvers<undefined>()).promise;
    });
    this.#run();
    await Promise.all(polls);
  }

  /** A focused window takes over polling, and what comes into view is polled soon. */
  attend(attention: Attention): void {
    const gotFocus = attention.isFocused && !this.#attention.isFocused;
    if (this.#isStarted && gotFocus) this.#options.leader.takeOver();
    const hidden = [...this.#polls.values()].filter(({ localId }) => !this.#isLookedAt(localId));
    this.#attention = attention;
    this.#pollSoon(hidden.filter(({ localId }) => this.#isLookedAt(localId)));
  }

  /** What the crew answered to the last poll, or what on this machine, such as a missing token, blocked it. */
  problemOf({ crew, localId }: ExecutionSummary): unknown {
    return this.#refusing.get(crew.id) ?? this.#polls.get(localId)?.failure?.error;
  }

  refusingCrews(): ReadonlyMap<string, CrewApiError> {
    return this.#refusing;
  }

  pollAgain(crewId: string): void {
    this.#notBefore.delete(crewId);
    const wasRefusing = this.#refusing.delete(crewId);
    if (wasRefusing) this.#changes.fire({ crewIds: [crewId], localIds: [] });
    this.#pollSoon(this.#ofCrew(crewId));
  }

  stop(): void {
    this.#isStarted = false;
    this.#cancelNews?.();
    this.#cancelNews = undefined;
    this.#news = [];
    this.#subscriptions.dispose();
    for (const localId of this.#polls.keys()) this.#drop(localId);
    this.#plan();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.stop();
    for (const emitter of [this.#changes, this.#refusals, this.#polled]) emitter.dispose();
  }

  #pollOf({ localId }: ExecutionSummary): Poll {
    const seenFrom = this.#options.clock.now();
    const poll = this.#polls.get(localId) ?? { localId, seenFrom, askedAt: -Infinity, failures: 0 };
    this.#polls.set(localId, poll);
    return poll;
  }

  #pollSoon(polls: readonly Poll[]): void {
    for (const poll of polls)
      poll.dueAt = Math.max(this.#options.clock.now(), poll.askedAt + leastGap);
    this.#plan();
  }

  #drop(localId: string): void {
    const poll = this.#polls.get(localId);
    this.#polls.delete(localId);
    poll?.request?.abort();
    poll?.requested?.resolve(undefined);
  }

  #ofCrew(crewId: string): readonly Poll[] {
    const { store } = this.#options;
    return [...this.#polls.values()].filter(
      ({ localId }) => store.summary(localId)?.crew.id === crewId,
    );
  }

  #follow(executions: readonly ExecutionSummary[]): void {
    for (const execution of executions)
      if (!canBeAsked(execution)) this.#drop(execution.localId);
      else {
        const poll = this.#pollOf(execution);
        // Another window may have got an answer meanwhile.
        if (poll.failure !== undefined && Date.parse(execution.seenAt ?? "") > poll.failure.at)
          this.#succeeded(poll, execution);
      }
    this.#plan();
  }

  #isLookedAt(localId: string): boolean {
    const { isFocused, isListVisible, open } = this.#attention;
    return isFocused && (isListVisible || open.has(localId));
  }

  #report(execution: ExecutionSummary): void {
    this.#news.push(execution);
    this.#cancelNews ??= this.#options.clock.after(newsPause, () => {
      this.#cancelNews = undefined;
      const all = this.#news.splice(0);
      const crewIds = [...new Set(all.map(({ crew }) => crew.id))];
      this.#changes.fire({ crewIds, localIds: all.map(({ localId }) => localId) });
    });
  }

  #plan(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const [next] = this.#waiting();
    if (next === undefined || this.#isDisposed) return;
    const { clock } = this.#options;
    this.#cancelTimer = clock.after(Math.max(0, next.due - clock.now()), () => this.#run());
  }

  #run(): void {
    for (const { poll, execution, due } of this.#waiting())
      if (due <= this.#options.clock.now() && !this.#isFull(execution))
        void this.#poll(poll, execution);
    this.#plan();
  }

  #isFull({ crew }: ExecutionSummary): boolean {
    return (this.#underWay.get(crew.id) ?? 0) >= atOnce;
  }

  /** What can be polled, most urgent first; if another window leads, only on request. */
  #waiting() {
    const { store, clock, leader } = this.#options;
    const isPolling = this.#isStarted && leader.isThisWindow;
    const waiting = [...this.#polls.values()].flatMap((poll) => {
      const execution = store.summary(poll.localId);
      if (execution === undefined || poll.request !== undefined || this.#isFull(execution))
        return [];
      if (poll.requested !== undefined) return { poll, execution, due: clock.now() };
      const { id } = execution.crew;
      if (!isPolling || this.#refusing.has(id)) return [];
      const pace = paceOf(poll, execution, this.#isLookedAt(poll.localId));
      const due = poll.dueAt ?? poll.askedAt + pace;
      return { poll, execution, due: Math.max(due, this.#notBefore.get(id) ?? 0) };
    });
    return waiting.sort((a, b) => a.due - b.due);
  }

  async #poll(poll: Poll, execution: ExecutionSummary): Promise<void> {
    const { requested } = poll;
    const { signal } = (poll.request = new AbortController());
    poll.requested = undefined;
    poll.askedAt = this.#options.clock.now();
    const crewId = execution.crew.id;
    const wasRefusing = this.#refusing.has(crewId);
    const count = (change: 1 | -1) =>
      this.#underWay.set(crewId, (this.#underWay.get(crewId) ?? 0) + change);
    count(1);
    const error = await this.#ask(execution, signal);
    poll.request = undefined;
    count(-1);
    if (!signal.aborted) {
      if (error === undefined) this.#succeeded(poll, execution);
      else this.#failed(error, poll, execution);
      // A requested poll succeeded: the crew accepts the token again.
      if (wasRefusing && error === undefined) this.pollAgain(crewId);
      this.#polled.fire(execution.localId);
    }
    requested?.resolve(undefined);
    this.#run();
  }

  /** Never rejects. Ignores an answer that a resume or a new id overtook. @returns what went wrong, if anything */
  async #ask(execution: ExecutionSummary, signal: AbortSignal): Promise<unknown> {
    const { store, clock, crews } = this.#options;
    const session = sessionOf(execution);
    try {
      const crew = crews.find(execution.crew.id);
      const kickoffId = execution.kickoffIds.at(-1);
      if (crew === undefined || kickoffId === undefined)
        throw new Error(`"${execution.crew.name}" is not connected on this machine.`);
      const client = await crews.client(crew);
      signal.throwIfAborted();
      const answer = await client.status(kickoffId, { signal }).catch((error: unknown) => {
        if (error instanceof CrewApiError && error.kind === "notFound") return undefined;
        throw error;
      });
      signal.throwIfAborted();
      const change = (current: Execution) => {
        if (sessionOf(current) !== session) return current;
        return answer === undefined
          ? applyNotFound(current, clock.now())
          : applyReading(current, answer, clock.now());
      };
      store.update(execution.localId, change, answer?.events);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #succeeded(poll: Poll, execution: ExecutionSummary): void {
    if (poll.failure !== undefined) this.#report(execution);
    Object.assign(poll, { failures: 0, failure: undefined, dueAt: undefined });
  }

  #failed(error: unknown, poll: Poll, execution: ExecutionSummary): void {
    const { crew } = execution;
    const { clock, log, random = Math.random } = this.#options;
    const now = clock.now();
    const isOfCrew = error instanceof CrewApiError;
    const isNews = String(poll.failure?.error) !== String(error);
    if (!isOfCrew && poll.failures === 0)
      log.problem("An execution could not be polled; trying again.", error, crew.name);
    poll.failure = { error, at: now };
    poll.failures += 1;
    const rest = isOfCrew ? error.retryAfterMs : undefined;
    const delay = rest ?? random() * Math.min(longestBackOff, quick * 2 ** poll.failures);
    // Some ask to wait for 0 s.
    poll.dueAt = now + Math.max(paceOf(poll, execution, true), delay);
    if (rest !== undefined)
      this.#notBefore.set(crew.id, Math.max(now + rest, this.#notBefore.get(crew.id) ?? 0));
    // 403 may concern this execution alone, since a user's token may reach others.
    if (!isOfCrew || error.kind !== "unauthorized") {
      if (isNews) this.#report(execution);
      return;
    }
    for (const each of this.#ofCrew(crew.id)) {
      each.requested?.resolve(undefined);
      each.requested = undefined;
    }
    if (this.#refusing.has(crew.id)) return;
    this.#refusing.set(crew.id, error);
    this.#changes.fire({ crewIds: [crew.id], localIds: [] });
    this.#refusals.fire({ crew, error });
  }
}

/** The next interval, by the time since a kickoff, a resume or the first sight (ms). */
export function pace(age: number, isLookedAt: boolean): number {
  const base = age < quickPhase ? quick : Math.min(slow, age / 5);
  return isLookedAt ? base : Math.min(unattended.longest, base * unattended.factor);
}

function paceOf(poll: Poll, execution: ExecutionSummary, isLookedAt: boolean): number {
  const sentAt = lastSentAt(execution);
  if (poll.askedAt - sentAt >= old.age) return old.pace;
  // After a kickoff or a resume, whoever sent it, polling is quick again.
  const age = poll.askedAt - Math.max(poll.seenFrom, sentAt);
  return mayWait(execution) && age >= 0 ? unknownPace : pace(age, isLookedAt);
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

import { CrewApiError } from "../api/errors.ts";
import type { CrewClient } from "../api/client.ts";
import type { Clock } from "../base/clock.ts";
import type { ProblemLog } from "../base/errors.ts";
import { type Disposable, Disposables, Emitter } from "../base/events.ts";
import type { Lease } from "./lease.ts";
import { type CrewRef, type Execution, type ExecutionSummary, hasEnded, without } from "./model.ts";
import type { ExecutionStore, Reported } from "./store.ts";
import { WatchList } from "./watch-list.ts";
import { answerSession, canBeAsked, isTooOld, type PollOutcome, type Watched } from "./watched.ts";

/** How long to collect problems: those of a crew without a token fire one event (ms). */
const newsPause = 50;

export interface TrackerOptions {
  readonly store: Pick<ExecutionStore, "list" | "summary" | "update" | "onDidChange">;
  readonly clock: Clock;
  readonly lease: Pick<Lease, "isHeld" | "onDidChange" | "takeOver">;
  /** `find` returns undefined if the crew isn't connected on this machine. */
  readonly crews: {
    find(crewId: string): CrewRef | undefined;
    client(crew: CrewRef): Promise<Pick<CrewClient, "status">>;
  };
  /** For problems other than a crew's answer, such as a full disk. */
  readonly log: ProblemLog;
  readonly random?: () => number;
}

export interface TrackerChange {
  readonly crewIds: readonly string[];
  readonly localIds: readonly string[];
}

/** Polls the crews and stores the answers. Without the lease, a window polls only on request. */
export class Tracker implements Disposable {
  readonly #options: TrackerOptions;
  readonly #list: WatchList;
  readonly #subscriptions = new Disposables();
  readonly #onError = (error: unknown) =>
    this.#options.log.problem("A listener of the tracker failed.", error);
  readonly #changes = new Emitter<TrackerChange>(this.#onError);
  readonly #parks = new Emitter<{ readonly crew: CrewRef; readonly error: CrewApiError }>(
    this.#onError,
  );
  readonly onDidChange = this.#changes.event;
  /** Fires once when a crew refuses its token; it isn't polled until `unpark`. */
  readonly onDidPark = this.#parks.event;
  #isStarted = false;
  #isDisposed = false;
  #cancelTimer: (() => void) | undefined;
  #news: ExecutionSummary[] = [];
  #cancelNews: (() => void) | undefined;

  constructor(options: TrackerOptions) {
    this.#options = options;
    this.#list = new WatchList(options.store, options.clock);
  }

  start(): void {
    if (this.#isStarted || this.#isDisposed) return;
    this.#isStarted = true;
    const { store, lease } = this.#options;
    if (this.#list.isFocused) lease.takeOver();
    this.#subscriptions.add(
      store.onDidChange(({ added, changed, removed }) => {
        for (const { localId } of removed) this.#list.drop(localId);
        this.#follow([...added, ...changed]);
      }),
    );
    this.#subscriptions.add(lease.onDidChange(() => this.#plan()));
    this.#follow(store.list());
  }

  /** Resolves when answers are stored. By `localId`, also asks a crew that refused its token. */
  async pollNow(localId?: string): Promise<void> {
    const { store, clock } = this.#options;
    const { limits } = this.#list;
    const wanted =
      localId === undefined
        ? store.list().filter((each) => !each.watchingStoppedAt && !limits.parked.has(each.crew.id))
        : [store.summary(localId)];
    const polls = wanted.flatMap((execution) => {
      if (this.#isDisposed || execution === undefined || !canBeAsked(execution)) return [];
      const watched = this.#list.add(execution);
      // The crew asked to wait.
      if (limits.notBefore(execution.crew.id) > clock.now()) return [];
      watched.isForced = true;
      return [new Promise<void>((resolve) => watched.waiters.push(resolve))];
    });
    this.#run();
    await Promise.all(polls);
  }

  /** A focused window takes over polling. */
  setWatched({ visible, focused }: { readonly visible: boolean; readonly focused: boolean }): void {
    if (this.#isStarted && focused && !this.#list.isFocused) this.#options.lease.takeOver();
    this.#list.setWindow(visible, focused);
    this.#plan();
  }

  setOpen(localId: string, isOpen: boolean): void {
    this.#list.setOpen(localId, isOpen);
    this.#plan();
  }

  problemOf({ crew, localId }: ExecutionSummary): CrewApiError | undefined {
    return this.#list.limits.parked.get(crew.id) ?? this.#list.get(localId)?.error;
  }

  /** What on this machine, such as a missing token, blocked an execution's last poll. */
  localProblemOf({ localId }: ExecutionSummary): unknown {
    return this.#list.get(localId)?.localProblem;
  }

  parkedCrews(): ReadonlyMap<string, CrewApiError> {
    return this.#list.limits.parked;
  }

  /** Polls again, after the crew's token or settings changed. */
  unpark(crewId: string): void {
    const wasParked = this.#list.limits.release(crewId);
    this.#list.pollSoon(crewId);
    if (wasParked) this.#changes.fire({ crewIds: [crewId], localIds: [] });
    this.#plan();
  }

  watchAgain(localId: string): void {
    const { store, clock } = this.#options;
    store.update(localId, (execution) => ({
      ...without(execution, "watchingStoppedAt"),
      watchedSince: new Date(clock.now()).toISOString(),
    }));
  }

  /** Stops polling and aborts requests until `start`. */
  stop(): void {
    this.#isStarted = false;
    this.#cancelNews?.();
    this.#cancelNews = undefined;
    this.#news = [];
    this.#subscriptions.dispose();
    this.#list.dropAll();
    this.#plan();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.stop();
    this.#changes.dispose();
    this.#parks.dispose();
  }

  #follow(executions: readonly ExecutionSummary[]): void {
    this.#report(this.#list.follow(executions));
    this.#plan();
  }

  #report(news: readonly ExecutionSummary[]): void {
    this.#news.push(...news);
    if (this.#news.length === 0) return;
    this.#cancelNews ??= this.#options.clock.after(newsPause, () => {
      this.#cancelNews = undefined;
      const all = this.#news.splice(0);
      const crewIds = [...new Set(all.map(({ crew }) => crew.id))];
      this.#changes.fire({ crewIds, localIds: all.map(({ localId }) => localId) });
    });
  }

  /** Sets the one timer to when the next execution is due. */
  #plan(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const [next] = this.#waiting();
    if (next === undefined || this.#isDisposed) return;
    const { clock } = this.#options;
    this.#cancelTimer = clock.after(Math.max(0, next.due - clock.now()), () => this.#run());
  }

  #run(): void {
    for (const { watched, execution, due } of this.#waiting())
      if (due <= this.#options.clock.now() && !this.#list.limits.isFull(execution.crew.id))
        void this.#poll(watched, execution);
    this.#plan();
  }

  #waiting() {
    return this.#list.waiting(this.#isStarted && this.#options.lease.isHeld);
  }

  async #poll(watched: Watched, execution: ExecutionSummary): Promise<void> {
    const { limits } = this.#list;
    const { signal } = watched.begin();
    const waiters = watched.waiters.splice(0);
    const crewId = execution.crew.id;
    const wasParked = limits.parked.has(crewId);
    limits.count(crewId, 1);
    const outcome = await this.#ask(execution, signal);
    watched.request = undefined;
    limits.count(crewId, -1);
    if (!signal.aborted) {
      this.#takeIn(outcome, watched, execution);
      // A requested poll succeeded: the crew accepts the token again.
      if (wasParked && outcome.kind === "written") this.unpark(crewId);
      this.#giveUpByAge(execution.localId);
    }
    for (const resolve of waiters) resolve();
    this.#run();
  }

  /** Ignores the answer if a resume or a new id came first. Never rejects. */
  async #ask(execution: ExecutionSummary, signal: AbortSignal): Promise<PollOutcome> {
    const { store, clock, crews } = this.#options;
    const session = answerSession(execution);
    const write = (
      apply: (current: Execution, now: number) => Execution,
      reported?: Reported,
    ): PollOutcome => {
      const change = (current: Execution) =>
        answerSession(current) === session ? apply(current, clock.now()) : current;
      store.update(execution.localId, change, reported);
      return { kind: "written" };
    };
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
      // Loaded late, since most windows never poll.
      const { applyNotFound, applyReading } = await import("./reduce.ts");
      signal.throwIfAborted();
      if (answer === undefined) return write(applyNotFound);
      const { events } = answer;
      const reported = events && { events, ...(await import("./task-times.ts")) };
      signal.throwIfAborted();
      return write((current, now) => applyReading(current, answer, now), reported);
    } catch (error) {
      return error instanceof CrewApiError ? { kind: "failed", error } : { kind: "blocked", error };
    }
  }

  #takeIn(outcome: PollOutcome, watched: Watched, execution: ExecutionSummary): void {
    const { crew } = execution;
    const { clock, log, random = Math.random } = this.#options;
    const { limits } = this.#list;
    if (outcome.kind === "blocked" && watched.failures === 0)
      log.problem("An execution could not be polled; trying again.", outcome.error, crew.name);
    const isNews = watched.record(outcome, execution, clock.now(), random());
    const { error } = watched;
    if (error?.retryAfterMs !== undefined)
      limits.pauseUntil(crew.id, clock.now() + error.retryAfterMs);
    // 403 may concern this execution alone, since a user's token may reach others.
    if (error?.kind !== "unauthorized") {
      if (isNews) this.#report([execution]);
      return;
    }
    this.#list.cancelForced(crew.id);
    if (limits.parked.has(crew.id)) return;
    limits.parked.set(crew.id, error);
    this.#changes.fire({ crewIds: [crew.id], localIds: [] });
    this.#parks.fire({ crew, error });
  }

  /** Only after a poll, so that what ended while no window was open is seen. */
  #giveUpByAge(localId: string): void {
    const { store, clock, log } = this.#options;
    const isDue = (execution: ExecutionSummary) =>
      canBeAsked(execution) &&
      execution.watchingStoppedAt === undefined &&
      isTooOld(execution, clock.now());
    const execution = store.summary(localId);
    if (execution === undefined || !isDue(execution)) return;
    try {
      store.update(localId, (now) => (isDue(now) ? noLongerWatched(now, clock.now()) : now));
    } catch (error) {
      log.problem("The end of polling an old execution could not be stored.", error);
    }
  }
}

/** An ended execution was polled only for its callbacks. */
function noLongerWatched(execution: Execution, now: number): Execution {
  return hasEnded(execution)
    ? without(execution, "undelivered")
    : { ...execution, watchingStoppedAt: new Date(now).toISOString() };
}

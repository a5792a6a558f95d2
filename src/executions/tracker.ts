import type { CrewApiError } from "../api/errors.ts";
import { ask, type AskOptions, type AskOutcome } from "./ask.ts";
import { Attention } from "./attention.ts";
import { CrewLimits } from "./crew-limits.ts";
import { type Disposable, Emitter, type Event } from "../base/events.ts";
import { giveUpByAge } from "./give-up.ts";
import type { Lease } from "./lease.ts";
import type { CrewRef, ExecutionSummary } from "./model.ts";
import { watchAgain } from "./reduce.ts";
import type { ExecutionStore } from "./store.ts";
import { type Due, WatchList } from "./watch-list.ts";
import { canBeAsked, type Watched } from "./watched.ts";

/** What a tracker needs. */
export interface TrackerOptions extends AskOptions {
  readonly store: Pick<ExecutionStore, "list" | "summary" | "update" | "onDidChange">;
  /** 0 to 1, for the jitter. */
  readonly random?: () => number;
  readonly lease: Pick<Lease, "isHeld" | "onDidChange" | "takeOver">;
  /** Hears of what is not a crew's answer, such as a full disk; `about` names the crew it is about, where it is about one. */
  onProblem(message: string, error: unknown, about?: string): void;
}

/** Whose problems came or went. The executions themselves change in the store. */
export interface TrackerChange {
  readonly crewIds: readonly string[];
  readonly localIds: readonly string[];
}

/** Asks the crews how their executions are, and writes what they say into the store. Only the window with the lease asks by itself. */
export class Tracker implements Disposable {
  readonly #options: TrackerOptions;
  readonly #random: () => number;
  readonly #attention = new Attention();
  readonly #limits = new CrewLimits();
  readonly #list: WatchList;
  readonly #subscriptions: Disposable[] = [];
  readonly #changes: Emitter<TrackerChange>;
  readonly #parks: Emitter<{ readonly crew: CrewRef; readonly error: CrewApiError }>;
  readonly onDidChange: Event<TrackerChange>;
  /** Fires once when a crew no longer takes the token; nothing is asked of it until `unpark`. */
  readonly onDidPark: Event<{ readonly crew: CrewRef; readonly error: CrewApiError }>;
  #isStarted = false;
  #isDisposed = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: TrackerOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#list = new WatchList({
      store: options.store,
      clock: options.clock,
      attention: this.#attention,
      limits: this.#limits,
    });
    const onError = (error: unknown) =>
      options.onProblem("A listener of the tracker failed.", error);
    this.#changes = new Emitter(onError);
    this.#parks = new Emitter(onError);
    this.onDidChange = this.#changes.event;
    this.onDidPark = this.#parks.event;
  }

  /** Begins to ask. */
  start(): void {
    if (this.#isStarted || this.#isDisposed) {
      return;
    }
    this.#isStarted = true;
    const { store, lease } = this.#options;
    if (this.#attention.isFocused) {
      lease.takeOver();
    }
    this.#subscriptions.push(
      store.onDidChange(({ added, changed, removed }) =>
        this.#sync([...added, ...changed], removed),
      ),
      lease.onDidChange(() => this.#plan()),
    );
    this.#sync(store.list(), []);
  }

  /**
   * Asks now for one execution, or for all that are watched, in whichever window; resolves when the answers are written. What went wrong is in
   * `problemOf`. A crew that refused its token is asked only where its execution is named.
   */
  async pollNow(localId?: string): Promise<void> {
    const { store, clock } = this.#options;
    const wanted =
      localId === undefined
        ? store
            .list()
            .filter(
              (each) =>
                each.watchingStoppedAt === undefined && !this.#limits.parked.has(each.crew.id),
            )
        : [store.summary(localId)];
    const polls = wanted.flatMap((execution) => {
      if (this.#isDisposed || execution === undefined || !canBeAsked(execution)) {
        return [];
      }
      const watched = this.#list.add(execution);
      if (this.#limits.notBefore(execution.crew.id) > clock.now()) {
        return []; // The crew asked to be left alone; it is asked when that time is over.
      }
      watched.isForced = true;
      return [new Promise<void>((resolve) => watched.waiters.push(resolve))];
    });
    this.#run();
    await Promise.all(polls);
  }

  /** Whether the executions can be seen and the window has the focus. A focused window takes the polling over, once there is any. */
  setWatched({ visible, focused }: { readonly visible: boolean; readonly focused: boolean }): void {
    if (this.#isStarted && focused && !this.#attention.isFocused) {
      this.#options.lease.takeOver();
    }
    this.#look(() => this.#attention.setWindow(visible, focused));
  }

  /** An execution's document is shown. */
  look(localId: string): void {
    this.#look(() => this.#attention.setOpen(localId, true));
  }

  /** An execution's document is no longer shown. */
  unlook(localId: string): void {
    this.#look(() => this.#attention.setOpen(localId, false));
  }

  /** Why the last question about an execution failed; undefined when it did not. */
  problemOf(execution: ExecutionSummary): CrewApiError | undefined {
    return this.#limits.parked.get(execution.crew.id) ?? this.#list.get(execution.localId)?.error;
  }

  /** What on this side kept the last question about an execution from leaving, or its answer from being written, such as a missing token; undefined where nothing did. */
  hindranceOf({ localId }: ExecutionSummary): unknown {
    return this.#list.get(localId)?.hindrance;
  }

  /** The crews that no longer take their token, by id. */
  parkedCrews(): ReadonlyMap<string, CrewApiError> {
    return this.#limits.parked;
  }

  /** Goes on with a crew: it has a new token, or was changed. */
  unpark(crewId: string): void {
    const wasParked = this.#limits.release(crewId);
    for (const execution of this.#options.store.list()) {
      if (execution.crew.id === crewId) {
        this.#list.get(execution.localId)?.hurry(this.#options.clock.now());
      }
    }
    if (wasParked) {
      this.#changes.fire({ crewIds: [crewId], localIds: [] });
    }
    this.#plan();
  }

  /** Goes on with an execution that was given up by age. */
  watchAgain(localId: string): void {
    this.#options.store.update(localId, (execution) =>
      watchAgain(execution, this.#options.clock.now()),
    );
  }

  /** Asks no more, and breaks off what is being asked, until it is started again. */
  stop(): void {
    this.#isStarted = false;
    for (const subscription of this.#subscriptions.splice(0)) {
      subscription.dispose();
    }
    this.#list.dropAll();
    this.#plan();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.stop();
    this.#changes.dispose();
    this.#parks.dispose();
  }

  #sync(executions: readonly ExecutionSummary[], removed: readonly ExecutionSummary[]): void {
    const answered = this.#list.follow(executions, removed);
    if (answered.length > 0) {
      this.#changes.fire({
        crewIds: [...new Set(answered.map(({ crew }) => crew.id))],
        localIds: answered.map(({ localId }) => localId),
      });
    }
    this.#plan();
  }

  /** What comes into view is asked for at once. */
  #look(change: () => void): void {
    this.#list.look(change);
    this.#plan();
  }

  /** Sets the one timer to when the next execution is due. */
  #plan(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const next = this.#waiting()[0];
    if (next !== undefined && !this.#isDisposed) {
      const { clock } = this.#options;
      this.#cancelTimer = clock.after(Math.max(0, next.due - clock.now()), () => this.#run());
    }
  }

  /** Starts what is due. */
  #run(): void {
    for (const { watched, execution, due } of this.#waiting()) {
      if (due <= this.#options.clock.now() && !this.#limits.isFull(execution.crew.id)) {
        void this.#ask(watched, execution);
      }
    }
    this.#plan();
  }

  #waiting(): readonly Due[] {
    return this.#list.waiting(this.#isStarted && this.#options.lease.isHeld);
  }

  async #ask(watched: Watched, execution: ExecutionSummary): Promise<void> {
    const request = new AbortController();
    watched.begin(request);
    const waiters = watched.waiters.splice(0);
    const crewId = execution.crew.id;
    const wasParked = this.#limits.parked.has(crewId);
    this.#limits.begin(crewId);
    const outcome = await ask(this.#options, execution, request.signal);
    watched.request = undefined;
    this.#limits.end(crewId);
    if (!request.signal.aborted) {
      this.#takeIn(outcome, watched, execution);
      if (wasParked && outcome.kind === "written") {
        this.unpark(crewId); // Asked for by hand, and the token is taken again.
      }
      giveUpByAge(this.#options, execution.localId);
    }
    for (const resolve of waiters) {
      resolve();
    }
    this.#run();
  }

  #takeIn(outcome: AskOutcome, watched: Watched, execution: ExecutionSummary): void {
    const { crew, localId } = execution;
    const now = this.#options.clock.now();
    const error = outcome.kind === "failed" ? outcome.error : undefined;
    if (outcome.kind === "hindered" && watched.failures === 0) {
      this.#options.onProblem(
        "An execution could not be followed; trying again.",
        outcome.error,
        crew.name,
      );
    }
    if (error?.retryAfterMs !== undefined) {
      this.#limits.leaveAlone(crew.id, now + error.retryAfterMs);
    }
    const isNews = watched.takeIn(outcome, execution, now, this.#random());
    // 403 is about this execution: a user's token may still reach others. It is asked again with back-off.
    if (error?.kind === "unauthorized") {
      this.#list.callOff(crew.id);
      if (this.#limits.park(crew.id, error)) {
        this.#changes.fire({ crewIds: [crew.id], localIds: [] });
        this.#parks.fire({ crew, error });
      }
    } else if (isNews) {
      this.#changes.fire({ crewIds: [crew.id], localIds: [localId] });
    }
  }
}

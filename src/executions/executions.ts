import { randomUUID } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { type Disposable, Disposables } from "../base/events.ts";
import type { Database } from "../store/database.ts";
import { Lease } from "./lease.ts";
import { type CrewRef, type ExecutionSummary, hasEnded, isDone, sendsCallbacks } from "./model.ts";
import { type ClearScope, ExecutionStore } from "./store.ts";
import { Tracker, type TrackerOptions } from "./tracker.ts";

/** How long a new window stays idle, and how long after an end the list is trimmed (ms). */
const [quietStart, quietEnd] = [5_000, 10_000];

interface ExecutionsOptions extends Pick<TrackerOptions, "clock" | "crews" | "log"> {
  readonly database: Database;
  /** 0 keeps all. */
  readonly keepEnded: () => number;
}

export class Executions implements Disposable {
  readonly store: ExecutionStore;
  readonly notified: Notified;
  readonly lease: Lease;
  readonly tracker: Tracker;
  readonly #options: ExecutionsOptions;
  #begin: () => Promise<void> = () => Promise.resolve();
  /** Disposed when polling begins or ends. */
  readonly #phase = new Disposables();
  #clearing: Disposable | undefined;
  #isDisposed = false;

  constructor(options: ExecutionsOptions) {
    this.#options = options;
    const { database, clock, crews, log } = options;
    this.store = new ExecutionStore({ database, clock, log });
    this.notified = new Notified(database);
    this.lease = new Lease({ database, clock, owner: randomUUID(), log });
    const { store, lease } = this;
    this.tracker = new Tracker({ store, lease, clock, crews, log });
  }

  /** Reads the stored executions. Polling begins later, if one hasn't ended, and calls `begin`. */
  open(begin: () => Promise<void>): void {
    this.#begin = begin;
    this.#planBegin();
    this.#clearing = this.store.onDidClear(() => {
      this.#stop();
      this.#planBegin();
    });
    // Last, because it throws if the database can't be opened now.
    this.store.open();
  }

  /**
   * Deletes all executions, in all windows.
   * @param deleteMore runs in the same transaction; if it throws, nothing is deleted
   */
  clear(scope: ClearScope, deleteMore: () => void): void {
    this.#stop();
    try {
      this.#options.database.write(() => {
        deleteMore();
        this.store.clear(scope);
      });
    } finally {
      this.#planBegin();
    }
  }

  hasOpen(crewId: string): boolean {
    return this.store.list().some(({ crew, state }) => crew.id === crewId && !hasEnded({ state }));
  }

  /** A crew was renamed or moved: its executions follow, so that requests reach it. */
  moveCrew(fromId: string, { id, name, url }: CrewRef): void {
    // Together: what a failure leaves behind would belong to no crew.
    this.#options.database.write(() => {
      for (const { crew, localId } of this.store.list())
        if (crew.id === fromId)
          this.store.update(localId, (current) => ({ ...current, crew: { id, name, url } }));
    });
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#clearing?.dispose();
    this.#phase.dispose();
    this.tracker.dispose();
    this.lease.dispose();
    this.store.dispose();
  }

  #planBegin(): void {
    this.#phase.dispose();
    if (!this.#isDisposed)
      this.#phase.add(beginWhenNeeded(this.store, this.#options.clock, () => this.#watch()));
  }

  #stop(): void {
    this.#phase.dispose();
    this.tracker.stop();
    this.lease.stop();
  }

  #watch(): void {
    const { store, lease } = this;
    const { clock, keepEnded, log } = this.#options;
    this.#begin().catch((error: unknown) => log.problem("Polling could not be prepared.", error));
    this.#phase.add(keepTrimmed({ store, lease, clock, keepEnded, log }));
    lease.start();
    this.tracker.start();
  }
}

/** What a person was notified of, and whose spans were sent, in any window. */
export class Notified {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Whether this window must do it for an event: none has yet, and the execution is tracked. */
  claim(key: string, localId: string): boolean {
    const insert =
      "INSERT OR IGNORE INTO notified SELECT ?, local_id FROM executions WHERE local_id = ?";
    return this.#database.run(insert, key, localId) === 1;
  }
}

/** Calls `begin` once there is an open execution; in the first 5 s only for one added here. */
export function beginWhenNeeded(
  store: Pick<ExecutionStore, "list" | "onDidChange" | "onDidAdd">,
  clock: Clock,
  begin: () => void,
): Disposable {
  let isQuiet = true;
  const subscriptions = new Disposables();
  const look = () => {
    if (isQuiet || store.list().every((each) => hasEnded(each) && !sendsCallbacks(each))) return;
    subscriptions.dispose();
    begin();
  };
  const lookNow = () => {
    isQuiet = false;
    look();
  };
  subscriptions.add(store.onDidChange(look));
  subscriptions.add(store.onDidAdd(lookNow));
  subscriptions.add({ dispose: clock.after(quietStart, lookNow) });
  return subscriptions;
}

export function keepTrimmed(
  options: Pick<ExecutionsOptions, "clock" | "keepEnded" | "log"> & {
    readonly store: Pick<ExecutionStore, "list" | "remove" | "onDidChange">;
    readonly lease: Pick<Lease, "confirm">;
  },
): Disposable {
  const { store, lease, clock, keepEnded, log } = options;
  let cancel: (() => void) | undefined;
  const trim = () => {
    cancel = undefined;
    try {
      if (!lease.confirm()) return;
      for (const { localId } of tooMany(store.list(), keepEnded())) store.remove(localId);
    } catch (error) {
      log.problem("Old ended executions could not be removed.", error);
    }
  };
  const trimSoon = () => (cancel ??= clock.after(quietEnd, trim));
  trimSoon();
  const subscription = store.onDidChange(({ added, changed }) => {
    if ([...added, ...changed].some(hasEnded)) trimSoon();
  });
  const dispose = () => {
    subscription.dispose();
    cancel?.();
  };
  return { dispose };
}

/** Pinned executions, and those with feedback being sent, don't count. */
export function tooMany(
  executions: readonly ExecutionSummary[],
  keep: number,
): readonly ExecutionSummary[] {
  if (keep <= 0) return [];
  const endOf = ({ endedAt, startedAt }: ExecutionSummary) => Date.parse(endedAt ?? startedAt);
  return executions
    .filter((execution) => execution.pinned !== true && isDone(execution))
    .sort((one, other) => endOf(other) - endOf(one))
    .slice(keep);
}

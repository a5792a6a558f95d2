import { type Disposable, Disposables } from "../base/events.ts";
import type { Database } from "../store/database.ts";
import { Leader } from "../store/leader.ts";
import { type CrewRef, type ExecutionSummary, hasEnded, isDone, sendsCallbacks } from "./model.ts";
import { type ClearScope, ExecutionStore } from "./store.ts";
import { Poller, type PollerOptions } from "./poller.ts";

/** How long a new window stays idle, and how long after an end the list is trimmed (ms). */
const [quietStart, quietEnd] = [5_000, 10_000];

interface ExecutionsOptions extends Pick<PollerOptions, "clock" | "crews" | "log"> {
  readonly database: Database;
  /** 0 keeps all. */
  readonly keepEnded: () => number;
}

export class Executions implements Disposable {
  readonly store: ExecutionStore;
  readonly leader: Leader;
  readonly poller: Poller;
  readonly #options: ExecutionsOptions;
  #begin: () => Promise<void> = () => Promise.resolve();
  readonly #phase = new Disposables();

  constructor(options: ExecutionsOptions) {
    this.#options = options;
    const { database, clock, crews, log } = options;
    this.store = new ExecutionStore({ database, clock, log });
    this.leader = new Leader({ database, clock, log });
    const { store, leader } = this;
    this.poller = new Poller({ store, leader, clock, crews, log });
  }

  /** Reads the stored executions. Polling begins later, if one hasn't ended, and calls `begin`. */
  open(begin: () => Promise<void>): void {
    this.#begin = begin;
    try {
      this.store.open();
    } finally {
      this.store.onDidClear(() => this.#waitForOne());
      this.#waitForOne();
    }
  }

  /** Deletes all, in all windows. @param deleteMore runs in the same transaction; if it throws, nothing is deleted */
  clear(scope: ClearScope, deleteMore: () => void): void {
    this.#waitForOne();
    this.#options.database.write(() => {
      deleteMore();
      this.store.clear(scope);
    });
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
    this.#phase.dispose();
    this.poller.dispose();
    this.leader.dispose();
    this.store.dispose();
  }

  /** Polling begins once there is an open execution; in the first 5 s only for one that is added. */
  #waitForOne(): void {
    this.#phase.dispose();
    this.poller.stop();
    this.leader.stop();
    let isQuiet = true;
    const look = () => {
      const isNeeded = (each: ExecutionSummary) => !hasEnded(each) || sendsCallbacks(each);
      if (!isQuiet && this.store.list().some(isNeeded)) this.#watch();
    };
    const cancel = this.#options.clock.after(quietStart, () => {
      isQuiet = false;
      look();
    });
    this.#phase.add({ dispose: cancel });
    this.#phase.add(
      this.store.onDidChange(({ added }) => {
        isQuiet &&= added.length === 0;
        look();
      }),
    );
  }

  #watch(): void {
    this.#phase.dispose();
    const { clock, log } = this.#options;
    this.#begin().catch((error: unknown) => log.problem("Polling could not be prepared.", error));
    let cancelTrim: (() => void) | undefined;
    const trimSoon = () => {
      cancelTrim ??= clock.after(quietEnd, () => {
        cancelTrim = undefined;
        this.#trim();
      });
    };
    trimSoon();
    this.#phase.add({ dispose: () => cancelTrim?.() });
    this.#phase.add(
      this.store.onDidChange(({ added, changed }) => {
        if ([...added, ...changed].some(hasEnded)) trimSoon();
      }),
    );
    this.leader.start();
    this.poller.start();
  }

  /** Removes those that ended first, if too many. Pinned ones, and those with feedback being sent, don't count. */
  #trim(): void {
    const { keepEnded, log } = this.#options;
    const keep = keepEnded();
    const endOf = ({ endedAt, startedAt }: ExecutionSummary) => Date.parse(endedAt ?? startedAt);
    try {
      if (keep <= 0 || !this.leader.confirm()) return;
      const ended = this.store.list().filter((each) => each.pinned !== true && isDone(each));
      ended.sort((one, other) => endOf(other) - endOf(one));
      for (const { localId } of ended.slice(keep)) this.store.remove(localId);
    } catch (error) {
      log.problem("Old ended executions could not be removed.", error);
    }
  }
}

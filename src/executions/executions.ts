import { randomUUID } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import type { Disposable } from "../base/events.ts";
import type { Database } from "../store/database.ts";
import { beginWhenNeeded } from "./begin.ts";
import type { ClearScope } from "./clearing.ts";
import { Lease } from "./lease.ts";
import { hasEnded } from "./model.ts";
import { Notified } from "./notified.ts";
import { Retention } from "./retention.ts";
import { ExecutionStore } from "./store.ts";
import { Tracker, type TrackerOptions } from "./tracker.ts";

/** What the room of executions needs from outside. */
export interface ExecutionsOptions extends Pick<TrackerOptions, "clientFor" | "onProblem"> {
  readonly database: Database;
  readonly clock: Clock;
  /** How many ended executions are kept; 0 keeps all. */
  readonly keepEnded: () => number;
}

/** Everything about tracked executions: what is kept, who watches, what was notified. */
export class Executions implements Disposable {
  readonly store: ExecutionStore;
  readonly notified: Notified;
  readonly lease: Lease;
  readonly tracker: Tracker;
  readonly #options: ExecutionsOptions;
  /** What watching needs. */
  #begin: () => Promise<void> = () => Promise.resolve();
  #retention: Disposable | undefined;
  #beginning: Disposable | undefined;
  #clearing: Disposable | undefined;
  #isDisposed = false;

  constructor(options: ExecutionsOptions) {
    this.#options = options;
    const { database, clock, clientFor, onProblem } = options;
    this.store = new ExecutionStore({ database, clock, onProblem });
    this.notified = new Notified(database);
    this.lease = new Lease({ database, clock, owner: randomUUID(), onProblem });
    this.tracker = new Tracker({
      store: this.store,
      lease: this.lease,
      clock,
      clientFor,
      onProblem,
    });
  }

  /** Reads what is kept. Watching begins later, and only if something has not ended; `begin` is called when it does, and not waited for. */
  open(begin: () => Promise<void>): void {
    this.#begin = begin;
    this.#wait();
    this.#clearing = this.store.onDidClear(() => {
      this.#rest();
      this.#wait();
    });
    // Last: it throws for a database that can't be opened, and reads it when it can.
    this.store.open();
  }

  /**
   * Deletes all executions, in all windows. Watching rests and begins anew with the next execution. Not to be called while something is
   * being sent. @param deleteMore what else is deleted in the same transaction
   */
  clear(scope: ClearScope, deleteMore: () => void): void {
    this.#rest();
    try {
      this.#options.database.write(() => {
        deleteMore();
        this.store.clear(scope);
      });
    } finally {
      this.#wait();
    }
  }

  /** Whether an execution of a crew has not ended. */
  hasOpen(crewId: string): boolean {
    return this.store
      .list()
      .some((execution) => execution.crew.id === crewId && !hasEnded(execution));
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#clearing?.dispose();
    this.#beginning?.dispose();
    this.#retention?.dispose();
    this.tracker.dispose();
    this.lease.dispose();
    this.store.dispose();
  }

  /** Watching begins when there is something to watch. */
  #wait(): void {
    this.#beginning?.dispose();
    if (this.#isDisposed) return;
    this.#beginning = beginWhenNeeded(this.store, this.#options.clock, () => this.#watch());
  }

  /** Watching ends until there is something again. */
  #rest(): void {
    this.#beginning?.dispose();
    this.#retention?.dispose();
    this.tracker.stop();
    this.lease.stop();
  }

  #watch(): void {
    const { store, lease } = this;
    const { clock, keepEnded, onProblem } = this.#options;
    // One thing that fails, or takes its time, is no reason to watch nothing.
    this.#begin().catch((error: unknown) =>
      onProblem("What watching executions needs could not be made ready.", error),
    );
    this.#retention = new Retention({ store, lease, clock, keepEnded, onProblem });
    lease.start();
    this.tracker.start();
  }
}

import type { Clock } from "../base/clock.ts";
import { type Disposable, Emitter, type Event } from "../base/events.ts";
import type { Database } from "../store/database.ts";
import type { ClearScope } from "./clearing.ts";
import type { ExecutionChange } from "./known.ts";
import type { Execution, ExecutionSummary } from "./model.ts";

/** What a store needs. */
export interface ExecutionStoreOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Reports rows that can't be read; `about` is the execution's local id. The message is for a person. */
  onProblem(message: string, error: unknown, about?: string): void;
}

/**
 * The tracked executions: whole in the database, which all windows of this machine share, and in memory as summaries. What a method
 * changes is on disk when it returns, or when the `database.write` around it does.
 */
export class ExecutionStore implements Disposable {
  readonly #changes: Emitter<ExecutionChange>;
  /** Fires once for every change, whichever window made it. */
  readonly onDidChange: Event<ExecutionChange>;
  readonly #adds: Emitter<ExecutionSummary>;
  /** Fires when this store, and no other window's, begins to track an execution; after `onDidChange`. */
  readonly onDidAdd: Event<ExecutionSummary>;
  readonly #clears: Emitter<ClearScope>;
  /** Fires when another window has deleted what is kept; after `onDidChange`. */
  readonly onDidClear: Event<ClearScope>;

  constructor(options: ExecutionStoreOptions) {
    const onError = (error: unknown) =>
      options.onProblem("A listener of the executions failed.", error);
    this.#changes = new Emitter(onError);
    this.#adds = new Emitter(onError);
    this.#clears = new Emitter(onError);
    this.onDidChange = this.#changes.event;
    this.onDidAdd = this.#adds.event;
    this.onDidClear = this.#clears.event;
  }

  /** Reads the summaries, and what other windows write from then on. @throws StoreError where the database can't be used */
  open(): void {
    throw new Error("Not written yet.");
  }

  /** All tracked executions, newest first. */
  list(): readonly ExecutionSummary[] {
    throw new Error("Not written yet.");
  }

  /** The execution with this local id, or any of its kickoff ids; of this crew, if one is given. */
  summary(id: string, crewId?: string): ExecutionSummary | undefined {
    throw new Error(`Not written yet: ${id} ${crewId}.`);
  }

  /** Reads the whole execution with this local id, or any of its kickoff ids; of this crew, if one is given. */
  find(id: string, crewId?: string): Execution | undefined {
    throw new Error(`Not written yet: ${id} ${crewId}.`);
  }

  /** Local ids of the executions of which an input's value contains this text, in whatever case. */
  withInput(text: string): ReadonlySet<string> {
    throw new Error(`Not written yet: ${text}.`);
  }

  /** Begins to track an execution. @throws an error if its local id is taken */
  add(execution: Execution): Execution {
    throw new Error(`Not written yet: ${execution.localId}.`);
  }

  /**
   * Changes an execution. `change` gets its newest state, whichever window wrote it; it may run twice and must be pure.
   * Returns what is now stored, or undefined for an execution that is not tracked (any more). What has ended stays ended.
   */
  update(localId: string, change: (current: Execution) => Execution): Execution | undefined {
    throw new Error(`Not written yet: ${localId} ${change.name}.`);
  }

  /** Stops tracking an execution, in all windows. The crew hears nothing of it: the API has no cancel. */
  remove(localId: string): void {
    throw new Error(`Not written yet: ${localId}.`);
  }

  /** Deletes all executions, and lets the other windows know. */
  clear(scope: ClearScope): void {
    throw new Error(`Not written yet: ${scope}.`);
  }

  /** Reads at once what other windows have written. */
  refresh(): void {
    throw new Error("Not written yet.");
  }

  dispose(): void {
    this.#changes.dispose();
    this.#adds.dispose();
    this.#clears.dispose();
  }
}

import type { Backend } from "openworkflow/internal";
import type { Database, Work } from "./database/database.ts";

/** Where a service keeps its executions and their durable runs: in SQLite or in Postgres. */
export interface Storage {
  readonly database: Database;
  /** For runs, which repeat what they store: it waits until the database can be reached. */
  readonly forRuns: Database;
  /** openworkflow's. */
  readonly backend: Backend;
  /** Starts an execution's run, as part of the change that stores the execution. */
  readonly startRun: (executionId: string) => Work<unknown>;
  /** Wakes a run whose signal was delivered, if a kill has left it asleep. */
  readonly wakeRun: (executionId: string) => Work<unknown>;
  /** Gives the runs of this process to others. Undefined where there are no others. */
  readonly giveBack?: () => Promise<void>;
  /** Undefined where other processes use the database, too. */
  readonly own?: OwnFile;
}

/** What a process can do if no other one uses its database. All methods throw if the library's tables have changed. */
export interface OwnFile {
  /** Keeps unfinished executions from continuing until they are released, except those that wait for a person. */
  hold(): void;
  release(executionId: string): void;
  /** Frees the runs of a process that ended. */
  freeLeases(): void;
  /** Begins waits again that were stored in the future: the clock was set back while no service ran. */
  restartWaits(): void;
  /** Moves the waits of retries by as much as the clock was set back, so that they take as long as a monotonic clock measures. */
  moveWaits(milliseconds: number): void;
  /** Whether an execution has a run. Version 0.1.0 stored the execution first, so that a kill could leave it without one. */
  hasRun(executionId: string): boolean;
  /** Executions without a run that have neither ended nor are held. */
  withoutRun(): readonly string[];
}

import { createApp, type AppOptions } from "./app.ts";
import { CrewRun, type Steps } from "./crew-run.ts";
import { Erasure, openDatabase } from "./database.ts";
import { DecisionWaker, SeenOutputs } from "./decisions.ts";
import { Deliveries } from "./deliveries.ts";
import type { Engine } from "./engine.ts";
import { messageOf } from "./errors.ts";
import { Executions } from "./executions.ts";
import type { Execution } from "./model.ts";
import { Reporter } from "./reporter.ts";
import { ExecutionStore } from "./store.ts";
import { DurableRuns, freeLeases, indexDeadlines, runState } from "./workflow.ts";

export interface ServiceParts extends Omit<AppOptions, "executions"> {
  /** The database file, which only this process uses. */
  readonly file: string;
  readonly engine: Engine;
  readonly callbackBackoffMs: number;
  readonly callbackTimeoutMs: number;
}

export interface Service {
  readonly app: ReturnType<typeof createApp>;
  /** Continues what the last process left unfinished, and starts working. */
  work(): Promise<void>;
  /** Erases deleted data from the files; for a process that exits without `close`. */
  erase(): void;
  /** Finishes the steps that are running, and closes the database. */
  close(): Promise<void>;
}

/** Throws when the file isn't a database or can't be written. */
export function openService(parts: ServiceParts): Service {
  const { log } = parts;
  const database = openDatabase(parts.file);
  const erasure = new Erasure(database, log);
  // Our writes survive a kill. They survive a power cut because the library writes to the same file and syncs it before
  // any response. Syncing each write would cost a third of the speed.
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL;",
  );
  const store = new ExecutionStore(database);
  const seen = new SeenOutputs();
  const deliveries = new Deliveries(
    database,
    log,
    (id) => seen.addCallback(id),
    parts.callbackTimeoutMs,
  );
  const forgetCallbacks = (id: string) => {
    if (store.forgetCallbacks(id)) erasure.plan();
  };
  const handlers = {
    // A kill before the library stored the end of the run repeats this.
    async crew(id: string, steps: Steps) {
      const reporterOf = (execution: Execution) =>
        new Reporter(execution, deliveries, (delivery) => runs.startCallback(delivery));
      await new CrewRun(id, steps, store, parts.engine, reporterOf).run();
      forgetCallbacks(id);
    },
    async callback(id: string) {
      await deliveries.send(id);
      erasure.plan();
    },
    onBroken(id: string, error: unknown) {
      const problem = messageOf(error);
      log(`The execution ${id} can't continue: ${problem}`);
      store.end(id, `The execution can't continue: ${problem}`);
      forgetCallbacks(id);
    },
  };
  const runs = new DurableRuns(parts.file, handlers, parts.callbackBackoffMs);
  const waker = new DecisionWaker(store, (name) => runs.signal(name), log);
  const start = (id: string) => runs.startCrew(id);
  const executions = new Executions(store, waker, seen, start, parts.dialect.showsOutputs);

  /** For steps of the start that the service can work without. */
  const attempt = (action: () => void, problem: string) => {
    try {
      action();
    } catch (error) {
      log(`${problem}: ${messageOf(error)}`);
    }
  };
  /** Starts a run that a kill prevented, and ends an execution whose run the library gave up. */
  const recover = async (id: string) => {
    const run = runState(database, id);
    if (run.state === "absent") await runs.startCrew(id);
    if (run.state !== "failed") return;
    store.forgetCallbacks(id);
    store.end(id, `The execution can't continue: ${run.message}`);
  };
  return {
    app: createApp({ ...parts, executions }),
    async work() {
      attempt(
        () => freeLeases(database),
        "Executions that were running when the service last ended continue in 30 seconds, not at once",
      );
      attempt(() => indexDeadlines(database), "The service will be slow with many executions");
      attempt(
        () =>
          erasure.upgrade(() => {
            // A run that has yet to report the end needs its callbacks.
            for (const id of store.ended())
              if (runState(database, id).state !== "alive") store.forgetCallbacks(id);
          }),
        "Callback secrets of earlier executions may still be in the database; the next start tries again",
      );
      runs.work();
      for (const id of store.running()) {
        try {
          await recover(id);
        } catch (error) {
          log(`The execution ${id} could not be checked after the restart: ${messageOf(error)}`);
        }
      }
      // A kill may have come between a deletion and its erasure.
      erasure.run();
      await waker.wakeAll();
    },
    erase: () => erasure.run(),
    async close() {
      waker.stop();
      await runs.close();
      erasure.stop();
      database.close();
    },
  };
}

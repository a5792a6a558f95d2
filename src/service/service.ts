import { openSqlite } from "../base/sqlite.ts";
import { createApp, type AppOptions } from "./app.ts";
import { createDeliveries, createReporter } from "./callbacks.ts";
import { runCrew, type Steps } from "./crew-run.ts";
import type { Engine } from "./engine.ts";
import { messageOf } from "./errors.ts";
import { createExecutions, createWaker, SeenOutputs } from "./executions.ts";
import { createErasure, createStore } from "./store.ts";
import {
  createRuns,
  freeLeases,
  holdRuns,
  indexDeadlines,
  releaseRun,
  runState,
} from "./workflow.ts";

export interface ServiceParts extends Omit<AppOptions, "executions"> {
  readonly file: string;
  readonly engine: Engine;
  readonly callbackBackoffMs: number;
  readonly callbackTimeoutMs: number;
  /** Called with those left when a person has decided about a held execution. */
  readonly onHeld?: (ids: readonly string[]) => void;
}

export type Service = ReturnType<typeof openService>;

/** Throws if the file isn't a database or can't be written. */
export function openService(parts: ServiceParts) {
  const { log } = parts;
  const database = openSqlite(parts.file);
  const erasure = createErasure(database, log);
  // A power cut loses no write: the library syncs the same file before any response. Syncing each
  // of ours would cost a third of the speed.
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL;",
  );
  const store = createStore(database);
  const seen = new SeenOutputs();
  const onSend = (id: string) => seen.add(id);
  const deliveries = createDeliveries(database, log, onSend, parts.callbackTimeoutMs);
  const forgetCallbacks = (id: string) => {
    if (store.forgetCallbacks(id)) erasure.plan();
  };
  const giveUp = (id: string, problem: string) => {
    store.end(id, `The execution can't continue: ${problem}`);
    forgetCallbacks(id);
  };
  const handlers = {
    // Repeated after a kill before the library stored the end of the run.
    async crew(id: string, steps: Steps) {
      await runCrew(id, steps, store, parts.engine, (execution) =>
        createReporter(execution, deliveries, runs.startCallback),
      );
      forgetCallbacks(id);
    },
    async callback(id: string) {
      await deliveries.send(id);
      erasure.plan();
    },
    onBroken(id: string, error: unknown) {
      const problem = messageOf(error);
      log(`The execution ${id} can't continue: ${problem}`);
      giveUp(id, problem);
    },
  };
  const runs = createRuns(parts.file, handlers, parts.callbackBackoffMs);
  const waker = createWaker(store, runs.signal, log);
  const executions = createExecutions(store, waker, seen, runs.startCrew, release, parts.dialect);

  async function release(id: string): Promise<void> {
    if (!store.held().includes(id)) return;
    store.hold(id, false);
    if (runState(database, id).state === "absent") await runs.startCrew(id);
    else releaseRun(database, id);
    runs.wake();
    parts.onHeld?.(store.held());
  }

  const attempt = (action: () => void, problem: string) => {
    try {
      action();
    } catch (error) {
      log(`${problem}: ${messageOf(error)}`);
    }
  };
  return {
    app: createApp({ ...parts, executions }),
    /** Continues what the last process left unfinished. */
    async work() {
      // Held first: what is held is no longer leased.
      if (parts.engine.costsMoney === true)
        for (const id of holdRuns(database)) store.hold(id, true);
      attempt(
        () => freeLeases(database),
        "Executions that were running when the service last ended continue in 30 seconds, not at once",
      );
      attempt(() => indexDeadlines(database), "The service will be slow with many executions");
      runs.work();
      for (const id of store.running()) {
        try {
          const run = runState(database, id);
          // A kill prevented its start.
          if (run.state === "absent") {
            if (parts.engine.costsMoney === true) store.hold(id, true);
            else await runs.startCrew(id);
          }
          // The library gave it up.
          if (run.state === "failed") giveUp(id, run.message);
        } catch (error) {
          log(`The execution ${id} could not be checked after the restart: ${messageOf(error)}`);
        }
      }
      // A kill may have come between a deletion and its erasure.
      erasure.run();
      await waker.wakeAll();
    },
    /** Executions that a restart interrupted: they cost money, so a person lets them continue or discards them. */
    held: () => store.held(),
    release,
    discard(id: string) {
      giveUp(id, "it was discarded after the service was restarted.");
      parts.engine.rest?.(id, true);
      parts.onHeld?.(store.held());
    },
    /** For a process that exits without `close`. */
    erase: erasure.run,
    /** Finishes the steps that are running. */
    async close() {
      waker.stop();
      await runs.close();
      parts.engine.close?.();
      erasure.stop();
      database.close();
    },
  };
}

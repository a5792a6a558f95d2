import type { DatabaseSync } from "node:sqlite";
import { openSqlite, transaction } from "../base/sqlite.ts";
import { createApp, type AppOptions } from "./app.ts";
import { createDeliveries, createReporter, stopEvent } from "./callbacks.ts";
import { runCrew, type Steps } from "./crew-run.ts";
import type { Engine } from "./engine.ts";
import { messageOf, Refusal } from "./errors.ts";
import { createEvents } from "./events.ts";
import { createExecutions, createWaker, SeenOutputs } from "./executions.ts";
import { createErasure, createStore } from "./store.ts";
import {
  createRuns,
  freeLeases,
  holdRun,
  indexDeadlines,
  moveWaits,
  releaseRun,
  restartWaits,
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

/** Throws if the file isn't a database or can't be written. @throws {Refusal} if unfinished executions can't be held */
export function openService(parts: ServiceParts) {
  const { log } = parts;
  const database = openSqlite(parts.file);
  check(database);
  const erasure = createErasure(database, log);
  // A power cut loses no write: the library syncs the same file before any response. Syncing each
  // of ours would cost a third of the speed.
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL;",
  );
  const store = createStore(database);
  // A file that can't be written is refused now, not at the first kickoff.
  const version = database.prepare("PRAGMA user_version").get()?.["user_version"];
  database.exec(`PRAGMA user_version = ${Number(version)}`);
  const seen = new SeenOutputs();
  const onSend = (id: string) => seen.add(id);
  const events = createEvents(database);
  const deliveries = createDeliveries(database, log, onSend, parts.callbackTimeoutMs);
  const forgetCallbacks = (id: string) => {
    if (store.forgetCallbacks(id)) erasure.plan();
  };
  const giveUp = (id: string, problem: string) => {
    store.end(id, `The execution can't continue: ${problem}`);
    parts.engine.rest?.(id, true);
    forgetCallbacks(id);
  };
  const handlers = {
    // Repeated after a kill before the library stored the end of the run.
    async crew(id: string, steps: Steps) {
      await runCrew(id, steps, store, parts.engine, (execution) =>
        createReporter(execution, deliveries, events, runs.startCallback),
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
  const clock = watchClock((milliseconds) => moveWaits(database, milliseconds), log);
  const runs = createRuns(parts.file, handlers, parts.callbackBackoffMs);
  if (parts.engine.costsMoney === true) hold();
  const waker = createWaker(store, runs.signal, log);
  const executions = createExecutions(
    store,
    events,
    waker,
    seen,
    { start: runs.startCrew, isQueued: (id) => parts.engine.isQueued?.(id) === true, halt },
    parts.dialect,
  );

  /** Before anything runs. */
  function hold(): void {
    try {
      // Together: after a kill between them nobody would be asked about the execution.
      transaction(database, () => {
        store.holdInterrupted();
        for (const id of store.held()) holdRun(database, id);
      });
    } catch (error) {
      database.close();
      throw new Refusal(
        "data",
        `Unfinished executions in ${parts.file} can't be kept from continuing, and they would cost money: ${messageOf(error)}. Choose another folder with --data.`,
      );
    }
  }

  async function release(id: string): Promise<void> {
    if (!store.held().includes(id)) return;
    await resumeRun(id);
  }

  async function resumeRun(id: string): Promise<void> {
    // Together, as in `hold`.
    transaction(database, () => {
      store.release(id);
      releaseRun(database, id);
    });
    if (runState(database, id).state === "absent") await runs.startCrew(id);
    runs.wake();
    parts.onHeld?.(store.held());
    await waker.wakeAll();
  }

  async function halt(id: string) {
    const isHeld = store.held().includes(id);
    const waited = store.stop(id);
    if (!waited) return undefined;
    const stopped = store.find(id);
    // Now: after the status that says that it was stopped, nobody asks again.
    if (stopped) events.add(id, stopEvent(stopped));
    parts.engine.rest?.(id, true);
    // It sees that it was stopped, and ends.
    if (isHeld) await resumeRun(id);
    return waited;
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
      attempt(
        () => freeLeases(database),
        "Executions that were running when the service last ended can't continue",
      );
      attempt(() => indexDeadlines(database), "The service will be slow with many executions");
      attempt(() => restartWaits(database), "Callbacks may wait until the clock is right");
      runs.work();
      clock.start();
      const held = store.held();
      for (const id of store.running()) {
        try {
          const run = runState(database, id);
          // A kill prevented its start.
          if (run.state === "absent" && !held.includes(id)) await runs.startCrew(id);
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
      parts.onHeld?.(store.held());
    },
    /** For a process that exits without `close`. */
    erase: erasure.run,
    /** Finishes the steps that are running. */
    async close() {
      waker.stop();
      clock.stop();
      await runs.close();
      parts.engine.close?.();
      erasure.stop();
      database.close();
    },
  };
}

/** Throws if the file isn't a database or is damaged. */
function check(database: DatabaseSync): void {
  const problem = database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
  if (problem !== "ok") throw new Error(`it is damaged (${String(problem)})`);
}

const clockMs = 1000;

/** Waits are stored as times of day, so they are too long when the clock is set back. A monotonic clock shows by how much. */
function watchClock(onSetBack: (milliseconds: number) => void, log: (line: string) => void) {
  const offset = () => Date.now() - performance.now();
  let before = offset();
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const now = offset();
    try {
      if (now < before - clockMs) onSetBack(before - now);
      before = now;
    } catch (error) {
      log(`Callbacks may wait until the clock is right: ${messageOf(error)}`);
    }
  };
  return {
    start: () => (timer ??= setInterval(look, clockMs).unref()),
    stop: () => clearInterval(timer),
  };
}

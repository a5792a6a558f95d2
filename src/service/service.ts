import type { DatabaseSync } from "node:sqlite";
import type { CrewProject } from "../projects/types.ts";
import { createApp } from "./app.ts";
import type { Tokens } from "./auth.ts";
import { callbackSender } from "./callback-sender.ts";
import { runCrew, type CrewRunOptions } from "./crew-run.ts";
import { DecisionWaker } from "./decisions.ts";
import { DeliveryStore } from "./deliveries.ts";
import type { Dialect } from "./dialect.ts";
import type { Engine } from "./engine.ts";
import { Erasure } from "./erasure.ts";
import { Executions } from "./executions.ts";
import { messageOf } from "./messages.ts";
import { Reporter } from "./reporter.ts";
import { SeenOutputs } from "./seen-outputs.ts";
import { openDatabase } from "./sqlite.ts";
import { ExecutionStore } from "./store.ts";
import { DurableRuns, freeLeases, indexDeadlines, runState } from "./workflow.ts";

/** What a service is made of. */
export interface ServiceParts {
  /** The database file, which this process owns alone. */
  readonly file: string;
  readonly engine: Engine;
  readonly dialect: Dialect;
  readonly tokens: Tokens;
  readonly readProject: () => Promise<CrewProject>;
  readonly callbackBackoffMs: number;
  readonly callbackTimeoutMs: number;
  /** Takes a line for the person who runs the service. */
  readonly log: (line: string) => void;
  readonly onViolation?: (problem: string) => void;
}

/** A service that answers; it works once `work` was called. */
export interface Service {
  readonly app: ReturnType<typeof createApp>;
  /** Goes on where the process before this one stopped, and begins to work. */
  work(): Promise<void>;
  /** Erases what was deleted from the files: for a process that exits as it stands, without `close`. */
  erase(): void;
  /** Stops working once what is under way has come to a stop, and closes the database. */
  close(): Promise<void>;
}

/** Opens the database and builds the service on it. Throws when the file is not a database or can't be written. */
export function openService(parts: ServiceParts): Service {
  const { log } = parts;
  const database = openDatabase(parts.file);
  // Our writes outlast a kill by themselves. They outlast a power cut with the library's write that follows in the same file
  // before anything is answered, and which waits for the disk: waiting for each would cost a third of the speed.
  const erasure = new Erasure(database, log);
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL;",
  );
  const store = new ExecutionStore(database);
  const deliveries = new DeliveryStore(database);
  const seen = new SeenOutputs(Date.now);
  const send = callbackSender({
    deliveries,
    log,
    onSend: (id) => seen.send(id),
    timeoutMs: parts.callbackTimeoutMs,
  });
  const forget = (id: string) => {
    if (store.forgetCallbacks(id)) erasure.plan();
  };
  const handlers = {
    // What a delivery needs it has for itself. A kill before the run is noted as ended repeats what is here.
    async crew(id: string, steps: Parameters<typeof runCrew>[1]) {
      await runCrew(id, steps, crewRun);
      forget(id);
    },
    async callback(id: string) {
      await send(id);
      erasure.plan();
    },
    onBroken(id: string, error: unknown) {
      log(`The execution ${id} can't go on: ${messageOf(error)}`);
      store.end(id, `The execution can't go on: ${messageOf(error)}`, Date.now());
      forget(id);
    },
  };
  const runs = new DurableRuns(parts.file, handlers, parts.callbackBackoffMs);
  const reporter = new Reporter(deliveries, (id) => runs.startCallback(id));
  const crewRun: CrewRunOptions = { store, engine: parts.engine, reporter, now: Date.now };
  const waker = new DecisionWaker(store, (name) => runs.signal(name), log);
  const executions = new Executions({
    store,
    waker,
    seen,
    showsOutputs: parts.dialect.showsOutputs,
    start: (id) => runs.startCrew(id),
  });
  return {
    app: createApp({ ...parts, executions }),
    async work() {
      free(database, log);
      speedUp(database, log);
      renew(database, erasure, store, log);
      runs.work();
      await recover(database, store, runs, log);
      // A kill may have come between a deletion and this.
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

/** Frees the runs of a process that was killed. Without it they go on 30 s later, so a failure is no reason to stop. */
function free(database: DatabaseSync, log: (line: string) => void): void {
  try {
    freeLeases(database, new Date());
  } catch (error) {
    log(
      `What was under way when the service last ended goes on in 30 seconds, not at once: ${messageOf(error)}`,
    );
  }
}

/** Without the index the service is slow with thousands of executions, no more than that. */
function speedUp(database: DatabaseSync, log: (line: string) => void): void {
  try {
    indexDeadlines(database);
  } catch (error) {
    log(`With many executions the service will be slow: ${messageOf(error)}`);
  }
}

/** Forgets the callbacks of executions that ended under an earlier version. One whose run is still to tell of the end forgets them after that. */
function renew(
  database: DatabaseSync,
  erasure: Erasure,
  store: ExecutionStore,
  log: (line: string) => void,
): void {
  try {
    erasure.renew(() => {
      for (const id of store.ended())
        if (runState(database, id).state !== "alive") store.forgetCallbacks(id);
    });
  } catch (error) {
    log(
      `Secrets of the callbacks of earlier executions may still be in the database; the next start tries again: ${messageOf(error)}`,
    );
  }
}

/** Begins the runs that a kill came before, and ends the executions whose run the library gave up. */
async function recover(
  database: DatabaseSync,
  store: ExecutionStore,
  runs: DurableRuns,
  log: (line: string) => void,
): Promise<void> {
  for (const id of store.underWay()) {
    try {
      const run = runState(database, id);
      if (run.state === "absent") await runs.startCrew(id);
      if (run.state !== "failed") continue;
      store.forgetCallbacks(id);
      store.end(id, `The execution can't go on: ${run.message}`, Date.now());
    } catch (error) {
      log(`The execution ${id} could not be looked at after the restart: ${messageOf(error)}`);
    }
  }
}

import { setTimeout as sleep } from "node:timers/promises";
import { createApp, type AppOptions } from "./app.ts";
import { continuedEvent, createReporter, endEvent, outputCallbackIds } from "./callbacks.ts";
import { runCrew } from "./crew-run.ts";
import { createDeliveries } from "./deliveries.ts";
import type { HeldDecision } from "../base/window-protocol.ts";
import type { Engine } from "./engine.ts";
import { messageOf, Refusal } from "./errors.ts";
import { createEvents } from "./events.ts";
import { createFlowStore } from "./flow-store.ts";
import type { Execution } from "./model.ts";
import { createExecutions, createWaker } from "./executions.ts";
import { createSender } from "./sender.ts";
import type { Log } from "./operations/log.ts";
import type { OpenOperations, Operations } from "./operations/operations.ts";
import type { Steps } from "./steps.ts";
import type { OwnFile, Storage } from "./storage.ts";
import { createStore } from "./store.ts";
import { brokenRuns, createRuns, RunElsewhere } from "./workflow.ts";

/** `api` answers requests, `worker` runs executions and sends callbacks. */
type Role = "api" | "worker" | "both";

/** A crew that is served. */
export interface ServedCrew extends Pick<
  AppOptions,
  "dialect" | "readProject" | "askInputs" | "feedbackWebhook"
> {
  /** Its path on a server with several; empty for the only one. */
  readonly name: string;
  readonly engine: Engine;
}

interface ServiceParts {
  readonly storage: Storage;
  readonly role: Role;
  readonly crews: readonly ServedCrew[];
  /** The crews are those that a folder has or had: each knows the executions of all, because a class may have gone since. */
  readonly isOneProject?: boolean;
  readonly callbackBackoffMs: number;
  readonly callbackTimeoutMs: number;
  /** Of a server: it counts, answers probes, sends spans and deletes old executions. */
  readonly operations?: Operations | undefined;
  readonly log: Log;
  /** Called with those left when a person has decided about a held execution. */
  readonly onHeld?: (ids: readonly string[]) => void;
}

export type Service = ReturnType<typeof openService>;

/** How often to look for changes that no notice has reported (ms). */
const lookMs = 1000;

/** How long a process that ends may take to give its executions back (ms). */
const giveBackMs = 5000;

/** @throws {Refusal} if unfinished executions can't be held */
export function openService({ storage, log, ...parts }: ServiceParts) {
  const { database, own } = storage;
  const metrics = parts.operations?.metrics;
  const crews = parts.crews.map((crew) => ({
    ...crew,
    engine: metrics?.observed(crew.engine, crew.name) ?? crew.engine,
  }));
  const store = createStore(database);
  const events = createEvents(database);
  const flows = createFlowStore(database);
  const deliveries = createDeliveries(database, parts.callbackBackoffMs);
  const sender = createSender(database, deliveries, {
    timeoutMs: parts.callbackTimeoutMs,
    log,
    onAttempt: metrics?.callback,
    onSend: async (executionId, ids) => {
      for (const key of await store.notShown(executionId))
        if (outputCallbackIds(key).some((id) => ids.includes(id))) await store.setShown(key);
    },
  });
  const run = {
    store: createStore(storage.forRuns),
    events: createEvents(storage.forRuns),
    flows: createFlowStore(storage.forRuns),
    deliveries: createDeliveries(storage.forRuns, parts.callbackBackoffMs),
  };
  const underWay = new Set<string>();
  /** Names of crews that this process doesn't serve. */
  const missing = new Set<string>();
  const crewOf = ({ crew: name }: Execution): ServedCrew => {
    const crew = crews.find((each) => each.name === name);
    if (crew) return crew;
    if (own) throw new Error(`the crew "${name}" is no longer served.`);
    // Another process may serve it, for example one that was started with a newer configuration.
    const problem = `Executions of the crew "${name}" wait for a process that serves it.`;
    if (!missing.has(name)) log(problem);
    missing.add(name);
    throw new RunElsewhere(problem);
  };
  const restAll = (id: string) => {
    for (const { engine } of crews) engine.rest?.(id, true);
  };
  const reporterOf = (execution: Execution) =>
    createReporter(execution, run.deliveries, run.events, () => database.now());
  /** Ends an execution whose run can't do it. */
  const giveUp = async (id: string, problem: string) => {
    const execution = await run.store.find(id);
    if (execution?.endedAt === null) {
      const error = `The execution can't continue: ${problem}`;
      const callbacks = (await run.store.lastCallbacks(id)) ?? execution.callbacks;
      const ended = { ...execution, callbacks, error, endedAt: database.now() };
      // Before the end, so that a kill between them repeats both: an event that is known changes nothing.
      await reporterOf(ended).report(endEvent(ended));
      await run.store.end(id, error);
    }
    restAll(id);
    await run.store.forgetCallbacks(id);
    await operations?.ended(id);
  };
  const endBroken = async (id: string, problem: string) => {
    log(`The execution ${id} can't continue: ${problem}`, { level: "error", execution_id: id });
    await giveUp(id, problem);
  };
  const runs = createRuns(storage.backend, database, {
    // Runs again if a kill came before the library had stored the end of the run.
    async crew(id: string, steps: Steps) {
      const execution = await run.store.find(id);
      if (!execution) throw new Error(`The execution ${id} is not in the database.`);
      const { engine, feedbackWebhook: webhook } = crewOf(execution);
      underWay.add(id);
      try {
        await runCrew(id, steps, run.store, engine, reporterOf, { flows: run.flows, webhook });
      } finally {
        underWay.delete(id);
        // While a person decides, or a failed step waits for its next try, other executions have their turn. If they waited for
        // this one, they would fill all places, and it could not be tried again.
        engine.rest?.(id, false);
      }
      await run.store.forgetCallbacks(id);
      await operations?.ended(id);
    },
    log,
    onBroken: (id: string, error: unknown) => endBroken(id, messageOf(error)),
  });
  const clock = own && watchClock((milliseconds) => onSetBack(own, milliseconds), log);
  if (own && crews.some(({ engine }) => engine.costsMoney === true)) hold(own);
  const waker = createWaker(store, runs.signal, (id) => database.query(storage.wakeRun(id)), log);
  // This process may still have a worker or files of an execution that ended in another one.
  const stopListening = database.onNotice((notice) => {
    if (notice.kind === "ended") restAll(notice.executionId);
  });
  let looking: NodeJS.Timeout | undefined;
  const operations: OpenOperations | undefined = parts.operations?.open({
    database,
    forRuns: storage.forRuns,
    crews: crews.map(({ name }) => name),
    async view(id) {
      const { crew: name } = (await store.find(id)) ?? {};
      const crew = crews.find((each) => each.name === name);
      return crew && executionsOf(crew).view(id, { type: "bearer", owner: "bearer" });
    },
  });

  function executionsOf({ name, engine, dialect }: ServedCrew) {
    return createExecutions({
      ...{ database, store, events, deliveries, flows, waker, halt, dialect },
      start: (id: string) => {
        runs.noteKickoff();
        return storage.startRun(id);
      },
      crew: name,
      isOwn: (execution) => parts.isOneProject === true || execution.crew === name,
      isQueued: (id) => engine.isQueued?.(id) === true,
      onDecided: metrics?.decided,
    });
  }

  async function onSetBack(file: OwnFile, milliseconds: number): Promise<void> {
    // One change: if it fails, all of it is repeated.
    await database.transaction(function* () {
      yield* deliveries.moveWaits(milliseconds);
      file.moveWaits(milliseconds);
    });
  }

  /** Before anything runs. */
  function hold(file: OwnFile): void {
    try {
      file.hold();
    } catch (error) {
      throw new Refusal(
        "data",
        `Unfinished executions can't be kept from continuing, and they would cost money: ${messageOf(error)}. Choose another folder with --data.`,
      );
    }
  }

  async function resumeRun(id: string, file: OwnFile): Promise<void> {
    file.release(id);
    if (!file.hasRun(id)) await runs.startCrew(id);
    runs.wake();
    await waker.wakeAll();
  }

  async function halt(id: string) {
    const isHeld = (await heldNow()).includes(id);
    const waited = await stop(id, isHeld);
    if (waited && isHeld) parts.onHeld?.(await heldNow());
    return waited;
  }

  async function heldNow(): Promise<readonly string[]> {
    return own ? await store.held() : [];
  }

  async function stop(id: string, isHeld: boolean) {
    // Clients stop asking once a status says that it was stopped, so its event is part of the change.
    const waited = await store.stop(id, (stopped) => events.adding(id, endEvent(stopped)));
    // Its run sees that it was stopped, and ends.
    if (waited && isHeld && own) await resumeRun(id, own);
    return waited;
  }

  const attempt = (action: () => void, problem: string) => {
    try {
      action();
    } catch (error) {
      log(`${problem}: ${messageOf(error)}`);
    }
  };

  /** Continues what the last process left unfinished. */
  async function recover(file: OwnFile): Promise<void> {
    attempt(
      () => file.freeLeases(),
      "Executions that were running when the service last ended can't continue",
    );
    attempt(() => file.restartWaits(), "Some tasks may wait until the clock is right");
    await database.query(deliveries.shortenWaits());
  }

  async function startMissing(file: OwnFile): Promise<void> {
    try {
      for (const id of file.withoutRun()) await runs.startCrew(id);
    } catch (error) {
      log(`Executions that a kill kept from starting can't start: ${messageOf(error)}`);
    }
  }

  /** Finds runs that the library gave up, and changes whose notice was lost. */
  async function look(): Promise<void> {
    for (const { id, problem } of await database.query(brokenRuns())) await endBroken(id, problem);
    if (own) return;
    await waker.wakeAll();
    if (underWay.size > 0) for (const id of await store.endedOf([...underWay])) restAll(id);
  }

  return {
    /** The API of one of the crews. */
    appOf(crew: ServedCrew, access: Pick<AppOptions, "authenticate" | "mountedAt" | "admit">) {
      const observe = metrics?.requests(crew.name);
      return createApp({ ...crew, ...access, executions: executionsOf(crew), observe, log });
    },
    operations,
    async work() {
      if (own) await recover(own);
      if (parts.role !== "api") {
        runs.work();
        sender.work();
        operations?.work();
      }
      clock?.start();
      if (own) {
        await startMissing(own);
        // A kill may have come between a deletion and its erasure.
        database.erasure?.run();
        await waker.wakeAll();
      }
      if (parts.role !== "api")
        looking = setInterval(() => {
          look().catch((error: unknown) =>
            log(`The service could not look for what has changed: ${messageOf(error)}`),
          );
        }, lookMs).unref();
    },
    /** Executions that a restart interrupted: they cost money, so a person lets them continue or discards them. */
    held: heldNow,
    /** Other IDs, such as those decided about before, are ignored. Resolves to those that are still held. */
    async decide(type: HeldDecision, ids: readonly string[]): Promise<readonly string[]> {
      const held = await heldNow();
      for (const id of ids.filter((each) => held.includes(each)))
        if (own && type === "continue") {
          await events.add(id, continuedEvent(database.now()));
          await resumeRun(id, own);
        } else await stop(id, true);
      const left = await heldNow();
      parts.onHeld?.(left);
      return left;
    },
    /** Whether an execution runs or is queued. */
    isBusy: () => store.isBusy(),
    /** Erases deleted data, in a process that exits without `close`. */
    erase: () => database.erasure?.run() ?? true,
    /** Begins nothing new, and gives back what is still running after so many milliseconds. */
    async drain(milliseconds: number): Promise<void> {
      waker.stop();
      clearInterval(looking);
      operations?.drain();
      const closing = Promise.all([runs.drain(), sender.close(), operations?.stop()]);
      await Promise.race([closing, sleep(milliseconds)]);
      const late = sleep(giveBackMs, undefined, { ref: false }).then(() => {
        throw new Error("The database does not answer.");
      });
      await Promise.race([storage.giveBack?.(), late]).catch((error: unknown) => {
        // Others continue them when their claims run out.
        log(`Running executions could not be given back: ${messageOf(error)}`);
      });
    },
    /** Finishes the steps that are running. */
    async close() {
      waker.stop();
      clock?.stop();
      clearInterval(looking);
      stopListening();
      await operations?.stop();
      await runs.close();
      await sender.close();
      for (const { engine } of crews) engine.close?.();
      await database.close();
    },
  };
}

const clockMs = 1000;

/** Waits are stored as times of day, so they are too long when the clock is set back. A monotonic clock shows by how much. */
function watchClock(onSetBack: (milliseconds: number) => Promise<void>, log: Log) {
  const offset = () => Date.now() - performance.now();
  let before = offset();
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const now = offset();
    const done = () => {
      before = now;
    };
    if (now >= before - clockMs) done();
    else
      onSetBack(before - now).then(done, (error: unknown) =>
        log(`Callbacks and some tasks may wait until the clock is right: ${messageOf(error)}`),
      );
  };
  return {
    start: () => (timer ??= setInterval(look, clockMs).unref()),
    stop: () => clearInterval(timer),
  };
}

import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "../base/errors.ts";
import { note, type Actor } from "./audit.ts";
import { createApp, type AppOptions } from "./app.ts";
import { continuedEvent, createReporter } from "./callbacks.ts";
import { runExecution } from "./crew-run.ts";
import { createDeliveries } from "./deliveries.ts";
import type { HeldDecision } from "../base/window-protocol.ts";
import type { Engine } from "./engine.ts";
import { messageOf } from "./errors.ts";
import { addEvent } from "./events.ts";
import { createExecutions } from "./executions.ts";
import { createSender } from "./sender.ts";
import { hostOf, type CallbackNetworks } from "./networks.ts";
import type { Log } from "./operations/log.ts";
import type { Operations } from "./operations/operations.ts";
import type { ServiceOptions } from "./options.ts";
import { TurnLost, type RunParts } from "./run.ts";
import { Runner } from "./runner.ts";
import type { Storage } from "./storage.ts";
import { crewsAtWork, createStore, type Turn } from "./store.ts";

export interface ServedCrew extends Pick<
  AppOptions,
  "name" | "dialect" | "readProject" | "askInputs" | "examples" | "feedbackWebhook"
> {
  readonly engine: Engine;
}

interface ServiceParts {
  readonly storage: Storage;
  readonly role: ServiceOptions["role"];
  readonly crews: readonly ServedCrew[];
  /** The crews are those that a folder has or had: each knows the executions of all, because a class may have gone since. */
  readonly isOneProject?: boolean;
  /** How many executions run at a time whose engines start processes. */
  readonly maxProcesses: number;
  readonly callbackBackoffMs: number;
  readonly callbackTimeoutMs: number;
  readonly networks?: CallbackNetworks | undefined;
  /** Of a server: it counts, answers probes, sends spans and deletes old executions. */
  readonly operations?: Operations | undefined;
  readonly log: Log;
  /** Called with those left when a person has decided about a held execution. */
  readonly onHeld?: (ids: readonly string[]) => void;
}

export type Service = ReturnType<typeof openService>;

const giveBackMs = 5000;

/** @throws if unfinished executions can't be held */
export function openService({ storage, networks, log, ...parts }: ServiceParts) {
  const { database, forRuns, cipher, jobs, own } = storage;
  const { crews, operations } = parts;
  const metrics = operations?.metrics;
  const store = createStore(database, cipher);
  const deliveries = createDeliveries(
    database,
    cipher,
    parts.callbackBackoffMs,
    operations?.spansUrl,
  );
  const sender = createSender(database, deliveries, {
    timeoutMs: parts.callbackTimeoutMs,
    networks,
    log,
    sign: crews.find(({ feedbackWebhook }) => feedbackWebhook)?.feedbackWebhook?.headersFor,
    exportSpans: operations?.exportSpans && exportSpans,
    onAttempt: metrics?.callback,
  });
  const run = {
    database: forRuns,
    store: createStore(forRuns, cipher),
    deliveries,
  };
  const turns = new Map<string, Turn>();

  const runner = new Runner({
    jobs,
    database,
    crews,
    maxProcesses: parts.maxProcesses,
    run: work,
    check,
    log,
  });
  if (crews.some(({ engine }) => engine.costsMoney === true)) own?.hold();
  // This process may still have a worker or files of an execution that ended in another one.
  const stopListening = database.onNotice((notice) => {
    if (notice.kind === "ended") endAll(notice.executionId);
  });

  async function exportSpans(id: string, from: number): Promise<number | undefined> {
    const execution = await store.find(id);
    const [crew] = crews;
    // It may be deleted meanwhile.
    if (!execution || !crew) return undefined;
    // Also of a crew that only other processes serve.
    const all = executionsOf({ ...crew, name: execution.crew });
    const view = await all.view(id, { type: "bearer", owner: "bearer" });
    return view && (await operations?.exportSpans?.(view, from));
  }

  /** Does what an execution has to do. Resolves to whether nothing is left to do. Never rejects. */
  async function work(
    id: string,
    { name, engine, feedbackWebhook: webhook }: ServedCrew,
  ): Promise<boolean> {
    let isDone = false;
    const isStopping = () => runner.isStopping || !turns.has(id);
    const onAttempt: RunParts["onAttempt"] = (outcome, usage) =>
      metrics?.attempt(name, engine.name, outcome, usage);
    try {
      const turn = await run.store.begin(id);
      if (turn) turns.set(id, turn);
      isDone =
        !turn || (await runExecution(turn, { ...run, engine, webhook, onAttempt, isStopping }));
    } catch (error) {
      if (error instanceof TurnLost) engine.drop?.(id);
      else await giveUp(id, messageOf(error));
    }
    turns.delete(id);
    try {
      const hasEnded = await run.store.hasEnded(id);
      engine.rest?.(id, hasEnded);
      if (!hasEnded) return isDone;
    } catch (error) {
      log(`What is left of an execution could not be deleted: ${messageOf(error)}`, {
        execution_id: id,
      });
    }
    return true;
  }

  /** Whether this process may still work for its executions: they may have ended, or another process may have taken them over. */
  async function check(): Promise<void> {
    // Others come meanwhile.
    for (const [id, turn] of [...turns]) {
      if (await database.query(store.holds(turn))) continue;
      turns.delete(id);
      if (await store.hasEnded(id)) endAll(id);
      else for (const { engine } of crews) engine.drop?.(id);
    }
  }

  /** Ends an execution that can't continue. Never rejects. */
  async function giveUp(id: string, problem: string): Promise<void> {
    log(`The execution ${id} can't continue: ${problem}`, { level: "error", execution_id: id });
    try {
      await end(id, "error", `The execution can't continue: ${problem}`);
    } catch (error) {
      log(`The end of the execution ${id} could not be stored: ${messageOf(error)}`);
    }
  }

  /** Ends an execution from outside its run. Resolves to whether it had not ended. */
  async function end(id: string, state: "stopped" | "error", error: string | null, actor?: Actor) {
    return await database.transaction(function* () {
      if (!(yield* store.close(id, state, error))) return false;
      const ended = yield* store.found(id);
      if (!ended) return false;
      if (actor) yield* note(id, { action: "stop", actor, at: database.now() });
      yield* deliveries.withdrawQuestions(id);
      yield* createReporter(ended, deliveries, database.now).failed(ended);
      yield* store.forgetCallbacks(id);
      // Whoever serves the crew cleans up.
      yield* jobs.add(ended.crew, id);
      return true;
    }, true);
  }

  function endAll(id: string): void {
    for (const { engine } of crews) engine.rest?.(id, true);
  }

  function executionsOf({ name, dialect }: ServedCrew, mostAtWork = Infinity) {
    return createExecutions({
      ...{ database, store, deliveries, jobs, stop, dialect },
      ...{ crew: name, mostAtWork },
      isOwn: (execution) => parts.isOneProject === true || execution.crew === name,
      onDecided: metrics?.decided,
    });
  }

  async function stop(id: string, actor: Actor): Promise<boolean> {
    const isHeld = (await heldNow()).includes(id);
    const isStopped = await end(id, "stopped", null, actor);
    if (isStopped && isHeld) parts.onHeld?.(await heldNow());
    return isStopped;
  }

  async function heldNow(): Promise<readonly string[]> {
    return own ? await store.held() : [];
  }

  async function reportOthers(): Promise<void> {
    for (const name of await database.query(crewsAtWork()))
      if (!crews.some((crew) => crew.name === name))
        log(`Executions of the crew "${name}" wait for a process that serves it.`);
  }

  /** Reports receivers of executions that have not ended: an earlier version sent them callbacks, this server doesn't. */
  async function reportRefused(networks: CallbackNetworks): Promise<void> {
    const check = async (origin: string) => {
      await networks.resolve(hostOf(new URL(origin))).catch((error: unknown) => {
        // A name that can't be resolved now may be later.
        if (codeOf(error) === undefined)
          log(`Unfinished executions send no callbacks to ${origin}. ${messageOf(error)}`);
      });
    };
    await Promise.all((await store.receivers()).map(check));
  }

  return {
    /** The API of one of the crews. @param mostAtWork how many of its executions may be queued or running */
    appOf(crew: ServedCrew, mostAtWork?: number) {
      const observe = metrics?.requests(crew.name);
      return createApp({
        ...crew,
        executions: executionsOf(crew, mostAtWork),
        observe,
        networks,
        log,
      });
    },
    operations,
    async work() {
      if (own) await database.transaction(() => own.recover());
      if (parts.role === "api") return;
      runner.work();
      sender.work();
      operations?.work();
      await reportOthers();
      if (networks) await reportRefused(networks);
    },
    /** Executions that a restart interrupted: they cost money, so a person lets them continue or discards them. */
    held: heldNow,
    /** For who has the organization's token. Other IDs, such as those decided about before, are ignored. Resolves to those that are still held. */
    async decide(type: HeldDecision, ids: readonly string[]): Promise<readonly string[]> {
      const held = await heldNow();
      for (const id of ids.filter((each) => held.includes(each)))
        if (type === "continue") await letContinue(id);
        else await end(id, "stopped", null, "bearer");
      const left = await heldNow();
      parts.onHeld?.(left);
      return left;
    },
    isBusy: () => store.isBusy(),
    /** Begins nothing new, and gives back what is still running after so many milliseconds. */
    async drain(milliseconds: number): Promise<void> {
      operations?.drain();
      operations?.stop();
      const closing = Promise.all([runner.drain(), sender.close()]);
      await Promise.race([closing, sleep(milliseconds)]);
      const late = sleep(giveBackMs, undefined, { ref: false }).then(() => {
        throw new Error("The database does not answer.");
      });
      await Promise.race([runner.giveBack(), late]).catch((error: unknown) => {
        // Others continue them when they notice that this process is gone.
        log(`Running executions could not be given back: ${messageOf(error)}`);
      });
    },
    async close() {
      stopListening();
      operations?.stop();
      await runner.drain();
      await sender.close();
      for (const { engine } of crews) engine.close?.();
      await database.close();
    },
  };

  async function letContinue(id: string): Promise<void> {
    const execution = await store.find(id);
    if (!own || !execution) return;
    await database.transaction(function* () {
      yield* own.release(id);
      yield* note(id, { action: "continue", actor: "bearer", at: database.now() });
      yield* addEvent(id, continuedEvent(database.now()));
      yield* jobs.add(execution.crew, id);
    });
  }
}

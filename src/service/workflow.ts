import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { OpenWorkflow, type RetryPolicy } from "openworkflow";
import type { Backend } from "openworkflow/internal";
import { change, rows, type Database, type Work } from "./database/database.ts";
import { messageOf } from "./errors.ts";
import type { Log } from "./operations/log.ts";
import type { Steps } from "./steps.ts";

// Only `workflow*.ts` use openworkflow, which is young: its version is pinned.

/** The name of openworkflow's workflow, and of its namespace. */
export const workflowName = "crews";

/** How many runs a process executes at a time, without those that wait for a person. */
const concurrency = 16;

/** When a wait ends without its signal: the last date that sorts correctly as text. */
export const never = new Date("9999-12-31T00:00:00Z");

const taskRetries: RetryPolicy = {
  initialInterval: "500ms",
  backoffCoefficient: 2,
  maximumInterval: "10s",
  maximumAttempts: 0,
};

/** Another process has to run it. This one gives it back. */
export class RunElsewhere extends Error {
  /** A bundle gives the class another name. */
  static readonly errorName = "RunElsewhere";
  override readonly name = RunElsewhere.errorName;
}

export interface RunHandlers {
  /** @throws {RunElsewhere} */
  crew(executionId: string, steps: Steps): Promise<void>;
  /** The run can't continue and isn't repeated. */
  onBroken(executionId: string, error: unknown): Promise<void>;
  readonly log: Log;
}

export function createRuns(
  backend: Backend,
  database: Pick<Database, "onNotice" | "notify">,
  handlers: RunHandlers,
) {
  const drain = createDrain();
  const crews = createQueue(backend, handlers.log, async (executionId, step) => {
    const library = { threw: false };
    // The library suspends and repeats a run by throwing. Other errors end the run.
    const guard = async <T>(action: Promise<T>): Promise<T> => {
      try {
        return await action;
      } catch (error) {
        library.threw = !(error instanceof Error && error.name === "StepLimitExceededError");
        throw error;
      }
    };
    const steps: Steps = {
      run: (name, action) =>
        drain.begin(() => guard(step.run({ name, retryPolicy: taskRetries }, action))),
      wait: async (signal) => {
        while ((await guard(step.waitForSignal({ signal, timeout: never }))) === null);
      },
    };
    try {
      await handlers.crew(executionId, steps);
    } catch (error) {
      if (library.threw || error instanceof RunElsewhere) throw error;
      await handlers.onBroken(executionId, error);
    }
  });
  const stopListening = database.onNotice(({ kind }) => {
    if (kind === "run") crews.wake();
  });
  return {
    startCrew: crews.start,
    wake: crews.wake,
    /** Reports that this process answers a kickoff. */
    noteKickoff: crews.noteKickoff,
    /** False if no run waits for the signal: signals aren't stored. */
    signal: async (name: string): Promise<boolean> => {
      const { workflowRunIds } = await crews.client.sendSignal({ signal: name });
      database.notify({ kind: "run" });
      return workflowRunIds.length > 0;
    },
    work: () => crews.work(),
    /** Begins no more steps. Resolves when none is running. */
    async drain(): Promise<void> {
      crews.stop();
      await drain.drain();
    },
    async close(): Promise<void> {
      stopListening();
      await crews.close();
    },
  };
}

/**
 * Wakes a run whose signal was delivered. The library does it, too, but in two changes: a kill between them leaves the run
 * asleep.
 * @param now an expression of SQL
 */
export function* wakeRun(now: string, executionId: string): Work<unknown> {
  return yield* change(
    `UPDATE workflow_runs SET available_at = ${now}
     WHERE namespace_id = ? AND workflow_name = ? AND idempotency_key = ? AND status = 'running' AND worker_id IS NULL
       AND available_at > ${now} AND EXISTS (
         SELECT 1 FROM step_attempts AS waits
         JOIN workflow_signals AS signals ON signals.namespace_id = waits.namespace_id AND signals.step_attempt_id = waits.id
         WHERE waits.namespace_id = workflow_runs.namespace_id AND waits.workflow_run_id = workflow_runs.id
           AND waits.kind = 'signal-wait' AND waits.status = 'running')`,
    workflowName,
    workflowName,
    executionId,
  );
}

/** Counts the steps that are running, to end when there are none. */
function createDrain() {
  let running = 0;
  let isDraining = false;
  let onIdle = (): void => undefined;
  return {
    async begin<T>(step: () => Promise<T>): Promise<T> {
      // The process ends soon, and another one takes over the run.
      if (isDraining) return await new Promise<T>(() => undefined);
      running += 1;
      try {
        return await step();
      } finally {
        running -= 1;
        if (running === 0) onIdle();
      }
    },
    drain: () =>
      new Promise<void>((resolve) => {
        isDraining = true;
        onIdle = resolve;
        if (running === 0) resolve();
      }),
  };
}

type Step = Parameters<Parameters<OpenWorkflow["implementWorkflow"]>[1]>[0]["step"];

/**
 * The pause between polls (ms): a poll costs as much as starting an execution. It is doubled each time while kickoffs keep this
 * process busy, so that their answers don't wait for the executions that began first.
 */
const pollPauseMs = { shortest: 20, longest: 200 };

/** A process that works for at least this part of the time is busy. */
const busyShare = 0.9;

const idleMs = { first: 50, longest: 1000 };

/** The library's own loop can't be woken, which would delay an execution by up to a second. */
function createQueue(backend: Backend, log: Log, run: (id: string, step: Step) => Promise<void>) {
  let idle = idleMs.first;
  let woken = new AbortController();
  let loop: Promise<void> | undefined;
  let isStopped = false;
  let pause = pollPauseMs.shortest;
  let used = performance.eventLoopUtilization();
  /** Since the last poll. */
  let hasKickoffs = false;
  const wake = () => {
    idle = idleMs.first;
    woken.abort();
  };
  const client = new OpenWorkflow({ backend: lookingOnce(backend) });
  client.implementWorkflow<string, null>({ name: workflowName }, async ({ input, step }) => {
    try {
      await run(input, step);
      return null;
    } finally {
      // The worker counts this run as running until it has returned.
      setImmediate(wake);
    }
  });
  const worker = client.newWorker({ concurrency });

  function updatePause(): void {
    const before = used;
    used = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(used, before);
    const yields = hasKickoffs && utilization >= busyShare;
    pause = yields ? Math.min(2 * pause, pollPauseMs.longest) : pollPauseMs.shortest;
    hasKickoffs = false;
  }

  async function poll(): Promise<void> {
    while (!isStopped) {
      const { signal } = (woken = new AbortController());
      updatePause();
      let count = 0;
      try {
        count = await worker.tick();
      } catch (error) {
        // For example a full disk. The next poll tries again.
        log(`The service could not look for work: ${messageOf(error)}`, { level: "error" });
      }
      await sleep(pause);
      if (count > 0) idle = idleMs.first;
      else if (!signal.aborted) {
        await sleep(idle, undefined, { signal }).catch(() => undefined);
        idle = Math.min(idle * 2, idleMs.longest);
      }
    }
  }

  /** Begins no more runs. */
  function stop(): void {
    isStopped = true;
    wake();
  }

  return {
    client,
    wake,
    noteKickoff: () => void (hasKickoffs = true),
    start: async (id: string): Promise<void> => {
      await client.runWorkflow({ name: workflowName }, id, { idempotencyKey: id });
      wake();
    },
    work(): void {
      loop ??= poll();
    },
    stop,
    async close(): Promise<void> {
      stop();
      await loop;
      await worker.stop();
      await backend.stop();
    },
  };
}

/** Executions that have not ended though the library has given up their run, and why. */
export function* brokenRuns(): Work<readonly { readonly id: string; readonly problem: string }[]> {
  // Few runs ever fail, so they come first: SQLite keeps this order.
  const found = yield* rows(
    `SELECT executions.id, workflow_runs.error ->> 'message' AS problem FROM workflow_runs CROSS JOIN executions
     WHERE namespace_id = ? AND workflow_name = ? AND status = 'failed' AND executions.id = idempotency_key AND ended_at IS NULL`,
    workflowName,
    workflowName,
  );
  return found.map(({ id, problem }) => ({ id: String(id), problem: String(problem) }));
}

/** The library's worker sends a claim for each free place at the same time. If the first one finds no run, the others are skipped. */
function lookingOnce(backend: Backend): Backend {
  let first: Promise<unknown> | undefined;
  const claim: Backend["claimWorkflowRun"] = async (params) => {
    if (first) return (await first) === null ? null : await backend.claimWorkflowRun(params);
    const looking = backend.claimWorkflowRun(params);
    first = looking;
    try {
      return await looking;
    } finally {
      first = undefined;
    }
  };
  return new Proxy(backend, {
    get: (target, name): unknown =>
      name === "claimWorkflowRun" ? claim : Reflect.get(target, name),
  });
}

/** SQL that finds the run of an execution if it has not ended. @param id SQL for the execution's ID */
export function hasOpenRun(id: string): string {
  return `SELECT 1 FROM workflow_runs WHERE namespace_id = '${workflowName}' AND workflow_name = '${workflowName}'
    AND idempotency_key = ${id} AND status NOT IN ('completed', 'succeeded', 'failed', 'canceled')`;
}

/** Deletes the runs of executions with all that the library keeps of them. */
export function* forgetRuns(ids: readonly string[]): Work<void> {
  const places = ids.map(() => "?").join(", ");
  const runs = `FROM workflow_runs WHERE namespace_id = '${workflowName}' AND workflow_name = '${workflowName}' AND idempotency_key IN (${places})`;
  const steps = `FROM step_attempts WHERE namespace_id = '${workflowName}' AND workflow_run_id IN (SELECT id ${runs})`;
  const signals = `FROM workflow_signals WHERE namespace_id = '${workflowName}' AND step_attempt_id IN (SELECT id ${steps})`;
  for (const found of [signals, steps, runs]) yield* change(`DELETE ${found}`, ...ids);
}

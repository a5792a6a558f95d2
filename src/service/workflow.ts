import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { OpenWorkflow, type RetryPolicy, type Worker } from "openworkflow";
import { BackendSqlite } from "openworkflow/sqlite";
import type { Steps } from "./crew-run.ts";
import { messageOf } from "./errors.ts";

// The only file that uses openworkflow: it is young, its version is pinned, and our tests are its acceptance tests.

/** Limits of concurrent runs. A run that waits for a person doesn't count. */
const concurrency = { crews: 16, callbacks: 16 };

/** Only a signal ends a wait. The library's default is a year; this is the last date that sorts correctly as text. */
const never = new Date("9999-12-31T00:00:00Z");

const taskRetries: RetryPolicy = {
  initialInterval: "500ms",
  backoffCoefficient: 2,
  maximumInterval: "10s",
  maximumAttempts: 0,
};

export interface RunHandlers {
  crew(executionId: string, steps: Steps): Promise<void>;
  callback(deliveryId: string): Promise<void>;
  /** The run can't continue and isn't repeated. */
  onBroken(executionId: string, error: unknown): void;
}

/** `absent`: never created; `failed`: given up by the library. */
export type RunState =
  | { readonly state: "absent" | "alive" | "done" }
  | { readonly state: "failed"; readonly message: string };

/** Durable runs of executions and of callbacks. Each kind has its own worker, so that slow receivers never delay a crew. */
export class DurableRuns {
  readonly #crews: RunQueue;
  readonly #callbacks: RunQueue;
  readonly #handlers: RunHandlers;

  /** `callbackBackoffMs` is the wait before the second attempt of a callback; it doubles up to an hour. */
  constructor(file: string, handlers: RunHandlers, callbackBackoffMs: number) {
    this.#handlers = handlers;
    const callbackRetries: RetryPolicy = {
      initialInterval: `${callbackBackoffMs}ms`,
      backoffCoefficient: 2,
      maximumInterval: "1h",
      maximumAttempts: 0,
    };
    this.#crews = new RunQueue(file, "crews", (id, step) => this.#runCrew(id, step));
    this.#callbacks = new RunQueue(file, "callbacks", async (id, step) => {
      await step.run({ name: "send", retryPolicy: callbackRetries }, () => handlers.callback(id));
    });
  }

  startCrew(executionId: string): Promise<void> {
    return this.#crews.start(executionId);
  }

  startCallback(deliveryId: string): Promise<void> {
    return this.#callbacks.start(deliveryId);
  }

  /** Wakes the run that waits for a signal. False if none waits or it is already awake: signals aren't stored. */
  async signal(name: string): Promise<boolean> {
    const { workflowRunIds } = await this.#crews.client.sendSignal({ signal: name });
    this.#crews.wake();
    return workflowRunIds.length > 0;
  }

  work(): void {
    this.#crews.work();
    this.#callbacks.work();
  }

  async close(): Promise<void> {
    await Promise.all([this.#crews.close(), this.#callbacks.close()]);
  }

  async #runCrew(executionId: string, step: Step): Promise<void> {
    const library = { threw: false };
    // The library suspends and repeats a run by throwing through it. Other errors, and those it can't repeat, end the run.
    const guard = async <T>(action: Promise<T>): Promise<T> => {
      try {
        return await action;
      } catch (error) {
        library.threw = !(error instanceof Error && error.name === "StepLimitExceededError");
        throw error;
      }
    };
    const steps: Steps = {
      run: (name, action) => guard(step.run({ name, retryPolicy: taskRetries }, action)),
      wait: async (signal) => {
        while ((await guard(step.waitForSignal({ signal, timeout: never }))) === null);
      },
    };
    try {
      await this.#handlers.crew(executionId, steps);
    } catch (error) {
      if (library.threw) throw error;
      this.#handlers.onBroken(executionId, error);
    }
  }
}

type Step = Parameters<Parameters<OpenWorkflow["implementWorkflow"]>[1]>[0]["step"];

/** Milliseconds between two polls. A poll costs as much as starting an execution, so requests get their turn first. */
const pollPauseMs = 20;
const idleMs = { first: 50, longest: 1000 };

/**
 * One kind of run: a namespace in the file, a worker, and the loop that polls for its work, at once when woken. The library's
 * own loop can't be woken, which would delay a new execution by up to a second.
 */
class RunQueue {
  readonly client: OpenWorkflow;
  readonly #name: string;
  readonly #backend: BackendSqlite;
  readonly #worker: Worker;
  #idleMs = idleMs.first;
  #woken = new AbortController();
  #loop: Promise<void> | undefined;
  #isStopped = false;

  constructor(
    file: string,
    name: keyof typeof concurrency,
    run: (id: string, step: Step) => Promise<void>,
  ) {
    this.#name = name;
    this.#backend = BackendSqlite.connect(file, { namespaceId: name });
    this.client = new OpenWorkflow({ backend: this.#backend });
    this.client.implementWorkflow<string, null>({ name }, async ({ input, step }) => {
      try {
        await run(input, step);
        return null;
      } finally {
        // The worker counts this run until it has returned.
        setImmediate(() => this.wake());
      }
    });
    this.#worker = this.client.newWorker({ concurrency: concurrency[name] });
  }

  async start(id: string): Promise<void> {
    await this.client.runWorkflow({ name: this.#name }, id, { idempotencyKey: id });
    this.wake();
  }

  work(): void {
    this.#loop ??= this.#poll();
  }

  wake(): void {
    this.#idleMs = idleMs.first;
    this.#woken.abort();
  }

  async close(): Promise<void> {
    this.#isStopped = true;
    this.wake();
    await this.#loop;
    await this.#worker.stop();
    await this.#backend.stop();
  }

  async #poll(): Promise<void> {
    while (!this.#isStopped) {
      const { signal } = (this.#woken = new AbortController());
      let count = 0;
      try {
        count = await this.#worker.tick();
      } catch (error) {
        // The database may be busy or the disk full. The work is still there at the next poll.
        process.stderr.write(`The service could not look for work: ${messageOf(error)}\n`);
      }
      await sleep(pollPauseMs);
      if (count > 0) this.#idleMs = idleMs.first;
      else if (!signal.aborted) {
        await sleep(this.#idleMs, undefined, { signal }).catch(() => undefined);
        this.#idleMs = Math.min(this.#idleMs * 2, idleMs.longest);
      }
    }
  }
}

/**
 * Frees the runs of a killed process, so that they continue at once and not after the library's lease of 30 s. Only for the
 * sole user of the file, before any worker starts. Throws if the columns of the library's table have changed.
 */
export function freeLeases(database: DatabaseSync): void {
  database
    .prepare(
      "UPDATE workflow_runs SET available_at = ?, worker_id = NULL WHERE status = 'running' AND worker_id IS NOT NULL",
    )
    .run(new Date().toISOString());
}

/** At each poll the library searches all waiting runs for deadlines, which this service never sets. Throws as `freeLeases` does. */
export function indexDeadlines(database: DatabaseSync): void {
  database.exec(
    "CREATE INDEX IF NOT EXISTS crewdeck_deadlines ON workflow_runs (namespace_id, status, deadline_at) WHERE deadline_at IS NOT NULL",
  );
}

/** Reads the state of an execution's run from the library's table; throws as `freeLeases` does. */
export function runState(database: DatabaseSync, executionId: string): RunState {
  const row = database
    .prepare(
      `SELECT status, json_extract(error, '$.message') AS message FROM workflow_runs
       WHERE namespace_id = 'crews' AND workflow_name = 'crews' AND idempotency_key = ? LIMIT 1`,
    )
    .get(executionId);
  if (!row) return { state: "absent" };
  if (row["status"] === "failed") return { state: "failed", message: String(row["message"]) };
  return { state: row["status"] === "completed" ? "done" : "alive" };
}

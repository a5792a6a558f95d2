import type { DatabaseSync } from "node:sqlite";
import { OpenWorkflow, type RetryPolicy, type Worker } from "openworkflow";
import { BackendSqlite } from "openworkflow/sqlite";
import type { Steps } from "./crew-run.ts";
import { Pump } from "./pump.ts";

// Every use of openworkflow is in this file: it is young, its version is pinned, and our tests are its acceptance tests.

/** How many runs go on at once. A run that waits for a person takes no place. */
const concurrency = { crews: 16, callbacks: 16 };

/** Waits end by a signal only. The library's own limit is a year; this is the last date whose text sorts as text. */
const never = new Date("9999-12-31T00:00:00Z");

/** The retries of a task: three in all, which the run counts, half a second and a second apart. */
const taskRetries: RetryPolicy = {
  initialInterval: "500ms",
  backoffCoefficient: 2,
  maximumInterval: "10s",
  maximumAttempts: 0,
};

/** What the runs do. Each rejects to be tried again. */
export interface RunHandlers {
  /** Works through the execution with this id. */
  crew(executionId: string, steps: Steps): Promise<void>;
  /** Tries to send the callback with this id. */
  callback(deliveryId: string): Promise<void>;
  /** A run that can't go on; it is not tried again. */
  onBroken(executionId: string, error: unknown): void;
}

/** How a run stands: `absent` when it was never created, `done` when it has ended by itself, `failed` with the library's reason. */
export type RunState =
  | { readonly state: "absent" | "alive" | "done" }
  | { readonly state: "failed"; readonly message: string };

/**
 * The durable runs: one for each execution, one for each callback. The two kinds have workers of their own, so that
 * receivers that hang never hold up a crew.
 */
export class DurableRuns {
  readonly #crews: Lane;
  readonly #callbacks: Lane;
  readonly #callbackRetries: RetryPolicy;
  readonly #handlers: RunHandlers;

  /** `callbackBackoffMs` is the wait before the second try of a callback; it doubles from there up to an hour. */
  constructor(file: string, handlers: RunHandlers, callbackBackoffMs: number) {
    this.#handlers = handlers;
    this.#callbackRetries = {
      initialInterval: `${callbackBackoffMs}ms`,
      backoffCoefficient: 2,
      maximumInterval: "1h",
      maximumAttempts: 0,
    };
    this.#crews = new Lane(file, "crews", (id, step) => this.#runCrew(id, step));
    this.#callbacks = new Lane(file, "callbacks", async (id, step) => {
      await step.run({ name: "send", retryPolicy: this.#callbackRetries }, () =>
        handlers.callback(id),
      );
    });
  }

  /** Begins the run of an execution; asked again it changes nothing. */
  async startCrew(executionId: string): Promise<void> {
    await this.#crews.start(executionId);
  }

  /** Begins to send a callback; asked again it changes nothing. */
  async startCallback(deliveryId: string): Promise<void> {
    await this.#callbacks.start(deliveryId);
  }

  /** Wakes the run that waits for a signal. False when none waits or it was woken before: signals are not kept for later. */
  async signal(name: string): Promise<boolean> {
    const { workflowRunIds } = await this.#crews.client.sendSignal({ signal: name });
    this.#crews.pump.wake();
    return workflowRunIds.length > 0;
  }

  /** Starts working. */
  work(): void {
    this.#crews.pump.start();
    this.#callbacks.pump.start();
  }

  /** Stops working once what is under way has come to a stop, and closes the file. */
  async close(): Promise<void> {
    await Promise.all([this.#crews.close(), this.#callbacks.close()]);
  }

  async #runCrew(executionId: string, step: Step): Promise<void> {
    const library = { threw: false };
    // The library parks and repeats a run by throwing through it: only what it did not throw, or can't repeat, is an end.
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

/** One kind of run: a namespace in the file, a worker, and the loop that drives it. */
class Lane {
  readonly client: OpenWorkflow;
  readonly pump: Pump;
  readonly #name: string;
  readonly #backend: BackendSqlite;
  readonly #worker: Worker;

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
        // Its place is free in a moment.
        setImmediate(() => this.pump.wake());
      }
    });
    this.#worker = this.client.newWorker({ concurrency: concurrency[name] });
    this.pump = new Pump(() => this.#worker.tick());
  }

  async start(id: string): Promise<void> {
    await this.client.runWorkflow({ name: this.#name }, id, { idempotencyKey: id });
    this.pump.wake();
  }

  async close(): Promise<void> {
    await this.pump.stop();
    await this.#worker.stop();
    await this.#backend.stop();
  }
}

/**
 * Takes the runs of a process that died away from it, so that they go on at once and not after the library's lease of 30 s.
 * Only for the sole owner of the file, before any worker starts. It writes the library's own table: throws when its
 * columns are no longer those of the pinned version.
 */
export function freeLeases(database: DatabaseSync, now: Date): void {
  database
    .prepare(
      "UPDATE workflow_runs SET available_at = ?, worker_id = NULL WHERE status = 'running' AND worker_id IS NOT NULL",
    )
    .run(now.toISOString());
}

/**
 * Lets the library look for work in a time that does not grow with the number of runs that wait: at every look it searches
 * all of them for deadlines, which this service never sets. Adds an index to the library's table, and throws as `freeLeases` does.
 */
export function indexDeadlines(database: DatabaseSync): void {
  database.exec(
    "CREATE INDEX IF NOT EXISTS crewdeck_deadlines ON workflow_runs (namespace_id, status, deadline_at) WHERE deadline_at IS NOT NULL",
  );
}

/** How the run of an execution stands. Reads the library's own table, and throws as `freeLeases` does. */
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

import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { OpenWorkflow, type RetryPolicy } from "openworkflow";
import { BackendSqlite } from "openworkflow/sqlite";
import type { Steps } from "./crew-run.ts";
import { messageOf } from "./errors.ts";

// Only this file uses openworkflow, which is young: its version is pinned.

/** A run that waits for a person doesn't count. */
const concurrency = { crews: 16, callbacks: 16 };

/** Only a signal ends a wait. This is the last date that sorts correctly as text. */
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

/**
 * A claim that runs out is claimed again, by this same process: after the machine has slept, an attempt would run twice.
 * {@link freeLeases} ends the claims of a process that ended (ms).
 */
const leaseMs = 100 * 365 * 24 * 60 * 60_000;

/** A worker each for executions and callbacks, so that slow receivers never delay a crew. */
export function createRuns(file: string, handlers: RunHandlers, callbackBackoffMs: number) {
  const initialInterval = `${callbackBackoffMs}ms` as const;
  const retryPolicy: RetryPolicy = { ...taskRetries, initialInterval, maximumInterval: "1h" };
  const callbacks = createQueue(file, "callbacks", async (id, step) => {
    await step.run({ name: "send", retryPolicy }, () => handlers.callback(id));
  });
  const crews = createQueue(file, "crews", async (executionId, step) => {
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
      run: (name, action) => guard(step.run({ name, retryPolicy: taskRetries }, action)),
      wait: async (signal) => {
        while ((await guard(step.waitForSignal({ signal, timeout: never }))) === null);
      },
    };
    try {
      await handlers.crew(executionId, steps);
    } catch (error) {
      if (library.threw) throw error;
      handlers.onBroken(executionId, error);
    }
  });
  return {
    startCrew: crews.start,
    startCallback: callbacks.start,
    wake: crews.wake,
    /** False if no run waits for the signal: signals aren't stored. */
    signal: async (name: string): Promise<boolean> => {
      const { workflowRunIds } = await crews.client.sendSignal({ signal: name });
      crews.wake();
      return workflowRunIds.length > 0;
    },
    work(): void {
      crews.work();
      callbacks.work();
    },
    close: () => Promise.all([crews.close(), callbacks.close()]),
  };
}

type Step = Parameters<Parameters<OpenWorkflow["implementWorkflow"]>[1]>[0]["step"];

/** The pause between polls (ms): a poll costs as much as starting an execution. */
const pollPauseMs = 20;
const idleMs = { first: 50, longest: 1000 };

/** The library's own loop can't be woken, which would delay an execution by up to a second. */
function createQueue(
  file: string,
  name: keyof typeof concurrency,
  run: (id: string, step: Step) => Promise<void>,
) {
  let idle = idleMs.first;
  let woken = new AbortController();
  let loop: Promise<void> | undefined;
  let isStopped = false;
  const wake = () => {
    idle = idleMs.first;
    woken.abort();
  };
  const backend = BackendSqlite.connect(file, { namespaceId: name });
  const claim = backend.claimWorkflowRun.bind(backend);
  backend.claimWorkflowRun = (claimed) => claim({ ...claimed, leaseDurationMs: leaseMs });
  const extend = backend.extendWorkflowRunLease.bind(backend);
  backend.extendWorkflowRunLease = (claimed) => extend({ ...claimed, leaseDurationMs: leaseMs });
  const client = new OpenWorkflow({ backend });
  client.implementWorkflow<string, null>({ name }, async ({ input, step }) => {
    try {
      await run(input, step);
      return null;
    } finally {
      // The worker counts this run until it has returned.
      setImmediate(wake);
    }
  });
  const worker = client.newWorker({ concurrency: concurrency[name] });

  async function poll(): Promise<void> {
    while (!isStopped) {
      const { signal } = (woken = new AbortController());
      let count = 0;
      try {
        count = await worker.tick();
      } catch (error) {
        // For example a full disk. The next poll tries again.
        process.stderr.write(`The service could not look for work: ${messageOf(error)}\n`);
      }
      await sleep(pollPauseMs);
      if (count > 0) idle = idleMs.first;
      else if (!signal.aborted) {
        await sleep(idle, undefined, { signal }).catch(() => undefined);
        idle = Math.min(idle * 2, idleMs.longest);
      }
    }
  }

  return {
    client,
    wake,
    start: async (id: string): Promise<void> => {
      await client.runWorkflow({ name }, id, { idempotencyKey: id });
      wake();
    },
    work(): void {
      loop ??= poll();
    },
    async close(): Promise<void> {
      isStopped = true;
      wake();
      await loop;
      await worker.stop();
      await backend.stop();
    },
  };
}

/** Frees the runs of a process that ended. Call it as the sole user of the file. Throws if the library's table has changed. */
export function freeLeases(database: DatabaseSync): void {
  database
    .prepare(
      "UPDATE workflow_runs SET available_at = ?, worker_id = NULL WHERE status = 'running' AND worker_id IS NOT NULL",
    )
    .run(new Date().toISOString());
}

/** Keeps an execution from continuing by itself. Throws as `freeLeases` does. */
export function holdRun(database: DatabaseSync, executionId: string): void {
  database
    .prepare(
      "UPDATE workflow_runs SET available_at = ?, worker_id = NULL WHERE namespace_id = 'crews' AND idempotency_key = ?",
    )
    .run(never.toISOString(), executionId);
}

/** Rows that wait for a time of day. */
const waits = "available_at < :never AND worker_id IS NULL";

const dateFormat = "'%Y-%m-%dT%H:%M:%fZ'";

/**
 * Moves the waits of callbacks and retries by as much as the clock was set back, so that they take as long as a
 * monotonic clock measures. Throws as `freeLeases` does.
 */
export function moveWaits(database: DatabaseSync, milliseconds: number): void {
  const move = (column: string) =>
    `${column} = strftime(${dateFormat}, julianday(${column}) - :milliseconds / 86400000.0)`;
  database
    .prepare(
      `UPDATE workflow_runs SET ${move("available_at")}, ${move("updated_at")}
       WHERE available_at > :now AND ${waits}`,
    )
    .run({ milliseconds, now: new Date().toISOString(), never: never.toISOString() });
}

/**
 * Begins waits again that were stored in the future: the clock was set back while no service ran. Throws as `freeLeases`
 * does.
 */
export function restartWaits(database: DatabaseSync): void {
  const now = new Date().toISOString();
  database
    .prepare(
      `UPDATE workflow_runs SET updated_at = :now,
       available_at = strftime(${dateFormat}, julianday(:now) + julianday(available_at) - julianday(updated_at))
       WHERE updated_at > :now AND ${waits}`,
    )
    .run({ now, never: never.toISOString() });
}

/** Lets a held execution continue. Throws as `freeLeases` does. */
export function releaseRun(database: DatabaseSync, executionId: string): void {
  database
    .prepare(
      "UPDATE workflow_runs SET available_at = ? WHERE namespace_id = 'crews' AND idempotency_key = ?",
    )
    .run(new Date().toISOString(), executionId);
}

/** Each poll searches for deadlines, which this service never sets. Throws as `freeLeases` does. */
export function indexDeadlines(database: DatabaseSync): void {
  database.exec(
    "CREATE INDEX IF NOT EXISTS crewdeck_deadlines ON workflow_runs (namespace_id, status, deadline_at) WHERE deadline_at IS NOT NULL",
  );
}

/** `absent`: never created; `failed`: given up by the library. Throws as `freeLeases` does. */
export function runState(database: DatabaseSync, executionId: string) {
  const row = database
    .prepare(
      `SELECT status, json_extract(error, '$.message') AS message FROM workflow_runs
       WHERE namespace_id = 'crews' AND workflow_name = 'crews' AND idempotency_key = ? LIMIT 1`,
    )
    .get(executionId);
  if (!row) return { state: "absent" } as const;
  if (row["status"] === "failed")
    return { state: "failed", message: String(row["message"]) } as const;
  return { state: row["status"] === "completed" ? "done" : "alive" } as const;
}

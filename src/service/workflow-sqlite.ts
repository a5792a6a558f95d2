import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { Backend } from "openworkflow/internal";
import { BackendSqlite } from "openworkflow/sqlite";
import { text, transaction } from "../base/sqlite.ts";
import { change, type Work } from "./database/database.ts";
import { openSqliteDatabase, type SqliteDatabase } from "./database/sqlite.ts";
import type { Storage } from "./storage.ts";
import { never, wakeRun, workflowName } from "./workflow.ts";

/** Everything in a file that this process alone uses. Throws if it isn't a database, is damaged or can't be written. */
export function openSqliteStorage(
  file: string,
  log: (line: string) => void,
): Storage & { readonly database: SqliteDatabase } {
  const database = openSqliteDatabase(file, log);
  const { connection } = database;
  return {
    database,
    forRuns: database,
    backend: sqliteBackend(file, database),
    startRun,
    wakeRun: (id) => wakeRun(`strftime(${dateFormat}, 'now')`, id),
    own: {
      hold: () => hold(connection),
      release: (id) =>
        transaction(connection, () => {
          const { changes } = connection.prepare("DELETE FROM held WHERE execution_id = ?").run(id);
          // Only once: a run that is already running would be claimed a second time.
          if (changes > 0) releaseRun(connection, id);
          // A person pays for what is begun again.
          for (const table of ["attempts", "flow_parts"])
            connection.prepare(`UPDATE ${table} SET begins = 0 WHERE execution_id = ?`).run(id);
        }),
      freeLeases: () => freeLeases(connection),
      restartWaits: () => restartWaits(connection),
      moveWaits: (milliseconds) => moveWaits(connection, milliseconds),
      hasRun: (id) => hasRun(connection, id),
      withoutRun: () => withoutRun(connection),
    },
  };
}

/**
 * A claim that runs out is claimed again, by this same process: after the machine has slept, an attempt would run twice.
 * `freeLeases` ends the claims of a process that ended (ms).
 */
const leaseMs = 100 * 365 * 24 * 60 * 60_000;

/** openworkflow's own, on the service's connection, so that its changes wait for the disk together with others. */
function sqliteBackend(file: string, database: SqliteDatabase): Backend {
  const library = BackendSqlite.connect(file, { namespaceId: workflowName });
  // It has made its tables.
  void library.stop();
  const failures: unknown[] = [];
  const noted = <Result>(action: (...values: SQLInputValue[]) => Result) => {
    return (...values: SQLInputValue[]): Result => {
      try {
        return action(...values);
      } catch (error) {
        failures.push(error);
        throw error;
      }
    };
  };
  Reflect.set(library, "db", {
    // Its changes are part of others.
    exec: () => undefined,
    prepare(sql: string) {
      const statement = database.prepare(sql);
      return {
        run: noted((...values) => statement.run(...values)),
        get: noted((...values) => statement.get(...values)),
        all: noted((...values) => statement.all(...values)),
      };
    },
  });
  const extend = library.extendWorkflowRunLease.bind(library);
  library.extendWorkflowRunLease = (claimed) => extend({ ...claimed, leaseDurationMs: leaseMs });
  library.claimWorkflowRun = async ({ workerId }) => {
    const workflowRunId = claim(database, workerId);
    return workflowRunId === undefined ? null : await library.getWorkflowRun({ workflowRunId });
  };
  library.stop = () => Promise.resolve();
  return new Proxy(library, {
    get(target, name): unknown {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function" || /^(get|list|count)/.test(String(name))) return method;
      return (...args: unknown[]) =>
        database.synced(() => {
          failures.length = 0;
          const result = Reflect.apply(method, target, args) as Promise<unknown>;
          // If the change is undone, nobody awaits this promise.
          result.catch(() => undefined);
          if (failures.length > 0) throw failures[0];
          return result;
        });
    },
  });
}

/**
 * Claims a run that can continue, those first that have begun. The library's own query reads all that can continue, each time.
 * Returns its ID, undefined if there is none.
 */
function claim({ prepare }: SqliteDatabase, workerId: string): string | undefined {
  const now = new Date();
  const until = new Date(now.getTime() + leaseMs).toISOString();
  for (const status of ["running", "pending"]) {
    const row = prepare(
      `UPDATE workflow_runs SET status = 'running', attempts = attempts + 1, worker_id = :workerId, available_at = :until,
         started_at = coalesce(started_at, :now), updated_at = :now
       WHERE rowid = (SELECT rowid FROM workflow_runs WHERE namespace_id = '${workflowName}' AND status = :status
         AND available_at <= :now ORDER BY available_at, created_at LIMIT 1)
       RETURNING id`,
    ).get({ workerId, until, now: now.toISOString(), status });
    if (row) return text(row, "id");
  }
  return undefined;
}

/**
 * Starts an execution's run as part of a change: the library's own `createWorkflowRun`, which writes the same row, is a change
 * of its own.
 */
function* startRun(executionId: string): Work<unknown> {
  const now = new Date().toISOString();
  return yield* change(
    `INSERT INTO workflow_runs (namespace_id, id, workflow_name, status, idempotency_key, config, input, attempts,
       available_at, created_at, updated_at)
     VALUES (?, ?, ?, 'pending', ?, '{}', ?, 0, ?, ?, ?)`,
    workflowName,
    executionId,
    workflowName,
    executionId,
    JSON.stringify(executionId),
    now,
    now,
    now,
  );
}

/** Holds all that would continue by themselves: those that have not ended, and don't wait for a person. */
function hold(database: DatabaseSync): void {
  // Together: after a kill between them nobody would be asked about the execution.
  transaction(database, () => {
    database
      .prepare(
        `INSERT OR IGNORE INTO held SELECT id FROM executions WHERE ended_at IS NULL
           AND NOT EXISTS (SELECT 1 FROM attempts WHERE execution_id = id AND attempts.state = 'waiting')`,
      )
      .run();
    const held = database
      .prepare("SELECT id FROM held JOIN executions ON id = execution_id WHERE ended_at IS NULL")
      .all();
    for (const { id } of held) holdRun(database, String(id));
  });
}

function freeLeases(database: DatabaseSync): void {
  database
    .prepare(
      `UPDATE workflow_runs SET available_at = :now, worker_id = NULL WHERE ${isUnderWay} AND worker_id IS NOT NULL`,
    )
    .run({ now: new Date().toISOString(), never: never.toISOString() });
}

function holdRun(database: DatabaseSync, executionId: string): void {
  database
    .prepare(`UPDATE workflow_runs SET available_at = ?, worker_id = NULL WHERE ${isRunOf("?")}`)
    .run(never.toISOString(), executionId);
}

/** Runs that don't wait for a person, by an index: of those that do, there may be many. */
const isUnderWay = `namespace_id = '${workflowName}' AND status IN ('pending', 'running') AND available_at < :never`;

/** Selects runs that wait for a time. */
const waits = `${isUnderWay} AND worker_id IS NULL`;

const dateFormat = "'%Y-%m-%dT%H:%M:%fZ'";

function moveWaits(database: DatabaseSync, milliseconds: number): void {
  const move = (column: string) =>
    `${column} = strftime(${dateFormat}, julianday(${column}) - :milliseconds / 86400000.0)`;
  database
    .prepare(
      `UPDATE workflow_runs SET ${move("available_at")}, ${move("updated_at")}
       WHERE available_at > :now AND ${waits}`,
    )
    .run({ milliseconds, now: new Date().toISOString(), never: never.toISOString() });
}

function restartWaits(database: DatabaseSync): void {
  const now = new Date().toISOString();
  database
    .prepare(
      `UPDATE workflow_runs SET updated_at = :now,
       available_at = strftime(${dateFormat}, julianday(:now) + julianday(available_at) - julianday(updated_at))
       WHERE updated_at > :now AND ${waits}`,
    )
    .run({ now, never: never.toISOString() });
}

function releaseRun(database: DatabaseSync, executionId: string): void {
  database
    .prepare(`UPDATE workflow_runs SET available_at = ? WHERE ${isRunOf("?")}`)
    .run(new Date().toISOString(), executionId);
}

function hasRun(database: DatabaseSync, executionId: string): boolean {
  const run = database
    .prepare(`SELECT 1 FROM workflow_runs WHERE ${isRunOf("?")}`)
    .get(executionId);
  return run !== undefined;
}

function withoutRun(database: DatabaseSync): readonly string[] {
  return database
    .prepare(
      `SELECT id FROM executions WHERE ended_at IS NULL AND id NOT IN (SELECT execution_id FROM held)
         AND NOT EXISTS (SELECT 1 FROM workflow_runs WHERE ${isRunOf("executions.id")})`,
    )
    .all()
    .map((row) => text(row, "id"));
}

/** By the library's index, which has all three columns. */
function isRunOf(executionId: string): string {
  return `namespace_id = '${workflowName}' AND workflow_name = '${workflowName}' AND idempotency_key = ${executionId}`;
}

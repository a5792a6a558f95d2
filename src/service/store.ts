import { EventEmitter, once } from "node:events";
import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import type { JsonObject } from "../api/types.ts";
import { transaction } from "../base/sqlite.ts";
import type { CrewProject } from "../projects/types.ts";
import { messageOf } from "./errors.ts";
import type {
  Attempt,
  AttemptKey,
  Callbacks,
  Decision,
  Execution,
  ExecutionView,
} from "./model.ts";

const schema = `
  CREATE TABLE IF NOT EXISTS executions (
    id TEXT PRIMARY KEY, owner TEXT NOT NULL, project TEXT NOT NULL, inputs TEXT NOT NULL, meta TEXT NOT NULL,
    callbacks TEXT NOT NULL, state TEXT NOT NULL, error TEXT, created_at INTEGER NOT NULL, ended_at INTEGER
  ) STRICT;
  CREATE INDEX IF NOT EXISTS executions_under_way ON executions (id) WHERE ended_at IS NULL;
  CREATE TABLE IF NOT EXISTS aliases (id TEXT PRIMARY KEY, execution_id TEXT NOT NULL REFERENCES executions) STRICT;
  CREATE TABLE IF NOT EXISTS attempts (
    execution_id TEXT NOT NULL REFERENCES executions, task_index INTEGER NOT NULL, attempt INTEGER NOT NULL,
    task_id TEXT NOT NULL, state TEXT NOT NULL, output TEXT, started_at INTEGER NOT NULL, finished_at INTEGER,
    failures INTEGER NOT NULL DEFAULT 0, feedback TEXT, callbacks TEXT, decided_at INTEGER, taken INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (execution_id, task_index, attempt)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS attempts_not_taken ON attempts (decided_at) WHERE decided_at IS NOT NULL AND taken = 0;
`;

const ofAttempt = "WHERE execution_id = ? AND task_index = ? AND attempt = ?";

/**
 * Executions, their attempts and decisions about them, in SQLite. Each method is one atomic change. The methods that a run
 * calls may be called again after a crash, and then change nothing.
 */
export class ExecutionStore {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #ended = new EventEmitter();

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec(schema);
    this.#ended.setMaxListeners(0);
  }

  add(execution: Execution): void {
    this.#prepare("INSERT INTO executions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").run(
      execution.id,
      execution.owner,
      JSON.stringify(execution.project),
      JSON.stringify(execution.inputs),
      JSON.stringify(execution.meta),
      JSON.stringify(execution.callbacks),
      execution.state,
      execution.error,
      execution.createdAt,
      execution.endedAt,
    );
  }

  /** The execution with this id or alias. Throws when the stored row is invalid. */
  find(id: string): Execution | undefined {
    const row = this.#prepare(
      "SELECT * FROM executions WHERE id = coalesce((SELECT execution_id FROM aliases WHERE id = ?), ?)",
    ).get(id, id);
    return row && readExecution(row);
  }

  view(id: string): ExecutionView | undefined {
    const execution = this.find(id);
    if (!execution) return undefined;
    const rows = this.#prepare(
      "SELECT * FROM attempts WHERE execution_id = ? ORDER BY task_index, attempt",
    ).all(execution.id);
    return { execution, attempts: rows.map(readAttempt) };
  }

  running(): string[] {
    const rows = this.#prepare("SELECT id FROM executions WHERE ended_at IS NULL").all();
    return rows.map(({ id }) => String(id));
  }

  attempt(key: AttemptKey): Attempt | undefined {
    const row = this.#prepare(`SELECT * FROM attempts ${ofAttempt}`).get(...values(key));
    return row && readAttempt(row);
  }

  /** Stores and returns a new attempt. A repeat keeps the first start. */
  begin(key: AttemptKey, taskId: string): Attempt {
    this.#prepare(
      "INSERT OR IGNORE INTO attempts (execution_id, task_index, attempt, task_id, state, started_at) VALUES (?, ?, ?, ?, 'running', ?)",
    ).run(...values(key), taskId, Date.now());
    const begun = this.attempt(key);
    if (!begun) throw new Error("An attempt that was just stored is missing.");
    return begun;
  }

  finish(key: AttemptKey, output: string, waits: boolean): void {
    this.#prepare(
      `UPDATE attempts SET state = ?, output = ?, finished_at = ? ${ofAttempt} AND state = 'running'`,
    ).run(waits ? "waiting" : "done", output, Date.now(), ...values(key));
  }

  countFailure(key: AttemptKey): number {
    const row = this.#prepare(
      `UPDATE attempts SET failures = failures + 1 ${ofAttempt} RETURNING failures`,
    ).get(...values(key));
    return Number(row?.["failures"]);
  }

  fail(key: AttemptKey): void {
    this.#prepare(
      `UPDATE attempts SET state = 'failed', finished_at = ? ${ofAttempt} AND state = 'running'`,
    ).run(Date.now(), ...values(key));
  }

  /**
   * Accepts a decision if the task still waits: one caller gets the attempt, others undefined. `alias` becomes another id of
   * the execution.
   */
  decide(
    executionId: string,
    taskId: string,
    decision: Decision,
    alias: string | undefined,
  ): AttemptKey | undefined {
    return this.#synced(() => {
      const row = this.#prepare(
        `UPDATE attempts SET state = ?, feedback = ?, callbacks = ?, decided_at = ?
         WHERE execution_id = ? AND task_id = ? AND state = 'waiting' RETURNING execution_id, task_index, attempt`,
      ).get(
        decision.isApprove ? "approved" : "rejected",
        decision.feedback,
        JSON.stringify(decision.callbacks),
        Date.now(),
        executionId,
        taskId,
      );
      if (!row) return undefined;
      if (alias !== undefined)
        this.#prepare("INSERT INTO aliases VALUES (?, ?)").run(alias, executionId);
      return readKey(row);
    });
  }

  waiting(executionId: string, taskId: string): Attempt | undefined {
    const row = this.#prepare(
      "SELECT * FROM attempts WHERE execution_id = ? AND task_id = ? AND state = 'waiting'",
    ).get(executionId, taskId);
    return row && readAttempt(row);
  }

  /** The decision about an attempt, marked as taken, so that its run isn't woken again. */
  takeDecision(key: AttemptKey): Decision | undefined {
    const row = this.#prepare(
      `UPDATE attempts SET taken = 1 ${ofAttempt} AND decided_at IS NOT NULL RETURNING state, feedback, callbacks`,
    ).get(...values(key));
    return (
      row && {
        isApprove: row["state"] === "approved",
        feedback: String(row["feedback"]),
        callbacks: fromJson(row, "callbacks") as Callbacks,
      }
    );
  }

  decisionsNotTaken(limit: number): AttemptKey[] {
    const rows = this.#prepare(
      `SELECT execution_id, task_index, attempt FROM attempts JOIN executions ON id = execution_id
       WHERE decided_at IS NOT NULL AND taken = 0 AND ended_at IS NULL ORDER BY decided_at LIMIT ?`,
    ).all(limit);
    return rows.map(readKey);
  }

  end(id: string, error: string | null): void {
    const { changes } = this.#prepare(
      "UPDATE executions SET state = ?, error = ?, ended_at = ? WHERE id = ? AND ended_at IS NULL",
    ).run(error === null ? "completed" : "error", error, Date.now(), id);
    if (changes) this.#ended.emit(id);
  }

  /** Deletes the callback addresses of an execution whose run makes no more callbacks. Returns whether there were any. */
  forgetCallbacks(id: string): boolean {
    const ofAttempts = this.#prepare(
      "UPDATE attempts SET callbacks = '{}' WHERE execution_id = ? AND callbacks <> '{}'",
    ).run(id);
    const own = this.#prepare(
      "UPDATE executions SET callbacks = '{}' WHERE id = ? AND callbacks <> '{}'",
    ).run(id);
    return Number(ofAttempts.changes) + Number(own.changes) > 0;
  }

  async waitForEnd(id: string, milliseconds: number): Promise<boolean> {
    if (this.find(id)?.endedAt !== null) return true;
    try {
      await once(this.#ended, id, { signal: AbortSignal.timeout(milliseconds) });
      return true;
    } catch {
      return false;
    }
  }

  /** Runs `action` in a transaction that is synced to the disk. It is synchronous, so no other write of this process intervenes. */
  #synced<T>(action: () => T): T {
    this.#database.exec("PRAGMA synchronous = FULL");
    try {
      return transaction(this.#database, action);
    } finally {
      this.#database.exec("PRAGMA synchronous = NORMAL");
    }
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }
}

function values(key: AttemptKey): [string, number, number] {
  return [key.executionId, key.taskIndex, key.attempt];
}

type Row = Readonly<Record<string, SQLOutputValue>>;

// Only this program writes the tables, which are strict, so these casts are true.

function readExecution(row: Row): Execution {
  return {
    id: row["id"] as string,
    owner: row["owner"] as Execution["owner"],
    project: fromJson(row, "project") as CrewProject,
    inputs: fromJson(row, "inputs") as JsonObject,
    meta: fromJson(row, "meta") as JsonObject | null,
    callbacks: fromJson(row, "callbacks") as Callbacks,
    state: row["state"] as Execution["state"],
    error: row["error"] as string | null,
    createdAt: row["created_at"] as number,
    endedAt: row["ended_at"] as number | null,
  };
}

function readAttempt(row: Row): Attempt {
  return {
    ...readKey(row),
    taskId: row["task_id"] as string,
    state: row["state"] as Attempt["state"],
    output: row["output"] as string | null,
    startedAt: row["started_at"] as number,
    finishedAt: row["finished_at"] as number | null,
    feedback: row["feedback"] as string | null,
    decidedAt: row["decided_at"] as number | null,
  };
}

function readKey(row: Row): AttemptKey {
  return {
    executionId: row["execution_id"] as string,
    taskIndex: row["task_index"] as number,
    attempt: row["attempt"] as number,
  };
}

function fromJson(row: Row, column: string): unknown {
  return JSON.parse(String(row[column]));
}

/** How long to wait after a deletion before the log is truncated, once for all deletions meanwhile (ms): it waits for the disk. */
const erasureDelayMs = 1000;

/**
 * Erases deleted data from all files. By default SQLite leaves it in free space of the database, and in the write-ahead log
 * until that is overwritten (SQLite's manual, `PRAGMA secure_delete` and `PRAGMA wal_checkpoint`).
 */
export class Erasure {
  readonly #database: DatabaseSync;
  readonly #log: (line: string) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: DatabaseSync, log: (line: string) => void) {
    this.#database = database;
    this.#log = log;
    database.exec("PRAGMA secure_delete = ON");
  }

  plan(): void {
    this.#timer ??= setTimeout(() => this.run(), erasureDelayMs).unref();
  }

  /** Truncates the log now, or soon if it is being read. */
  run(): void {
    this.stop();
    try {
      const row = this.#database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
      if (row?.["busy"] !== 0) this.plan();
    } catch (error) {
      // For example a full disk. The next deletion or start tries again.
      this.#log(`Deleted data is still in the database's log: ${messageOf(error)}`);
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

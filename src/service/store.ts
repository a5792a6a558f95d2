import { EventEmitter } from "node:events";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { JsonObject } from "../api/types.ts";
import type { CrewProject } from "../projects/types.ts";
import { number, text, type Row } from "./database.ts";
import type {
  Attempt,
  AttemptKey,
  AttemptState,
  Callbacks,
  Decision,
  Execution,
  ExecutionState,
  ExecutionView,
  TokenType,
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
    return rows.map((row) => text(row, "id"));
  }

  ended(): string[] {
    const rows = this.#prepare("SELECT id FROM executions WHERE ended_at IS NOT NULL").all();
    return rows.map((row) => text(row, "id"));
  }

  attempt(key: AttemptKey): Attempt | undefined {
    const row = this.#prepare(`SELECT * FROM attempts ${ofAttempt}`).get(...values(key));
    return row && readAttempt(row);
  }

  /** Stores that an attempt begins, and returns it. A repeat keeps the first start. */
  begin(key: AttemptKey, taskId: string): Attempt {
    this.#prepare(
      "INSERT OR IGNORE INTO attempts (execution_id, task_index, attempt, task_id, state, started_at) VALUES (?, ?, ?, ?, 'running', ?)",
    ).run(...values(key), taskId, Date.now());
    const begun = this.attempt(key);
    if (!begun) throw new Error("An attempt that was just stored is missing.");
    return begun;
  }

  /** Stores the output of a running attempt, which then waits for a person or is done. */
  finish(key: AttemptKey, output: string, waits: boolean): void {
    this.#prepare(
      `UPDATE attempts SET state = ?, output = ?, finished_at = ? ${ofAttempt} AND state = 'running'`,
    ).run(waits ? "waiting" : "done", output, Date.now(), ...values(key));
  }

  /** Counts a failure of an attempt and returns the number of its failures. */
  countFailure(key: AttemptKey): number {
    const row = this.#prepare(
      `UPDATE attempts SET failures = failures + 1 ${ofAttempt} RETURNING failures`,
    ).get(...values(key));
    return row ? number(row, "failures") : 0;
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
    return this.#transaction(() => {
      const row = this.#prepare(
        `UPDATE attempts SET state = ?, feedback = ?, callbacks = ?, decided_at = ?
         WHERE execution_id = ? AND task_id = ? AND state = 'waiting' RETURNING task_index, attempt`,
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
      return readKey(row, executionId);
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
        feedback: text(row, "feedback"),
        callbacks: readCallbacks(row),
      }
    );
  }

  /** Attempts with the oldest decisions that no run has taken. */
  decisionsNotTaken(limit: number): AttemptKey[] {
    const rows = this.#prepare(
      `SELECT execution_id, task_index, attempt FROM attempts JOIN executions ON id = execution_id
       WHERE decided_at IS NOT NULL AND taken = 0 AND ended_at IS NULL ORDER BY decided_at LIMIT ?`,
    ).all(limit);
    return rows.map((row) => readKey(row, text(row, "execution_id")));
  }

  /** Ends an execution, once. */
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

  /** Resolves to whether the execution ended within `milliseconds`. */
  async waitForEnd(id: string, milliseconds: number): Promise<boolean> {
    if (this.find(id)?.endedAt !== null) return true;
    return new Promise((resolve) => {
      const settle = (ended: boolean) => {
        clearTimeout(timer);
        this.#ended.off(id, onEnd);
        resolve(ended);
      };
      const onEnd = () => settle(true);
      const timer = setTimeout(() => settle(false), milliseconds);
      this.#ended.once(id, onEnd);
    });
  }

  /** Runs `action` in a transaction that is synced to the disk. It is synchronous, so no other write of this process intervenes. */
  #transaction<T>(action: () => T): T {
    this.#database.exec("PRAGMA synchronous = FULL");
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const result = action();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      try {
        this.#database.exec("ROLLBACK");
      } catch {
        // SQLite has already rolled back, for example on a full disk.
      }
      throw error;
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

const executionStates: readonly ExecutionState[] = ["running", "completed", "error"];
const attemptStates: readonly AttemptState[] = [
  "running",
  "waiting",
  "approved",
  "rejected",
  "done",
  "failed",
];
const owners: readonly TokenType[] = ["bearer", "userBearer"];

function readExecution(row: Row): Execution {
  return {
    id: text(row, "id"),
    owner: oneOf(row, "owner", owners),
    // Only this program writes the JSON columns, from values of these types.
    project: JSON.parse(text(row, "project")) as CrewProject,
    inputs: JSON.parse(text(row, "inputs")) as JsonObject,
    meta: JSON.parse(text(row, "meta")) as JsonObject | null,
    callbacks: readCallbacks(row),
    state: oneOf(row, "state", executionStates),
    error: row["error"] === null ? null : text(row, "error"),
    createdAt: number(row, "created_at"),
    endedAt: row["ended_at"] === null ? null : number(row, "ended_at"),
  };
}

function readAttempt(row: Row): Attempt {
  return {
    ...readKey(row, text(row, "execution_id")),
    taskId: text(row, "task_id"),
    state: oneOf(row, "state", attemptStates),
    output: row["output"] === null ? null : text(row, "output"),
    startedAt: number(row, "started_at"),
    finishedAt: row["finished_at"] === null ? null : number(row, "finished_at"),
    feedback: row["feedback"] === null ? null : text(row, "feedback"),
    decidedAt: row["decided_at"] === null ? null : number(row, "decided_at"),
  };
}

function readKey(row: Row, executionId: string): AttemptKey {
  return { executionId, taskIndex: number(row, "task_index"), attempt: number(row, "attempt") };
}

function readCallbacks(row: Row): Callbacks {
  return JSON.parse(text(row, "callbacks")) as Callbacks;
}

function oneOf<T extends string>(row: Row, column: string, known: readonly T[]): T {
  const value = text(row, column);
  const found = known.find((one) => one === value);
  if (found === undefined)
    throw new Error(`The database has the unknown value "${value}" in the column "${column}".`);
  return found;
}

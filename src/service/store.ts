import { EventEmitter } from "node:events";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Attempt, AttemptKey, Decision, Execution, ExecutionView } from "./model.ts";
import { number, readAttempt, readCallbacks, readExecution, text } from "./rows.ts";
import { transaction } from "./sqlite.ts";

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
 * Executions, their attempts and the decisions of people, in SQLite. Every method is one atomic change that is on the disk
 * when it returns. What the run of an execution calls may be called again after a crash: the second time changes nothing.
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

  /** Stores a new execution. */
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

  /** The execution with this id or alias. Throws when what is stored can't be read. */
  find(id: string): Execution | undefined {
    const row = this.#prepare(
      "SELECT * FROM executions WHERE id = coalesce((SELECT execution_id FROM aliases WHERE id = ?), ?)",
    ).get(id, id);
    return row && readExecution(row);
  }

  /** The execution with this id or alias and its attempts. */
  view(id: string): ExecutionView | undefined {
    const execution = this.find(id);
    if (!execution) return undefined;
    const rows = this.#prepare(
      "SELECT * FROM attempts WHERE execution_id = ? ORDER BY task_index, attempt",
    ).all(execution.id);
    return { execution, attempts: rows.map(readAttempt) };
  }

  /** Ids of the executions that have not ended. */
  underWay(): string[] {
    return this.#prepare("SELECT id FROM executions WHERE ended_at IS NULL")
      .all()
      .map((row) => text(row, "id"));
  }

  /** Ids of the executions that have ended. */
  ended(): string[] {
    return this.#prepare("SELECT id FROM executions WHERE ended_at IS NOT NULL")
      .all()
      .map((row) => text(row, "id"));
  }

  /** One attempt, or undefined before it began. */
  attempt(key: AttemptKey): Attempt | undefined {
    const row = this.#prepare(`SELECT * FROM attempts ${ofAttempt}`).get(...values(key));
    return row && readAttempt(row);
  }

  /** Notes that an attempt begins, and returns it; a repeat keeps the first start. */
  begin(key: AttemptKey, taskId: string, now: number): Attempt {
    this.#prepare(
      "INSERT OR IGNORE INTO attempts (execution_id, task_index, attempt, task_id, state, started_at) VALUES (?, ?, ?, ?, 'running', ?)",
    ).run(...values(key), taskId, now);
    const begun = this.attempt(key);
    if (!begun) throw new Error("An attempt that was just stored is not there.");
    return begun;
  }

  /** Stores the output of an attempt under way, which then waits for a person or is done. */
  finish(key: AttemptKey, output: string, waits: boolean, now: number): void {
    this.#prepare(
      `UPDATE attempts SET state = ?, output = ?, finished_at = ? ${ofAttempt} AND state = 'running'`,
    ).run(waits ? "waiting" : "done", output, now, ...values(key));
  }

  /** Counts one failure of an attempt and returns how many there were. */
  countFailure(key: AttemptKey): number {
    const row = this.#prepare(
      `UPDATE attempts SET failures = failures + 1 ${ofAttempt} RETURNING failures`,
    ).get(...values(key));
    return row ? number(row, "failures") : 0;
  }

  /** Gives an attempt up. */
  fail(key: AttemptKey, now: number): void {
    this.#prepare(
      `UPDATE attempts SET state = 'failed', finished_at = ? ${ofAttempt} AND state = 'running'`,
    ).run(now, ...values(key));
  }

  /**
   * Accepts a decision about the task that waits, if it still does: of any number of callers one gets the attempt decided
   * about, the others undefined. With `alias` the execution goes by that id, too, from then on.
   */
  decide(
    executionId: string,
    taskId: string,
    decision: Decision,
    now: number,
    alias?: string,
  ): AttemptKey | undefined {
    return transaction(this.#database, () => {
      const row = this.#prepare(
        `UPDATE attempts SET state = ?, feedback = ?, callbacks = ?, decided_at = ?
         WHERE execution_id = ? AND task_id = ? AND state = 'waiting' RETURNING task_index, attempt`,
      ).get(
        decision.isApprove ? "approved" : "rejected",
        decision.feedback,
        JSON.stringify(decision.callbacks),
        now,
        executionId,
        taskId,
      );
      if (!row) return undefined;
      if (alias !== undefined)
        this.#prepare("INSERT INTO aliases VALUES (?, ?)").run(alias, executionId);
      return { executionId, taskIndex: number(row, "task_index"), attempt: number(row, "attempt") };
    });
  }

  /** The attempt at this task that waits for a person. */
  waiting(executionId: string, taskId: string): Attempt | undefined {
    const row = this.#prepare(
      "SELECT * FROM attempts WHERE execution_id = ? AND task_id = ? AND state = 'waiting'",
    ).get(executionId, taskId);
    return row && readAttempt(row);
  }

  /** What was decided about an attempt; marked as taken, so that nobody wakes the run for it again. */
  takeDecision(key: AttemptKey): Decision | undefined {
    const row = this.#prepare(
      `UPDATE attempts SET taken = 1 ${ofAttempt} AND decided_at IS NOT NULL RETURNING state, feedback, callbacks`,
    ).get(...values(key));
    return (
      row && {
        isApprove: row["state"] === "approved",
        feedback: text(row, "feedback"),
        callbacks: readCallbacks(text(row, "callbacks")),
      }
    );
  }

  /** The oldest decisions that no run has taken up yet. */
  decisionsNotTaken(limit: number): AttemptKey[] {
    const rows = this.#prepare(
      `SELECT execution_id, task_index, attempt FROM attempts JOIN executions ON id = execution_id
       WHERE decided_at IS NOT NULL AND taken = 0 AND ended_at IS NULL ORDER BY decided_at LIMIT ?`,
    ).all(limit);
    return rows.map((row) => ({
      executionId: text(row, "execution_id"),
      taskIndex: number(row, "task_index"),
      attempt: number(row, "attempt"),
    }));
  }

  /** Ends an execution; the first end stays. */
  end(id: string, error: string | null, now: number): void {
    const { changes } = this.#prepare(
      "UPDATE executions SET state = ?, error = ?, ended_at = ? WHERE id = ? AND ended_at IS NULL",
    ).run(error === null ? "completed" : "error", error, now, id);
    if (changes) this.#ended.emit(id);
  }

  /** Forgets where an execution reports to, once its run makes no more callbacks. Returns whether anything was there to forget. */
  forgetCallbacks(id: string): boolean {
    const ofAttempts = this.#prepare(
      "UPDATE attempts SET callbacks = '{}' WHERE execution_id = ? AND callbacks <> '{}'",
    ).run(id);
    const own = this.#prepare(
      "UPDATE executions SET callbacks = '{}' WHERE id = ? AND callbacks <> '{}'",
    ).run(id);
    return Number(ofAttempts.changes) + Number(own.changes) > 0;
  }

  /** Resolves to true once the execution has ended, to false when `milliseconds` pass before. */
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

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }
}

function values(key: AttemptKey): [string, number, number] {
  return [key.executionId, key.taskIndex, key.attempt];
}

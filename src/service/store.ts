import { EventEmitter, once } from "node:events";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { integer, optionalText, text, transaction } from "../base/sqlite.ts";
import { messageOf } from "./errors.ts";
import type { Attempt, AttemptKey, Callbacks, Decision, Execution } from "./model.ts";

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

// Only this program writes these strict tables, so rows have the types that they are cast to.
const keyColumns = "execution_id AS executionId, task_index AS taskIndex, attempt";
const attemptColumns = `${keyColumns}, task_id AS taskId, state, output, started_at AS startedAt, finished_at AS finishedAt, decided_at AS decidedAt`;

export type ExecutionStore = ReturnType<typeof createStore>;

/** Each method is one atomic change. A run may repeat its calls after a crash, without effect. */
export function createStore(database: DatabaseSync) {
  database.exec(schema);
  const ended = new EventEmitter().setMaxListeners(0);
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string) => {
    let statement = statements.get(sql);
    if (!statement) statements.set(sql, (statement = database.prepare(sql)));
    return statement;
  };

  /** By ID or alias. Throws if the stored row is invalid. */
  function find(id: string): Execution | undefined {
    const row = prepare(
      "SELECT * FROM executions WHERE id = coalesce((SELECT execution_id FROM aliases WHERE id = ?), ?)",
    ).get(id, id);
    if (!row) return undefined;
    const json = (column: string): unknown => JSON.parse(text(row, column));
    return {
      id: text(row, "id"),
      owner: text(row, "owner") as Execution["owner"],
      project: json("project") as Execution["project"],
      inputs: json("inputs") as Execution["inputs"],
      meta: json("meta") as Execution["meta"],
      callbacks: json("callbacks") as Callbacks,
      state: text(row, "state") as Execution["state"],
      error: optionalText(row, "error") ?? null,
      createdAt: integer(row, "created_at"),
      endedAt: row["ended_at"] === null ? null : integer(row, "ended_at"),
    };
  }

  return {
    add(execution: Execution): void {
      prepare("INSERT INTO executions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").run(
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
    },

    find,

    view(id: string) {
      const execution = find(id);
      if (!execution) return undefined;
      const attempts: unknown = prepare(
        `SELECT ${attemptColumns} FROM attempts WHERE execution_id = ? ORDER BY task_index, attempt`,
      ).all(execution.id);
      return { execution, attempts: attempts as readonly Attempt[] };
    },

    running(): string[] {
      const rows = prepare("SELECT id FROM executions WHERE ended_at IS NULL").all();
      return rows.map(({ id }) => String(id));
    },

    outputOf(key: AttemptKey): string {
      const row = prepare(`SELECT output FROM attempts ${ofAttempt}`).get(...values(key));
      return String(row?.["output"] ?? "");
    },

    /** A repeat keeps the first start. Returns the output stored before a crash. */
    begin(key: AttemptKey, taskId: string): string | null {
      const row = prepare(
        `INSERT INTO attempts (execution_id, task_index, attempt, task_id, state, started_at) VALUES (?, ?, ?, ?, 'running', ?)
         ON CONFLICT DO UPDATE SET state = state RETURNING output`,
      ).get(...values(key), taskId, Date.now());
      return row?.["output"] as string | null;
    },

    finish(key: AttemptKey, state: "waiting" | "done" | "failed", output: string | null): void {
      prepare(
        `UPDATE attempts SET state = ?, output = ?, finished_at = ? ${ofAttempt} AND state = 'running'`,
      ).run(state, output, Date.now(), ...values(key));
    },

    countFailure(key: AttemptKey): number {
      const row = prepare(
        `UPDATE attempts SET failures = failures + 1 ${ofAttempt} RETURNING failures`,
      ).get(...values(key));
      return Number(row?.["failures"]);
    },

    /**
     * One caller gets the attempt, others undefined. `alias` becomes another ID of the execution.
     * Synced to disk, and synchronous so that no other write intervenes.
     */
    decide(executionId: string, taskId: string, decision: Decision, alias: string | undefined) {
      database.exec("PRAGMA synchronous = FULL");
      try {
        return transaction(database, () => {
          const key: unknown = prepare(
            `UPDATE attempts SET state = ?, feedback = ?, callbacks = ?, decided_at = ?
             WHERE execution_id = ? AND task_id = ? AND state = 'waiting' RETURNING ${keyColumns}`,
          ).get(
            decision.isApprove ? "approved" : "rejected",
            decision.feedback,
            JSON.stringify(decision.callbacks),
            Date.now(),
            executionId,
            taskId,
          );
          if (key && alias !== undefined)
            prepare("INSERT INTO aliases VALUES (?, ?)").run(alias, executionId);
          return key as AttemptKey | undefined;
        });
      } finally {
        database.exec("PRAGMA synchronous = NORMAL");
      }
    },

    waiting(executionId: string, taskId: string): Attempt | undefined {
      const attempt: unknown = prepare(
        `SELECT ${attemptColumns} FROM attempts WHERE execution_id = ? AND task_id = ? AND state = 'waiting'`,
      ).get(executionId, taskId);
      return attempt as Attempt | undefined;
    },

    /** Marks a decision as read, so that its run isn't woken again. */
    readDecision(key: AttemptKey): Decision | undefined {
      const row = prepare(
        `UPDATE attempts SET taken = 1 ${ofAttempt} AND decided_at IS NOT NULL RETURNING state, feedback, callbacks`,
      ).get(...values(key));
      return (
        row && {
          isApprove: row["state"] === "approved",
          feedback: String(row["feedback"]),
          callbacks: JSON.parse(String(row["callbacks"])) as Callbacks,
        }
      );
    },

    unreadDecisions(limit: number): AttemptKey[] {
      const keys: unknown = prepare(
        `SELECT ${keyColumns} FROM attempts JOIN executions ON id = execution_id
         WHERE decided_at IS NOT NULL AND taken = 0 AND ended_at IS NULL ORDER BY decided_at LIMIT ?`,
      ).all(limit);
      return keys as AttemptKey[];
    },

    end(id: string, error: string | null): void {
      const { changes } = prepare(
        "UPDATE executions SET state = ?, error = ?, ended_at = ? WHERE id = ? AND ended_at IS NULL",
      ).run(error === null ? "completed" : "error", error, Date.now(), id);
      if (changes) ended.emit(id);
    },

    /** Returns whether there were any. */
    forgetCallbacks(id: string): boolean {
      const forget = "SET callbacks = '{}' WHERE callbacks <> '{}'";
      const changes = [
        prepare(`UPDATE attempts ${forget} AND execution_id = ?`).run(id).changes,
        prepare(`UPDATE executions ${forget} AND id = ?`).run(id).changes,
      ];
      return changes.some((count) => count > 0);
    },

    async waitForEnd(id: string, milliseconds: number): Promise<boolean> {
      if (find(id)?.endedAt !== null) return true;
      return once(ended, id, { signal: AbortSignal.timeout(milliseconds) }).then(
        () => true,
        () => false,
      );
    },
  };
}

function values(key: AttemptKey): [string, number, number] {
  return [key.executionId, key.taskIndex, key.attempt];
}

/**
 * How long to wait for other deletions before the log is truncated: that waits for the disk (ms).
 */
const erasureDelayMs = 1000;

/**
 * Erases deleted data, which SQLite by default leaves in free space and in the write-ahead log (its
 * manual, `PRAGMA secure_delete` and `PRAGMA wal_checkpoint`).
 */
export function createErasure(database: DatabaseSync, log: (line: string) => void) {
  let timer: NodeJS.Timeout | undefined;
  database.exec("PRAGMA secure_delete = ON");

  function plan(): void {
    timer ??= setTimeout(run, erasureDelayMs).unref();
  }

  /** Truncates the log now, or soon if it is being read. */
  function run(): void {
    stop();
    try {
      const row = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
      if (row?.["busy"] !== 0) plan();
    } catch (error) {
      // For example a full disk. The next deletion or start tries again.
      log(`Deleted data is still in the database's log: ${messageOf(error)}`);
    }
  }

  function stop(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  return { plan, run, stop };
}

import { EventEmitter, once } from "node:events";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { integer, optionalText, text, transaction } from "../base/sqlite.ts";
import type { CrewProject } from "../projects/types.ts";
import type { TaskResult, TokenUsage } from "./engine.ts";
import { messageOf } from "./errors.ts";
import type { Attempt, AttemptKey, Callbacks, Decision, Execution, KeptOutput } from "./model.ts";

const schema = `
  CREATE TABLE IF NOT EXISTS executions (
    id TEXT PRIMARY KEY, owner TEXT NOT NULL, project TEXT NOT NULL, inputs TEXT NOT NULL, meta TEXT NOT NULL,
    callbacks TEXT NOT NULL, state TEXT NOT NULL, error TEXT, created_at INTEGER NOT NULL, ended_at INTEGER
  ) STRICT;
  CREATE TABLE IF NOT EXISTS held (execution_id TEXT PRIMARY KEY REFERENCES executions) STRICT;
  CREATE TABLE IF NOT EXISTS kept (execution_id TEXT PRIMARY KEY REFERENCES executions, json TEXT NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS executions_under_way ON executions (id) WHERE ended_at IS NULL;
  CREATE TABLE IF NOT EXISTS aliases (id TEXT PRIMARY KEY, execution_id TEXT NOT NULL REFERENCES executions) STRICT;
  CREATE TABLE IF NOT EXISTS attempts (
    execution_id TEXT NOT NULL REFERENCES executions, task_index INTEGER NOT NULL, attempt INTEGER NOT NULL,
    task_id TEXT NOT NULL, state TEXT NOT NULL, output TEXT, started_at INTEGER NOT NULL, finished_at INTEGER,
    failures INTEGER NOT NULL DEFAULT 0, feedback TEXT, callbacks TEXT, decided_at INTEGER, taken INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (execution_id, task_index, attempt)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS usage (
    execution_id TEXT NOT NULL REFERENCES executions, total INTEGER NOT NULL, prompt INTEGER NOT NULL, completion INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS usage_of_execution ON usage (execution_id);
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
      `SELECT executions.*, coalesce(json, 'null') AS kept FROM executions LEFT JOIN kept ON execution_id = id
       WHERE id = coalesce((SELECT execution_id FROM aliases WHERE id = ?), ?)`,
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
      kept: json("kept") as Execution["kept"],
      state: text(row, "state") as Execution["state"],
      error: optionalText(row, "error") ?? null,
      createdAt: integer(row, "created_at"),
      endedAt: row["ended_at"] === null ? null : integer(row, "ended_at"),
    };
  }

  function insert(execution: Execution): void {
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
  }

  /** Synced to disk, and synchronous so that no other write intervenes. */
  function durably<T>(change: () => T): T {
    database.exec("PRAGMA synchronous = FULL");
    try {
      return transaction(database, change);
    } finally {
      database.exec("PRAGMA synchronous = NORMAL");
    }
  }

  return {
    add(execution: Execution): void {
      transaction(database, () => {
        insert(execution);
        if (execution.kept !== null)
          prepare("INSERT INTO kept VALUES (?, ?)").run(
            execution.id,
            JSON.stringify(execution.kept),
          );
      });
    },

    /** Stores the outputs of tasks that don't run again as those of finished attempts. */
    keep(executionId: string, outputs: readonly KeptOutput[]): void {
      transaction(database, () => {
        for (const [index, { taskId, output }] of outputs.entries())
          prepare(
            `INSERT OR IGNORE INTO attempts (execution_id, task_index, attempt, task_id, state, output, started_at, finished_at)
             VALUES (?, ?, 1, ?, 'done', ?, ?, ?)`,
          ).run(executionId, index, taskId, output, Date.now(), Date.now());
      });
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

    /** Executions that a restart interrupted, and that a person has not let continue. */
    held(): string[] {
      const rows = prepare(
        "SELECT id FROM held JOIN executions ON id = execution_id WHERE ended_at IS NULL",
      ).all();
      return rows.map(({ id }) => String(id));
    },

    /** Holds all that would continue by themselves: those that have not ended, and don't wait for a person. */
    holdInterrupted(): void {
      prepare(
        `INSERT OR IGNORE INTO held SELECT id FROM executions WHERE ended_at IS NULL
           AND NOT EXISTS (SELECT 1 FROM attempts WHERE execution_id = id AND attempts.state = 'waiting')`,
      ).run();
    },

    release(id: string): void {
      prepare("DELETE FROM held WHERE execution_id = ?").run(id);
    },

    outputOf(key: AttemptKey): string {
      const row = prepare(`SELECT output FROM attempts ${ofAttempt}`).get(...values(key));
      return String(row?.["output"] ?? "");
    },

    /** When it finished and a person decided about it, or null. */
    timesOf(key: AttemptKey): Pick<Attempt, "finishedAt" | "decidedAt"> {
      const row: unknown = prepare(
        `SELECT finished_at AS finishedAt, decided_at AS decidedAt FROM attempts ${ofAttempt}`,
      ).get(...values(key));
      return row as Pick<Attempt, "finishedAt" | "decidedAt">;
    },

    hasEnded(id: string): boolean {
      return !prepare("SELECT 1 FROM executions WHERE id = ? AND ended_at IS NULL").get(id);
    },

    /**
     * Stores a new attempt; a repeat keeps the first start. Returns what it had before a crash,
     * undefined if the execution has ended.
     */
    begin(key: AttemptKey, taskId: string): Pick<Attempt, "output" | "state"> | undefined {
      const row: unknown = prepare(
        `INSERT INTO attempts (execution_id, task_index, attempt, task_id, state, started_at)
         SELECT id, ?, ?, ?, 'running', ? FROM executions WHERE id = ? AND ended_at IS NULL
         ON CONFLICT DO UPDATE SET state = state RETURNING output, state`,
      ).get(key.taskIndex, key.attempt, taskId, Date.now(), key.executionId);
      return row as Pick<Attempt, "output" | "state"> | undefined;
    },

    /**
     * `inputs` replace those of the execution. Returns false, and stores nothing, if the attempt has
     * finished or was stopped.
     */
    finish(
      key: AttemptKey,
      state: "waiting" | "done" | "failed",
      output: string | null,
      { inputs, usage }: Pick<TaskResult, "inputs" | "usage"> = {},
    ): boolean {
      return transaction(database, () => {
        const { changes } = prepare(
          `UPDATE attempts SET state = ?, output = ?, finished_at = ? ${ofAttempt} AND state = 'running'`,
        ).run(state, output, Date.now(), ...values(key));
        if (changes && inputs !== undefined)
          prepare("UPDATE executions SET inputs = ? WHERE id = ?").run(
            JSON.stringify(inputs),
            key.executionId,
          );
        if (changes && usage !== undefined)
          prepare("INSERT INTO usage VALUES (?, ?, ?, ?)").run(
            key.executionId,
            usage.total_tokens,
            usage.prompt_tokens,
            usage.completion_tokens,
          );
        return changes > 0;
      });
    },

    /** Of all its attempts. */
    usageOf(id: string): TokenUsage {
      const usage: unknown = prepare(
        `SELECT coalesce(sum(total), 0) AS total_tokens, coalesce(sum(prompt), 0) AS prompt_tokens,
           coalesce(sum(completion), 0) AS completion_tokens FROM usage WHERE execution_id = ?`,
      ).get(id);
      return usage as TokenUsage;
    },

    /** Stores the crew as it runs, which may differ from what its files say. */
    setProject(id: string, project: CrewProject): void {
      prepare("UPDATE executions SET project = ? WHERE id = ?").run(JSON.stringify(project), id);
    },

    countFailure(key: AttemptKey): number {
      const row = prepare(
        `UPDATE attempts SET failures = failures + 1 ${ofAttempt} RETURNING failures`,
      ).get(...values(key));
      return Number(row?.["failures"]);
    },

    /**
     * One caller gets the attempt, others undefined. `alias` becomes another ID of the execution.
     */
    decide(executionId: string, taskId: string, decision: Decision, alias: string | undefined) {
      return durably(() => {
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
    },

    /**
     * Ends an execution as a person asked, for good. Returns the attempts that waited, whose runs
     * must be woken; undefined if it had ended.
     */
    stop(id: string): readonly AttemptKey[] | undefined {
      const waited = durably(() => {
        const now = Date.now();
        const { changes } = prepare(
          "UPDATE executions SET state = 'stopped', ended_at = ? WHERE id = ? AND ended_at IS NULL",
        ).run(now, id);
        if (!changes) return undefined;
        const keys: unknown = prepare(
          `UPDATE attempts SET state = 'stopped', decided_at = ?
           WHERE execution_id = ? AND state = 'waiting' RETURNING ${keyColumns}`,
        ).all(now, id);
        prepare(
          "UPDATE attempts SET state = 'stopped' WHERE execution_id = ? AND state = 'running'",
        ).run(id);
        return keys as readonly AttemptKey[];
      });
      if (waited) ended.emit(id);
      return waited;
    },

    waiting(executionId: string, taskId: string): Attempt | undefined {
      const attempt: unknown = prepare(
        `SELECT ${attemptColumns} FROM attempts WHERE execution_id = ? AND task_id = ? AND state = 'waiting'`,
      ).get(executionId, taskId);
      return attempt as Attempt | undefined;
    },

    /**
     * Marks a decision as read, so that its run isn't woken again. Undefined if the execution was
     * stopped instead.
     */
    readDecision(key: AttemptKey): Decision | undefined {
      const row = prepare(
        `UPDATE attempts SET taken = 1 ${ofAttempt} AND decided_at IS NOT NULL RETURNING state, feedback, callbacks`,
      ).get(...values(key));
      if (!row || row["state"] === "stopped") return undefined;
      return {
        isApprove: row["state"] === "approved",
        feedback: String(row["feedback"]),
        callbacks: JSON.parse(String(row["callbacks"])) as Callbacks,
      };
    },

    unreadDecisions(limit: number): AttemptKey[] {
      const keys: unknown = prepare(
        `SELECT ${keyColumns} FROM attempts JOIN executions ON id = execution_id
         WHERE decided_at IS NOT NULL AND taken = 0
           AND (executions.state = 'stopped' OR (ended_at IS NULL AND id NOT IN (SELECT execution_id FROM held))) ORDER BY decided_at LIMIT ?`,
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
      const isSecret = "callbacks LIKE '%\"authorization\"%'";
      return transaction(database, () => {
        const secret = prepare(
          `SELECT 1 FROM executions LEFT JOIN attempts ON id = execution_id
           WHERE id = ? AND (executions.${isSecret} OR attempts.${isSecret}) LIMIT 1`,
        ).get(id);
        if (secret) markForErasure(database);
        const changes = [
          prepare(`UPDATE attempts ${forget} AND execution_id = ?`).run(id).changes,
          prepare(`UPDATE executions ${forget} AND id = ?`).run(id).changes,
        ];
        return changes.some((count) => count > 0);
      });
    },

    /** Whether it ends in time, and by itself. */
    async waitForEnd(id: string, milliseconds: number): Promise<boolean> {
      if (find(id)?.endedAt === null)
        await once(ended, id, { signal: AbortSignal.timeout(milliseconds) }).catch(() => undefined);
      const state = find(id)?.state;
      return state === "completed" || state === "error";
    },
  };
}

function values(key: AttemptKey): [string, number, number] {
  return [key.executionId, key.taskIndex, key.attempt];
}

/** How long to wait for other deletions before data is erased: that waits for the disk (ms). */
const erasureDelayMs = 1000;

/** An erasure takes at most this part of the time: it writes the whole file, and nothing else runs meanwhile. */
const erasureShare = 1 / 20;

/** The next erasure also erases copies of what is deleted, which takes longer: for secrets. Survives a kill. */
export function markForErasure(database: DatabaseSync): void {
  database.exec("PRAGMA user_version = 1");
}

/**
 * Erases deleted data, which SQLite by default leaves in free space and in the write-ahead log (its
 * manual, `PRAGMA secure_delete` and `PRAGMA wal_checkpoint`), and even with `secure_delete` where it has moved rows to
 * another page.
 */
export function createErasure(database: DatabaseSync, log: (line: string) => void) {
  let timer: NodeJS.Timeout | undefined;
  let delay = erasureDelayMs;
  database.exec("PRAGMA secure_delete = ON");

  function plan(): void {
    timer ??= setTimeout(run, delay).unref();
  }

  /** Erases now, or soon if the log is being read. Returns whether it has erased everything. */
  function run(): boolean {
    stop();
    const begun = performance.now();
    try {
      if (database.prepare("PRAGMA user_version").get()?.["user_version"] === 1) {
        database.exec("VACUUM");
        database.exec("PRAGMA user_version = 0");
        delay = Math.max(erasureDelayMs, (performance.now() - begun) / erasureShare);
      }
      const row = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
      if (row?.["busy"] === 0) return true;
      plan();
    } catch (error) {
      // For example a full disk. The next deletion or start tries again.
      log(`Deleted data is still in the database's files: ${messageOf(error)}`);
    }
    return false;
  }

  function stop(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  return { plan, run, stop };
}

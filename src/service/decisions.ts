import type { JsonObject } from "../api/types.ts";
import { optionalText, text } from "../base/sqlite.ts";
import { change, row, rows, type Database, type Work } from "./database/database.ts";
import type { TaskResult, TokenUsage } from "./engine.ts";
import type { Attempt, AttemptKey, Callbacks, Decision } from "./model.ts";

/** Selects an attempt. Its parameters are `values(key)`. */
export const ofAttempt = "WHERE execution_id = ? AND task_index = ? AND attempt = ?";

// Only this program writes these tables, so rows have the types that they are cast to.
export const keyColumns =
  'attempts.execution_id AS "executionId", attempts.task_index AS "taskIndex", attempts.attempt';
export const attemptColumns = `${keyColumns}, task_id AS "taskId", state, output, started_at AS "startedAt", finished_at AS "finishedAt", decided_at AS "decidedAt", shown`;

/** An attempt, and whether somebody can have seen its output. */
export interface StoredAttempt extends Attempt {
  readonly shown: 0 | 1;
}

/** What is stored of a review beside its decision. */
export interface Review {
  /** While the attempt waits, and until what follows its approval is done. */
  readonly draft?: JsonObject;
  /** Of the draft. */
  readonly usage?: TokenUsage;
  /** Of a refused attempt. */
  readonly refusal?: JsonObject;
}

/** A person's decisions about outputs, part of the store. */
export function createDecisions(database: Database) {
  return {
    /**
     * Whether this caller's decision counts: of several, one does. `alias` becomes another ID of the execution; `also` is
     * part of the change.
     */
    async decide(
      key: AttemptKey,
      decision: Decision,
      alias: string | undefined,
      also: () => Work<unknown>,
    ): Promise<boolean> {
      return await database.transaction(function* () {
        const changes = yield* change(
          `UPDATE attempts SET feedback = ?, callbacks = ?, decided_at = ?, begins = 0, failures = 0, ${
            decision.isApprove
              ? "state = CASE WHEN review IS NULL THEN 'approved' ELSE 'finishing' END"
              : "state = 'rejected', review = NULL"
          } ${ofAttempt} AND state = 'waiting'`,
          decision.feedback,
          JSON.stringify(decision.callbacks),
          database.now(),
          ...values(key),
        );
        if (changes === 0) return false;
        yield* also();
        if (alias !== undefined)
          yield* change(
            "INSERT INTO aliases (id, execution_id) VALUES (?, ?)",
            alias,
            key.executionId,
          );
        return true;
      }, true);
    },

    /** The callbacks of the last decision, if there is one. */
    async lastCallbacks(id: string): Promise<Callbacks | undefined> {
      const stored = await database.query(
        row(
          "SELECT callbacks FROM attempts WHERE execution_id = ? AND callbacks IS NOT NULL ORDER BY decided_at DESC LIMIT 1",
          id,
        ),
      );
      return stored && (JSON.parse(text(stored, "callbacks")) as Callbacks);
    },

    async waiting(executionId: string, taskId: string): Promise<StoredAttempt | undefined> {
      const attempt: unknown = await database.query(
        row(
          `SELECT ${attemptColumns} FROM attempts WHERE execution_id = ? AND task_id = ? AND state = 'waiting'`,
          executionId,
          taskId,
        ),
      );
      return attempt as StoredAttempt | undefined;
    },

    /** A status or a callback may show the attempt's output from now on. */
    async setShown(key: AttemptKey): Promise<void> {
      await database.query(change(`UPDATE attempts SET shown = 1 ${ofAttempt}`, ...values(key)));
    },

    /** Attempts that wait, after the first one, and that nobody can have seen. */
    async notShown(executionId: string): Promise<readonly AttemptKey[]> {
      const keys: unknown = await database.query(
        rows(
          `SELECT ${keyColumns} FROM attempts
           WHERE execution_id = ? AND attempt > 1 AND state = 'waiting' AND shown = 0`,
          executionId,
        ),
      );
      return keys as readonly AttemptKey[];
    },

    /**
     * Marks a decision as read, so that its run isn't woken again. Undefined if the execution was
     * stopped instead.
     */
    async readDecision(key: AttemptKey): Promise<Decision | undefined> {
      const decided = await database.query(
        row(
          `UPDATE attempts SET taken = 1 ${ofAttempt} AND decided_at IS NOT NULL RETURNING state, feedback, callbacks`,
          ...values(key),
        ),
      );
      if (!decided || decided["state"] === "stopped") return undefined;
      return {
        isApprove: decided["state"] !== "rejected",
        feedback: String(decided["feedback"]),
        callbacks: JSON.parse(String(decided["callbacks"])) as Callbacks,
      };
    },

    /** What is left to do of an attempt, or why it was refused; undefined for nothing. */
    async reviewOf(key: AttemptKey): Promise<Review | undefined> {
      const found = await database.query(
        row(`SELECT review FROM attempts ${ofAttempt}`, ...values(key)),
      );
      const review = optionalText(found ?? {}, "review");
      return review === undefined ? undefined : (JSON.parse(review) as Review);
    },

    /** Stores what followed an approval, unless another worker was quicker, or the execution was stopped. */
    async settle(key: AttemptKey, { output, refusal, usage }: TaskResult): Promise<void> {
      await database.transaction(function* () {
        const isRefused = refusal !== undefined;
        const changes = yield* change(
          `UPDATE attempts SET state = ?, output = coalesce(?, output), review = ? ${ofAttempt} AND state = 'finishing'`,
          isRefused ? "refused" : "approved",
          isRefused ? null : output,
          isRefused ? JSON.stringify({ refusal }) : null,
          ...values(key),
        );
        if (changes && usage !== undefined) yield* addUsage(key.executionId, usage);
      }, true);
    },

    async unreadDecisions(limit: number): Promise<readonly AttemptKey[]> {
      const keys: unknown = await database.query(
        rows(
          `SELECT ${keyColumns} FROM attempts JOIN executions ON id = execution_id
           WHERE decided_at IS NOT NULL AND taken = 0
             AND (executions.state = 'stopped' OR (ended_at IS NULL AND id NOT IN (SELECT execution_id FROM held)))
           ORDER BY decided_at LIMIT ?`,
          limit,
        ),
      );
      return keys as readonly AttemptKey[];
    },
  };
}

export function* addUsage(executionId: string, usage: TokenUsage): Work<unknown> {
  return yield* change(
    "INSERT INTO usage (execution_id, total, prompt, completion) VALUES (?, ?, ?, ?)",
    executionId,
    usage.total_tokens,
    usage.prompt_tokens,
    usage.completion_tokens,
  );
}

export function values(key: AttemptKey): [string, number, number] {
  return [key.executionId, key.taskIndex, key.attempt];
}

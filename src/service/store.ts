import { integer, optionalText, text } from "../base/sqlite.ts";
import type { CrewProject } from "../projects/types.ts";
import { change, row, rows, type Database, type Work } from "./database/database.ts";
import {
  addUsage,
  attemptColumns,
  createDecisions,
  keyColumns,
  ofAttempt,
  values,
  type Review,
  type StoredAttempt,
} from "./decisions.ts";
import type { TaskResult, TokenUsage } from "./engine.ts";
import type { Attempt, AttemptKey, Callbacks, Execution, KeptOutput } from "./model.ts";

/** What is stored together with the end of an execution. */
type Ending = (ended: Execution) => Work<unknown>;

/** What is counted of an attempt, or of a part of a flow. */
export type Counted = "begins" | "failures";

export type ExecutionStore = ReturnType<typeof createStore>;

/** Each method is one atomic change. A run may repeat its calls after a crash, without effect. */
export function createStore(database: Database) {
  const { erasure } = database;

  /** By ID or alias. Throws if the stored row is invalid. */
  function* found(id: string): Work<Execution | undefined> {
    const stored = yield* row(
      `SELECT executions.id, owner, crew, project, inputs, meta, callbacks, state, error, created_at AS "createdAt",
         ended_at AS "endedAt", coalesce(json, 'null') AS kept FROM executions LEFT JOIN kept ON execution_id = executions.id
       WHERE executions.id = coalesce((SELECT execution_id FROM aliases WHERE id = ?), ?)`,
      id,
      id,
    );
    if (!stored) return undefined;
    const json = (column: string): unknown => JSON.parse(text(stored, column));
    return {
      id: text(stored, "id"),
      owner: text(stored, "owner") as Execution["owner"],
      crew: text(stored, "crew"),
      project: json("project") as Execution["project"],
      inputs: json("inputs") as Execution["inputs"],
      meta: json("meta") as Execution["meta"],
      callbacks: json("callbacks") as Callbacks,
      kept: json("kept") as Execution["kept"],
      state: text(stored, "state") as Execution["state"],
      error: optionalText(stored, "error") ?? null,
      createdAt: integer(stored, "createdAt"),
      endedAt: stored["endedAt"] === null ? null : integer(stored, "endedAt"),
    };
  }

  function* ended(id: string, also: Ending): Work<void> {
    const execution = yield* found(id);
    if (execution) yield* also(execution);
  }

  async function hasEnded(id: string): Promise<boolean> {
    return !(await database.query(
      row("SELECT 1 AS found FROM executions WHERE id = ? AND ended_at IS NULL", id),
    ));
  }

  return {
    ...createDecisions(database),

    /**
     * @param start what starts its run, in the same change
     * @param check what comes first in this change, and may throw to refuse it
     */
    async add(
      execution: Execution,
      start: () => Work<unknown>,
      check?: () => Work<unknown>,
    ): Promise<void> {
      await database.transaction(function* () {
        if (check) yield* check();
        yield* change(
          `INSERT INTO executions (id, owner, crew, project, inputs, meta, callbacks, state, error, created_at, ended_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          execution.id,
          execution.owner,
          execution.crew,
          // Only forms use the schema, which may be long.
          JSON.stringify({ ...execution.project, inputSchema: undefined }),
          JSON.stringify(execution.inputs),
          JSON.stringify(execution.meta),
          JSON.stringify(execution.callbacks),
          execution.state,
          execution.error,
          execution.createdAt,
          execution.endedAt,
        );
        if (execution.kept !== null)
          yield* change(
            "INSERT INTO kept (execution_id, json) VALUES (?, ?)",
            execution.id,
            JSON.stringify(execution.kept),
          );
        yield* start();
      }, true);
      database.notify({ kind: "run" });
    },

    /** Stores the outputs of tasks that don't run again as those of finished attempts. */
    async keep(executionId: string, outputs: readonly KeptOutput[]): Promise<void> {
      const now = database.now();
      await database.transaction(function* () {
        for (const [index, { taskId, output }] of outputs.entries())
          yield* change(
            `INSERT INTO attempts (execution_id, task_index, attempt, task_id, state, output, started_at, finished_at)
             VALUES (?, ?, 1, ?, 'done', ?, ?, ?) ON CONFLICT DO NOTHING`,
            executionId,
            index,
            taskId,
            output,
            now,
            now,
          );
      });
    },

    find: (id: string) => database.query(found(id)),

    async view(id: string) {
      return await database.query(
        (function* (): Work<
          { execution: Execution; attempts: readonly StoredAttempt[] } | undefined
        > {
          const execution = yield* found(id);
          if (!execution) return undefined;
          const attempts: unknown = yield* rows(
            `SELECT ${attemptColumns} FROM attempts WHERE execution_id = ? ORDER BY task_index, attempt`,
            execution.id,
          );
          return { execution, attempts: attempts as readonly StoredAttempt[] };
        })(),
      );
    },

    /** Which of these executions have ended. */
    async endedOf(ids: readonly string[]): Promise<string[]> {
      const places = ids.map(() => "?").join(", ");
      const found = await database.query(
        rows(`SELECT id FROM executions WHERE ended_at IS NOT NULL AND id IN (${places})`, ...ids),
      );
      return found.map(({ id }) => String(id));
    },

    /** Executions that a restart interrupted, and that a person has not let continue. */
    async held(): Promise<string[]> {
      const found = await database.query(
        rows("SELECT id FROM held JOIN executions ON id = execution_id WHERE ended_at IS NULL"),
      );
      return found.map(({ id }) => String(id));
    },

    /** Whether an execution runs or is queued: it has not ended, isn't held, and waits for nobody. */
    async isBusy(): Promise<boolean> {
      const found = await database.query(
        row(
          `SELECT id FROM executions WHERE ended_at IS NULL AND id NOT IN (SELECT execution_id FROM held)
             AND NOT EXISTS (SELECT 1 FROM attempts WHERE execution_id = id AND attempts.state = 'waiting') LIMIT 1`,
        ),
      );
      return found !== undefined;
    },

    outputOf: async (key: AttemptKey): Promise<string> =>
      String(
        (await database.query(row(`SELECT output FROM attempts ${ofAttempt}`, ...values(key))))?.[
          "output"
        ] ?? "",
      ),

    /** When the attempt finished, and when a person decided about it; null if not yet. */
    async timesOf(key: AttemptKey): Promise<Pick<Attempt, "finishedAt" | "decidedAt">> {
      const times: unknown = await database.query(
        row(
          `SELECT finished_at AS "finishedAt", decided_at AS "decidedAt" FROM attempts ${ofAttempt}`,
          ...values(key),
        ),
      );
      return times as Pick<Attempt, "finishedAt" | "decidedAt">;
    },

    hasEnded,

    /**
     * Stores a new attempt; a repeat keeps the first start. Returns what it had before a crash,
     * undefined if the execution has ended.
     */
    async begin(
      key: AttemptKey,
      taskId: string,
    ): Promise<Pick<Attempt, "output" | "state"> | undefined> {
      const begun: unknown = await database.query(
        row(
          `INSERT INTO attempts (execution_id, task_index, attempt, task_id, state, started_at)
           SELECT id, CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS TEXT), 'running', CAST(? AS BIGINT)
           FROM executions WHERE id = ? AND ended_at IS NULL FOR SHARE
           ON CONFLICT (execution_id, task_index, attempt) DO UPDATE SET state = attempts.state RETURNING output, state`,
          key.taskIndex,
          key.attempt,
          taskId,
          database.now(),
          key.executionId,
        ),
      );
      return begun as Pick<Attempt, "output" | "state"> | undefined;
    },

    /**
     * `inputs` replace those of the execution, and `also` is part of the change. Returns false, and stores nothing, if the
     * attempt has finished or was stopped.
     */
    async finish(
      key: AttemptKey,
      state: "waiting" | "done" | "failed",
      output: string | null,
      { inputs, usage, draft }: Pick<TaskResult, "inputs" | "usage" | "draft"> = {},
      also?: () => Work<unknown>,
    ): Promise<boolean> {
      return await database.transaction(function* () {
        const changes = yield* change(
          `UPDATE attempts SET state = ?, output = ?, finished_at = ?, review = ? ${ofAttempt} AND state = 'running'`,
          state,
          output,
          database.now(),
          draft && state === "waiting"
            ? JSON.stringify({ draft, ...(usage && { usage }) } satisfies Review)
            : null,
          ...values(key),
        );
        if (changes && inputs !== undefined)
          yield* change(
            "UPDATE executions SET inputs = ? WHERE id = ?",
            JSON.stringify(inputs),
            key.executionId,
          );
        if (changes && usage !== undefined) yield* addUsage(key.executionId, usage);
        if (changes && also) yield* also();
        return changes > 0;
        // A status may show the output at once, so it must outlast a power cut.
      }, true);
    },

    /** The tokens of all attempts of an execution. */
    async usageOf(id: string): Promise<TokenUsage> {
      const usage = await database.query(
        row(
          `SELECT CAST(coalesce(sum(total), 0) AS BIGINT) AS total, CAST(coalesce(sum(prompt), 0) AS BIGINT) AS prompt,
             CAST(coalesce(sum(completion), 0) AS BIGINT) AS completion FROM usage WHERE execution_id = ?`,
          id,
        ),
      );
      return {
        total_tokens: Number(usage?.["total"]),
        prompt_tokens: Number(usage?.["prompt"]),
        completion_tokens: Number(usage?.["completion"]),
      };
    },

    /** Stores the crew as it runs, which may differ from what its files say. */
    async setProject(id: string, project: CrewProject): Promise<void> {
      await database.query(
        change("UPDATE executions SET project = ? WHERE id = ?", JSON.stringify(project), id),
      );
    },

    /** Counts one more, and returns the count. Reads first: if an answer is lost, the query is repeated. */
    async count(what: Counted, key: AttemptKey): Promise<number> {
      const found = await database.query(
        row(`SELECT ${what} FROM attempts ${ofAttempt}`, ...values(key)),
      );
      const count = Number(found?.[what] ?? 0) + 1;
      await database.query(
        change(`UPDATE attempts SET ${what} = ? ${ofAttempt}`, count, ...values(key)),
      );
      return count;
    },

    /**
     * Ends an execution as a person asked, for good. Returns the attempts that waited, whose runs
     * must be woken; undefined if it had ended. `also` is part of the change.
     */
    async stop(id: string, also: Ending): Promise<readonly AttemptKey[] | undefined> {
      const waited = await database.transaction(function* (): Work<
        readonly AttemptKey[] | undefined
      > {
        const now = database.now();
        const changes = yield* change(
          "UPDATE executions SET state = 'stopped', ended_at = ? WHERE id = ? AND ended_at IS NULL",
          now,
          id,
        );
        if (!changes) return undefined;
        const keys: unknown = yield* rows(
          `UPDATE attempts SET state = 'stopped', decided_at = ?
           WHERE execution_id = ? AND state = 'waiting' RETURNING ${keyColumns}`,
          now,
          id,
        );
        yield* change(
          "UPDATE attempts SET state = 'stopped' WHERE execution_id = ? AND state IN ('running', 'finishing')",
          id,
        );
        yield* ended(id, also);
        return keys as readonly AttemptKey[];
      }, true);
      if (waited) {
        database.notify({ kind: "ended", executionId: id });
      }
      return waited;
    },

    /** With an error, attempts that run have failed. `also` is part of the change. A repeat changes nothing. */
    async end(id: string, error: string | null, also?: Ending): Promise<void> {
      const hasChanged = await database.transaction(function* (): Work<boolean> {
        const now = database.now();
        const changes = yield* change(
          "UPDATE executions SET state = ?, error = ?, ended_at = ? WHERE id = ? AND ended_at IS NULL",
          error === null ? "completed" : "error",
          error,
          now,
          id,
        );
        if (!changes) return false;
        if (error !== null)
          yield* change(
            "UPDATE attempts SET state = 'failed', finished_at = ? WHERE execution_id = ? AND state IN ('running', 'finishing')",
            now,
            id,
          );
        if (also) yield* ended(id, also);
        return true;
      }, true);
      if (hasChanged) database.notify({ kind: "ended", executionId: id });
    },

    /** Deletes the callbacks of an execution that has ended. */
    async forgetCallbacks(id: string): Promise<void> {
      const forget = "SET callbacks = '{}' WHERE callbacks <> '{}'";
      const isSecret = "callbacks LIKE '%\"authorization\"%'";
      const changes = await database.transaction(function* () {
        const secret = yield* row(
          `SELECT 1 AS found FROM executions LEFT JOIN attempts ON id = execution_id
           WHERE id = ? AND (executions.${isSecret} OR attempts.${isSecret}) LIMIT 1`,
          id,
        );
        if (secret && erasure) yield* erasure.mark();
        return (
          (yield* change(`UPDATE attempts ${forget} AND execution_id = ?`, id)) +
          (yield* change(`UPDATE executions ${forget} AND id = ?`, id))
        );
      });
      if (changes > 0) erasure?.plan();
    },

    /** Resolves to whether the execution ends in this time, and isn't stopped. */
    async waitForEnd(id: string, milliseconds: number): Promise<boolean> {
      const late = performance.now() + milliseconds;
      while (!(await hasEnded(id)) && performance.now() < late)
        await nextNotice(database, id, Math.min(late - performance.now(), lookMs));
      const state = (await database.query(found(id)))?.state;
      return state === "completed" || state === "error";
    },
  };
}

/** Counts the executions of a crew that have not ended, and don't wait for a person. */
export function* countUnderWay(crew: string): Work<number> {
  const counted = yield* row(
    `SELECT count(*) AS count FROM executions WHERE crew = ? AND ended_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM attempts WHERE execution_id = id AND attempts.state = 'waiting')`,
    crew,
  );
  return Number(counted?.["count"]);
}

/** How often to look for an end whose notice was lost (ms). */
const lookMs = 100;

/** Resolves at the end of an execution, or after a time. */
function nextNotice(database: Database, executionId: string, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      dispose();
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    const dispose = database.onNotice((notice) => {
      if (notice.kind === "ended" && notice.executionId === executionId) end();
    });
  });
}

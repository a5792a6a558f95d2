import { setTimeout as sleep } from "node:timers/promises";
import { integer, optionalText, text, type Row } from "../base/sqlite.ts";
import type { CrewProject } from "../projects/types.ts";
import { change, insert, row, rows, tell, type Database, type Work } from "./database/database.ts";
import type { Cipher } from "./encryption.ts";
import type { TaskResult, TokenUsage } from "./engine.ts";
import type { KickoffKey } from "./executions.ts";
import { receiversOf } from "./networks.ts";
import type {
  AttemptKey,
  Callbacks,
  Decision,
  Execution,
  KeptOutput,
  Review,
  Attempt,
} from "./model.ts";

const ofAttempt = "WHERE execution_id = ? AND task_index = ? AND attempt = ?";

function values(key: AttemptKey): [string, number, number] {
  return [key.executionId, key.taskIndex, key.attempt];
}

export interface Beginning extends Omit<
  Execution,
  "state" | "error" | "endedAt" | "isPrepared" | "phase" | "queuedAt"
> {
  readonly key: KickoffKey | undefined;
}

/** An execution that has its turn. A process that was so slow that another one has taken it over stores nothing more. */
export interface Turn {
  readonly id: string;
  readonly number: number;
}

export type ExecutionStore = ReturnType<typeof createStore>;

export function createStore(database: Database, cipher: Cipher) {
  function encrypted(callbacks: Callbacks): string {
    const json = JSON.stringify(callbacks);
    return json === none ? none : cipher.encrypt(json);
  }

  function decrypted(stored: Row): Callbacks {
    const value = text(stored, "callbacks");
    return JSON.parse(value === none ? none : cipher.decrypt(value)) as Callbacks;
  }

  function* found(id: string): Work<Execution | undefined> {
    const stored = yield* row(
      `SELECT id, owner, crew, project, inputs, meta, state,
         coalesce((
           SELECT callbacks FROM attempts WHERE execution_id = executions.id AND callbacks IS NOT NULL ORDER BY decided_at DESC LIMIT 1
         ), callbacks) AS callbacks, error, created_at AS "createdAt",
         ended_at AS "endedAt", is_prepared AS "isPrepared", phase, queued_at AS "queuedAt", kept, rules
       FROM executions WHERE id = coalesce((SELECT execution_id FROM aliases WHERE id = ?), ?)`,
      id,
      id,
    );
    return stored && { ...executionOf(stored), callbacks: decrypted(stored) };
  }

  async function hasEnded(id: string): Promise<boolean> {
    return !(await database.query(
      row(`SELECT 1 AS found FROM executions WHERE id = ? AND ${goesOn}`, id),
    ));
  }

  /** Ends an execution, and deletes what only running it needs. Its end outlasts a power cut. */
  function* close(id: string, state: Execution["state"], error: string | null): Work<boolean> {
    const now = database.now();
    const changes = yield* change(
      `UPDATE executions SET state = ?, error = ?, ended_at = ? WHERE id = ? AND ${goesOn}`,
      state,
      error,
      now,
      id,
    );
    if (changes === 0) return false;
    const open = "execution_id = ? AND state IN ('running', 'finishing', 'waiting')";
    if (state === "stopped")
      yield* change(
        `UPDATE attempts SET state = 'stopped', decided_at = CASE WHEN state = 'waiting' THEN CAST(? AS BIGINT) ELSE decided_at END WHERE ${open}`,
        now,
        id,
      );
    else
      yield* change(`UPDATE attempts SET state = 'failed', finished_at = ? WHERE ${open}`, now, id);
    yield* tell({ kind: "ended", executionId: id });
    return true;
  }

  return {
    found,
    hasEnded,
    close,

    find: (id: string) => database.query(found(id)),

    async view(id: string) {
      return await database.query(
        (function* () {
          const execution = yield* found(id);
          return execution && { execution, attempts: yield* attemptsOf(execution.id) };
        })(),
      );
    },

    /** Part of the change that stores kickoffs. Returns the IDs of those whose key is new. */
    *add(beginnings: readonly Beginning[]): Work<ReadonlySet<string>> {
      const added = yield* insert(
        "executions",
        ...beginnings.map(({ key, ...one }) => ({
          ...{ id: one.id, owner: one.owner, crew: one.crew, state: "running" },
          ...{ created_at: one.createdAt, queued_at: one.createdAt },
          // Only forms use the schema, which may be long.
          project: JSON.stringify({ ...one.project, inputSchema: undefined }),
          inputs: JSON.stringify(one.inputs),
          meta: JSON.stringify(one.meta),
          callbacks: encrypted(one.callbacks),
          kept: jsonOf(one.kept),
          rules: jsonOf(one.rules),
          kickoff_key: key?.key ?? null,
          kickoff_body: key?.body ?? null,
        })),
      );
      return new Set(added.map((one) => text(one, "id")));
    },

    /** Begins a turn, also of an execution that still waits for a person: its job may be done again. Undefined if it is unknown. */
    async begin(id: string): Promise<Turn | undefined> {
      const begun = await database.query(
        row(
          `UPDATE executions SET turn = turn + 1, phase = CASE phase WHEN 'waiting' THEN phase ELSE 'running' END
           WHERE id = ? RETURNING turn`,
          id,
        ),
      );
      return begun && { id, number: integer(begun, "turn") };
    },

    /** Part of a change of an execution that has its turn: locks it. Returns whether it goes on. */
    *holds({ id, number }: Turn): Work<boolean> {
      const own = yield* row(
        `SELECT 1 AS found FROM executions WHERE id = ? AND turn = ? AND ${goesOn} FOR UPDATE`,
        id,
        number,
      );
      return own !== undefined;
    },

    async held(): Promise<string[]> {
      const held = await database.query(
        rows("SELECT id FROM executions WHERE phase = 'held' AND ended_at IS NULL"),
      );
      return held.map(({ id }) => String(id));
    },

    async isBusy(): Promise<boolean> {
      const found = row(`SELECT id FROM executions WHERE ${isAtWork} LIMIT 1`);
      return (await database.query(found)) !== undefined;
    },

    async receivers(): Promise<readonly string[]> {
      const found = await database.query(
        rows(
          `SELECT callbacks FROM executions WHERE ended_at IS NULL
           UNION ALL SELECT attempts.callbacks FROM executions JOIN attempts ON execution_id = id
           WHERE ended_at IS NULL AND attempts.callbacks IS NOT NULL`,
        ),
      );
      return [
        ...new Set(
          found
            .map(decrypted)
            .flatMap(receiversOf)
            .map(({ url }) => new URL(url).origin),
        ),
      ];
    },

    /** Stores the crew as it runs, which may differ from what its files say, and the outputs of tasks that don't run again. */
    *prepared(id: string, project: CrewProject, kept: readonly KeptOutput[]): Work<void> {
      yield* change(
        "UPDATE executions SET project = ?, is_prepared = 1 WHERE id = ?",
        JSON.stringify({ ...project, inputSchema: undefined }),
        id,
      );
      const now = database.now();
      for (const [index, { taskId, output }] of kept.entries())
        yield* insert("attempts", {
          ...{ execution_id: id, task_index: index, attempt: 1, task_id: taskId, state: "done" },
          ...{ output, started_at: now, finished_at: now },
        });
    },

    /** Stores a new attempt, and returns it. A repeat changes nothing. @param part of a flow's method */
    *beginAttempt(key: AttemptKey, taskId: string, part = 1): Work<Attempt | undefined> {
      const begun = yield* row(
        `INSERT INTO attempts (execution_id, task_index, attempt, task_id, state, started_at, part)
         VALUES (?, ?, ?, ?, 'running', ?, ?) ON CONFLICT DO NOTHING RETURNING ${columns}`,
        ...values(key),
        taskId,
        database.now(),
        part,
      );
      return begun && attemptOf(begun);
    },

    /** Stores what an attempt made. `inputs` replace those of the execution. Returns false if it has finished. */
    *finish(
      key: AttemptKey,
      state: "waiting" | "done" | "failed",
      output: string | null,
      { inputs, usage }: Pick<TaskResult, "inputs" | "usage"> = {},
      review?: Review,
    ): Work<boolean> {
      const changes = yield* change(
        `UPDATE attempts SET state = ?, output = ?, finished_at = ?, review = ? ${ofAttempt} AND state = 'running'`,
        state,
        output,
        database.now(),
        jsonOf(review),
        ...values(key),
      );
      if (changes === 0) return false;
      if (state === "waiting")
        yield* change("UPDATE executions SET phase = 'waiting' WHERE id = ?", key.executionId);
      if (inputs !== undefined)
        yield* change(
          "UPDATE executions SET inputs = ? WHERE id = ?",
          JSON.stringify(inputs),
          key.executionId,
        );
      if (usage !== undefined) yield* addUsage(key.executionId, usage);
      return true;
    },

    /** Part of a change: locks an execution. Returns whether it goes on. */
    *goesOn(id: string): Work<boolean> {
      const open = yield* row(
        `SELECT 1 AS found FROM executions WHERE id = ? AND ${goesOn} FOR UPDATE`,
        id,
      );
      return open !== undefined;
    },

    /**
     * Whether this decision counts: of several, one does. Locks the execution. `alias` becomes another ID of it.
     */
    *decide(
      key: AttemptKey,
      { feedback, callbacks }: Decision,
      { state, review }: Pick<Attempt, "state" | "review">,
      alias: string | undefined,
    ): Work<boolean> {
      const changes =
        (yield* this.goesOn(key.executionId)) &&
        (yield* change(
          `UPDATE attempts SET state = ?, review = ?, feedback = ?, callbacks = ?, decided_at = ?, begins = 0, failures = 0
           ${ofAttempt} AND state = 'waiting'`,
          state,
          jsonOf(review),
          feedback,
          encrypted(callbacks),
          database.now(),
          ...values(key),
        ));
      if (!changes) return false;
      const queue = "UPDATE executions SET phase = 'queued', queued_at = ? WHERE id = ?";
      yield* change(queue, database.now(), key.executionId);
      if (alias !== undefined)
        yield* insert("aliases", { id: alias, execution_id: key.executionId });
      return true;
    },

    *settle(key: AttemptKey, { output, refusal, usage }: TaskResult): Work<void> {
      const changes = yield* change(
        `UPDATE attempts SET state = ?, output = coalesce(?, output), review = ? ${ofAttempt} AND state = 'finishing'`,
        refusal ? "refused" : "approved",
        refusal ? null : output,
        jsonOf(refusal && { refusal }),
        ...values(key),
      );
      if (changes > 0 && usage !== undefined) yield* addUsage(key.executionId, usage);
    },

    async setCount(what: "begins" | "failures", key: AttemptKey, count: number): Promise<void> {
      await database.query(
        change(`UPDATE attempts SET ${what} = ? ${ofAttempt}`, count, ...values(key)),
      );
    },

    async setShown(key: AttemptKey): Promise<void> {
      const work = () => change(`UPDATE attempts SET shown = 1 ${ofAttempt}`, ...values(key));
      // A crash must not take back that a person may decide about it.
      await database.transaction(work, true);
    },

    /** Deletes the callbacks of an execution that has ended. Part of the change that ends it. */
    *forgetCallbacks(id: string): Work<void> {
      yield* change("UPDATE executions SET callbacks = ? WHERE id = ?", none, id);
      yield* change(
        "UPDATE attempts SET callbacks = NULL WHERE execution_id = ? AND callbacks IS NOT NULL",
        id,
      );
    },

    /** Resolves to whether the execution ends in this time, and isn't stopped. */
    async waitForEnd(id: string, milliseconds: number): Promise<boolean> {
      const late = performance.now() + milliseconds;
      while (!(await hasEnded(id)) && performance.now() < late) await sleep(lookMs);
      const state = (await database.query(found(id)))?.state;
      return state === "completed" || state === "error";
    },
  };
}

const none = "{}";

// Only this program writes these tables, so rows have the types that they are cast to.
const columns = `execution_id AS "executionId", task_index AS "taskIndex", attempt, task_id AS "taskId", state, output,
  started_at AS "startedAt", finished_at AS "finishedAt", decided_at AS "decidedAt", shown, part, begins, failures, feedback, review`;

function executionOf({ isPrepared, ...stored }: Row): Omit<Execution, "callbacks"> {
  const jsons = ["project", "inputs", "meta", "kept", "rules"].map((column): [string, unknown] => [
    column,
    JSON.parse(optionalText(stored, column) ?? "null"),
  ]);
  const execution: unknown = {
    ...stored,
    ...Object.fromEntries(jsons),
    isPrepared: isPrepared === 1,
  };
  return execution as Omit<Execution, "callbacks">;
}

function attemptOf({ review, ...stored }: Row): Attempt {
  const attempt: unknown = stored;
  return {
    ...(attempt as Omit<Attempt, "review">),
    review: typeof review === "string" ? (JSON.parse(review) as Review) : undefined,
  };
}

function jsonOf(value: object | null | undefined): string | null {
  return value ? JSON.stringify(value) : null;
}

export function* attemptsOf(id: string): Work<readonly Attempt[]> {
  const stored = yield* rows(
    `SELECT ${columns} FROM attempts WHERE execution_id = ? ORDER BY task_index, attempt`,
    id,
  );
  return stored.map(attemptOf);
}

export function* usageOf(id: string): Work<TokenUsage> {
  const usage = yield* row(
    `SELECT CAST(coalesce(sum(total), 0) AS BIGINT) AS total, CAST(coalesce(sum(prompt), 0) AS BIGINT) AS prompt,
       CAST(coalesce(sum(completion), 0) AS BIGINT) AS completion FROM usage WHERE execution_id = ?`,
    id,
  );
  return {
    total_tokens: Number(usage?.["total"]),
    prompt_tokens: Number(usage?.["prompt"]),
    completion_tokens: Number(usage?.["completion"]),
  };
}

function addUsage(executionId: string, usage: TokenUsage): Work<unknown> {
  return insert("usage", {
    execution_id: executionId,
    total: usage.total_tokens,
    prompt: usage.prompt_tokens,
    completion: usage.completion_tokens,
  });
}

/** The most executions that are counted before a queued one: each status answer counts them again. */
const mostBefore = 100;

/** In the queue of its crew, from 1; 0 if it has its turn. Undefined if too many come before it. */
export function* placeOf({ crew, phase, queuedAt }: Execution): Work<number | undefined> {
  if (phase === "running") return 0;
  const before = yield* rows(
    `SELECT 1 AS found FROM executions WHERE crew = ? AND ended_at IS NULL AND phase = 'queued' AND queued_at < ? LIMIT ${mostBefore}`,
    ...[crew, queuedAt],
  );
  return before.length < mostBefore ? before.length + 1 : undefined;
}

/**
 * SQL: of an execution whose ID is given. With `ended_at IS NULL`, Postgres takes an index of all that have not ended for as good as that of IDs
 * while the table is young, and keeps to that.
 */
const goesOn = "coalesce(ended_at, 0) = 0";

export const isAtWork = "ended_at IS NULL AND phase IN ('queued', 'running')";

export function* crewsAtWork(): Work<readonly string[]> {
  const found = yield* rows("SELECT DISTINCT crew FROM executions WHERE ended_at IS NULL");
  return found.map((one) => text(one, "crew"));
}

export function* countAtWork(crew: string, most: number): Work<number> {
  const found = yield* row(
    `SELECT count(*) AS count FROM (SELECT 1 FROM executions WHERE crew = ? AND ${isAtWork} LIMIT ?) AS first`,
    ...[crew, most],
  );
  return Number(found?.["count"]);
}

const lookMs = 50;

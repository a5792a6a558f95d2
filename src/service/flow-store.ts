import { optionalText, text } from "../base/sqlite.ts";
import { change, row, rows, type Database, type Work } from "./database/database.ts";
import { addUsage, keyColumns, ofAttempt, values } from "./decisions.ts";
import type { FlowPause, TokenUsage } from "./engine.ts";
import type { FeedbackAnswer } from "./flow-answers.ts";
import type { AttemptKey } from "./model.ts";
import type { Counted } from "./store.ts";

/** How many attempts each method has, by its index. */
export type Counts = Readonly<Record<string, number>>;

export type FlowStore = ReturnType<typeof createFlowStore>;

/** SQL: whether an attempt waits or has waited for a person. */
const isPause = "state IN ('waiting', 'approved', 'rejected')";

/** What executions of flows have besides attempts, which are those of their methods. */
export function createFlowStore(database: Database) {
  return {
    counts: (id: string): Promise<Counts> => database.query(countsOf(id)),

    /** Forgets the attempts of a part that was interrupted: its methods run again. Another worker may have stored a pause. */
    async rewind(id: string, before: Counts): Promise<void> {
      await database.transaction(function* () {
        for (const [index, count] of Object.entries(yield* countsOf(id)))
          if (count > (before[index] ?? 0))
            yield* change(
              `DELETE FROM attempts WHERE execution_id = ? AND task_index = ? AND attempt > ? AND NOT ${isPause}`,
              id,
              Number(index),
              before[index] ?? 0,
            );
      });
    },

    /** The pause that ended a part; undefined if none is stored. @param before the attempts that earlier parts made */
    async pauseSince(id: string, before: Counts): Promise<AttemptKey | undefined> {
      const keys: unknown = await database.query(
        rows(
          `SELECT ${keyColumns} FROM attempts JOIN flow_pauses USING (execution_id, task_index, attempt)
           WHERE execution_id = ? AND ${isPause}`,
          id,
        ),
      );
      return (keys as readonly AttemptKey[]).find(
        ({ taskIndex, attempt }) => attempt > (before[taskIndex] ?? 0),
      );
    },

    /** The attempts under way: of a method, or of all. */
    async running(id: string, taskIndex?: number): Promise<readonly AttemptKey[]> {
      const keys: unknown = await database.query(
        rows(
          `SELECT ${keyColumns} FROM attempts
           WHERE execution_id = ? AND task_index = coalesce(?, task_index) AND state = 'running' ORDER BY attempt DESC`,
          id,
          taskIndex ?? null,
        ),
      );
      return keys as readonly AttemptKey[];
    },

    async drop(key: AttemptKey): Promise<void> {
      await database.query(change(`DELETE FROM attempts ${ofAttempt}`, ...values(key)));
    },

    /** Part of the change that lets its attempt wait. */
    *setPause(key: AttemptKey, pause: FlowPause): Work<unknown> {
      return yield* change(
        `INSERT INTO flow_pauses (execution_id, task_index, attempt, pause) VALUES (?, ?, ?, ?)
         ON CONFLICT (execution_id, task_index, attempt) DO UPDATE SET pause = excluded.pause, answer = NULL`,
        ...values(key),
        JSON.stringify(pause),
      );
    },

    async pauseOf(key: AttemptKey): Promise<FlowPause | undefined> {
      const stored = await database.query(
        row(`SELECT pause FROM flow_pauses ${ofAttempt}`, ...values(key)),
      );
      return stored && (JSON.parse(text(stored, "pause")) as FlowPause);
    },

    /** Part of the change that stores a person's decision. */
    *setAnswer(key: AttemptKey, answer: FeedbackAnswer): Work<unknown> {
      return yield* change(
        `UPDATE flow_pauses SET answer = ? ${ofAttempt}`,
        JSON.stringify(answer),
        ...values(key),
      );
    },

    async answerOf(key: AttemptKey): Promise<FeedbackAnswer | undefined> {
      const stored = await database.query(
        row(`SELECT answer FROM flow_pauses ${ofAttempt}`, ...values(key)),
      );
      const json = stored && optionalText(stored, "answer");
      return json === undefined ? undefined : (JSON.parse(json) as FeedbackAnswer);
    },

    /** Counts one more for a part of a flow, and returns the count. Reads first: if an answer is lost, the query is repeated. */
    async count(what: Counted, id: string, part: number): Promise<number> {
      const found = await database.query(
        row(`SELECT ${what} FROM flow_parts WHERE execution_id = ? AND part = ?`, id, part),
      );
      const count = Number(found?.[what] ?? 0) + 1;
      await database.query(
        change(
          `INSERT INTO flow_parts (execution_id, part, ${what}) VALUES (?, ?, ?)
           ON CONFLICT (execution_id, part) DO UPDATE SET ${what} = excluded.${what}`,
          id,
          part,
          count,
        ),
      );
      return count;
    },

    /** What the flow returned, and the tokens of its last part. A repeat changes nothing. */
    async setOutput(id: string, output: string, usage: TokenUsage | undefined): Promise<void> {
      await database.transaction(function* () {
        const changes = yield* change(
          "INSERT INTO flow_outputs (execution_id, output) VALUES (?, ?) ON CONFLICT DO NOTHING",
          id,
          output,
        );
        if (changes > 0 && usage !== undefined) yield* addUsage(id, usage);
      }, true);
    },

    /** Undefined before its end. */
    async outputOf(id: string): Promise<string | undefined> {
      const stored = await database.query(
        row("SELECT output FROM flow_outputs WHERE execution_id = ?", id),
      );
      return stored && text(stored, "output");
    },
  };
}

function* countsOf(id: string): Work<Counts> {
  const found = yield* rows(
    'SELECT task_index AS "taskIndex", max(attempt) AS count FROM attempts WHERE execution_id = ? GROUP BY task_index',
    id,
  );
  return Object.fromEntries(found.map((one) => [String(one["taskIndex"]), Number(one["count"])]));
}

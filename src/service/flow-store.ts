import { integer, optionalText, text } from "../base/sqlite.ts";
import { change, row, rows, type Database, type Work } from "./database/database.ts";
import type { FlowAnswer, FlowPause } from "./engine.ts";
import type { FeedbackAnswer } from "./flow-answers.ts";
import type { AttemptKey } from "./model.ts";
import { ofAttempt, values, type Counted } from "./store.ts";

export type FlowStore = ReturnType<typeof createFlowStore>;

/** What executions of flows have besides attempts, which are those of their methods. */
export function createFlowStore(database: Database) {
  return {
    /** What people have answered, in its order: each answer ended a part. */
    async answers(id: string): Promise<readonly FlowAnswer[]> {
      const answered = await database.query(
        rows(
          `SELECT pause, answer FROM flow_pauses JOIN attempts USING (execution_id, task_index, attempt)
           WHERE execution_id = ? AND answer IS NOT NULL AND decided_at IS NOT NULL ORDER BY decided_at`,
          id,
        ),
      );
      return answered.map((one) => {
        const { requestedAt } = JSON.parse(text(one, "pause")) as FlowPause;
        const { feedback, outcomes } = JSON.parse(text(one, "answer")) as FeedbackAnswer;
        return { requestedAt, feedback, outcomes };
      });
    },

    /** How many attempts a method has, by its index. */
    *attemptsOf(id: string, taskIndex: number): Work<number> {
      const last = yield* row(
        "SELECT coalesce(max(attempt), 0) AS count FROM attempts WHERE execution_id = ? AND task_index = ?",
        id,
        taskIndex,
      );
      return Number(last?.["count"]);
    },

    /** Forgets the attempts of a part that was interrupted. */
    *rewind(id: string, part: number): Work<unknown> {
      return yield* change("DELETE FROM attempts WHERE execution_id = ? AND part = ?", id, part);
    },

    /** The attempt of a method that is under way. */
    *running(id: string, taskIndex: number): Work<AttemptKey | undefined> {
      const found = yield* row(
        `SELECT attempt FROM attempts WHERE execution_id = ? AND task_index = ? AND state = 'running'
         ORDER BY attempt DESC LIMIT 1`,
        id,
        taskIndex,
      );
      return found && { executionId: id, taskIndex, attempt: integer(found, "attempt") };
    },

    /** Forgets attempts that never ended. */
    *dropRunning(id: string): Work<unknown> {
      return yield* change("DELETE FROM attempts WHERE execution_id = ? AND state = 'running'", id);
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

    async countsOf(id: string, part: number) {
      const stored = await database.query(
        row(
          "SELECT begins, failures FROM flow_parts WHERE execution_id = ? AND part = ?",
          id,
          part,
        ),
      );
      return {
        begins: Number(stored?.["begins"] ?? 0),
        failures: Number(stored?.["failures"] ?? 0),
      };
    },

    async setCount(what: Counted, id: string, part: number, count: number): Promise<void> {
      await database.query(
        change(
          `INSERT INTO flow_parts (execution_id, part, ${what}) VALUES (?, ?, ?)
           ON CONFLICT (execution_id, part) DO UPDATE SET ${what} = excluded.${what}`,
          id,
          part,
          count,
        ),
      );
    },

    /** What the flow returned. */
    *setOutput(id: string, output: string): Work<unknown> {
      return yield* change(
        "INSERT INTO flow_outputs (execution_id, output) VALUES (?, ?) ON CONFLICT DO NOTHING",
        id,
        output,
      );
    },

    /** Undefined before its end. */
    async outputOf(id: string): Promise<string | undefined> {
      const stored = await database.query(
        row("SELECT output FROM flow_outputs WHERE execution_id = ?", id),
      );
      return stored && optionalText(stored, "output");
    },
  };
}

import { text } from "../base/sqlite.ts";
import { change, row, tell, type Work } from "./database/database.ts";
import type { SqliteDatabase } from "./database/sqlite.ts";
import type { Job, Jobs } from "./jobs.ts";

/** Part of a change. */
export function* addJob(executionId: string, crew: string): Work<void> {
  yield* change(
    `INSERT INTO jobs (execution_id, crew) VALUES (?, ?) ON CONFLICT (execution_id) DO UPDATE SET is_wanted = 1`,
    executionId,
    crew,
  );
  yield* tell({ kind: "job" });
}

/** One process does all jobs, from a table. Those of executions that are held wait. */
export function sqliteJobs(database: SqliteDatabase): Jobs {
  const jobOf = (executionId: string): Job => ({
    executionId,
    keep: () => Promise.resolve(),
    async done() {
      await database.transaction(function* () {
        yield* change("DELETE FROM jobs WHERE execution_id = ? AND is_wanted = 0", executionId);
        yield* change("UPDATE jobs SET is_taken = 0 WHERE execution_id = ?", executionId);
      });
    },
    async giveBack() {
      await database.query(
        change("UPDATE jobs SET is_taken = 0 WHERE execution_id = ?", executionId),
      );
    },
  });

  return {
    add: addJob,
    async take(crew) {
      const taken = await database.transaction(() =>
        row(
          `UPDATE jobs SET is_taken = 1, is_wanted = 0 WHERE rowid = (
             SELECT rowid FROM jobs WHERE crew = ? AND is_taken = 0
               AND execution_id NOT IN (SELECT execution_id FROM held) ORDER BY rowid LIMIT 1
           ) RETURNING execution_id AS id`,
          crew,
        ),
      );
      return taken && jobOf(text(taken, "id"));
    },
  };
}

import { text } from "../base/sqlite.ts";
import { change, rows, tell, type Work } from "./database/database.ts";
import type { SqliteDatabase } from "./database/sqlite.ts";
import type { Job, Jobs } from "./jobs.ts";

/** Part of a change. */
export function* addJobs(crew: string, ...executionIds: readonly string[]): Work<void> {
  for (const id of executionIds)
    yield* change(
      `INSERT INTO jobs (execution_id, crew) VALUES (?, ?) ON CONFLICT (execution_id) DO UPDATE SET is_wanted = 1`,
      id,
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
    add: addJobs,
    async take(crew, most) {
      const taken = await database.transaction(() =>
        rows(
          `UPDATE jobs SET is_taken = 1, is_wanted = 0 WHERE rowid IN (
             SELECT rowid FROM jobs WHERE crew = ? AND is_taken = 0
               AND execution_id NOT IN (SELECT execution_id FROM held) ORDER BY rowid LIMIT ?
           ) RETURNING execution_id AS id`,
          crew,
          most,
        ),
      );
      return taken.map((job) => jobOf(text(job, "id")));
    },
  };
}

import { text } from "../base/sqlite.ts";
import { change, rows, tell, type Database, type Work } from "./database/database.ts";

/** Hands out the executions that have something to do. A job says only "look at this execution now": what there is to do follows from its rows. */
export interface Jobs {
  /** Part of a change that has locked the executions, which are queued. If a job waits already, it changes nothing; if somebody has it, there is another one. */
  add(crew: string, ...executionIds: readonly string[]): Work<void>;
  /** Takes the crew's jobs that have waited longest. */
  take(crew: string, most: number): Promise<readonly Job[]>;
}

export interface Job {
  readonly executionId: string;
  /** Call it every few seconds, so that nobody else takes it. */
  keep(): Promise<void>;
  done(): Promise<void>;
  /** Somebody else may take it at once. */
  giveBack(): Promise<void>;
}

/** Part of a change: in a file, the queued executions are the jobs. */
export function* tellOfJobs(): Work<void> {
  yield* tell({ kind: "job" });
}

/** For a file that one process uses. It knows itself which jobs it has taken. */
export function fileJobs(database: Database): Jobs {
  const taken = new Set<string>();
  const jobOf = (executionId: string): Job => ({
    executionId,
    keep: () => Promise.resolve(),
    done() {
      taken.delete(executionId);
      return Promise.resolve();
    },
    async giveBack() {
      await database.query(
        change(
          "UPDATE executions SET phase = 'queued' WHERE id = ? AND phase = 'running'",
          executionId,
        ),
      );
      taken.delete(executionId);
    },
  });
  return {
    add: tellOfJobs,
    async take(crew, most) {
      const queued = await database.query(
        rows(
          "SELECT id FROM executions WHERE crew = ? AND phase = 'queued' AND ended_at IS NULL ORDER BY queued_at, rowid LIMIT ?",
          ...[crew, most + taken.size],
        ),
      );
      const ids = queued.map((one) => text(one, "id")).filter((id) => !taken.has(id));
      return ids.slice(0, most).map((id) => {
        taken.add(id);
        return jobOf(id);
      });
    },
  };
}

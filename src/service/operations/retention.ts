import { setTimeout as sleep } from "node:timers/promises";
import { text } from "../../base/sqlite.ts";
import { change, rows, type Database, type Work } from "../database/database.ts";
import { messageOf } from "../errors.ts";
import type { Log } from "./log.ts";

const dayMs = 86_400_000;

/** How often to look for executions that are old enough (ms). */
const pauseMs = 3_600_000;

/** How many executions one transaction deletes, and the pause after it, in which others can write (ms). */
const batch = { size: 100, pauseMs: 50 };

/** The tables with data of executions. Each has the column `execution_id`. */
const tables = [
  "held",
  "kept",
  "aliases",
  "usage",
  "attempts",
  "batched_events",
  "deliveries",
  "events",
  "event_counts",
  "span_exports",
];

/**
 * Executions to delete. An execution is kept while callbacks are still to be sent. The lock keeps two processes from deleting
 * the same executions.
 */
const old = `
  SELECT id FROM executions WHERE ended_at < ?
    AND NOT EXISTS (SELECT 1 FROM deliveries WHERE execution_id = executions.id AND state = 'pending')
  LIMIT ? FOR UPDATE`;

interface RetentionOptions {
  readonly database: Pick<Database, "now" | "transaction">;
  /** How long executions are kept after their end (days). */
  readonly keepDays: number;
  /** Called when something was deleted. */
  readonly onDeleted: () => void;
  readonly log: Log;
}

/** Deletes executions with all their data when they have ended long enough ago. */
export function createRetention({ database, keepDays, onDeleted, log }: RetentionOptions) {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  /** Returns how many it has deleted. */
  async function deleteOld(now: number): Promise<number> {
    let count = 0;
    let deleted: number;
    do {
      deleted = await database.transaction(() => deleteSome(now - keepDays * dayMs));
      count += deleted;
      await sleep(batch.pauseMs);
    } while (deleted === batch.size && !isStopped);
    return count;
  }

  async function look(): Promise<void> {
    try {
      const count = await deleteOld(database.now());
      if (count === 0) return;
      log(`Executions that ended more than ${keepDays} days ago were deleted: ${count}`, {
        level: "info",
      });
      onDeleted();
    } catch (error) {
      log(`Old executions could not be deleted: ${messageOf(error)}`);
    }
  }

  return {
    deleteOld,
    start(): void {
      timer = setInterval(() => void look(), pauseMs).unref();
      void look();
    },
    stop(): void {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

/** Deletes some executions that ended before a time. Returns how many. */
function* deleteSome(before: number): Work<number> {
  const ids = (yield* rows(old, before, batch.size)).map((row) => text(row, "id"));
  if (ids.length === 0) return 0;
  const places = ids.map(() => "?").join(", ");
  for (const table of tables)
    yield* change(`DELETE FROM ${table} WHERE execution_id IN (${places})`, ...ids);
  return yield* change(`DELETE FROM executions WHERE id IN (${places})`, ...ids);
}

import { setTimeout as sleep } from "node:timers/promises";
import { text } from "../../base/sqlite.ts";
import { change, rows, type Database, type Work } from "../database/database.ts";
import { messageOf } from "../errors.ts";
import type { Log } from "./log.ts";

const dayMs = 86_400_000;

/** How often to look for executions that are old enough (ms). */
const pauseMs = 3_600_000;

/** How much one transaction deletes, and the pause after it (ms), so that others can read and write. */
const portion = { executions: 10, callbacks: 500, pauseMs: 5 };

/**
 * Executions to delete. An execution is kept while callbacks are still to be sent, which an index of those that were not sent
 * has. The lock keeps two processes from deleting the same executions.
 */
const old = `
  SELECT id FROM executions WHERE ended_at < ?
    AND NOT EXISTS (SELECT 1 FROM deliveries WHERE execution_id = executions.id AND state <> 'sent' AND state = 'pending')
  LIMIT ? FOR UPDATE`;

interface RetentionOptions {
  readonly database: Pick<Database, "now" | "transaction">;
  /** How long executions are kept after their end (days). */
  readonly keepDays: number;
  readonly log: Log;
}

/** Deletes executions with all their data when they have ended long enough ago. */
export function createRetention({ database, keepDays, log }: RetentionOptions) {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  /** Returns how many it has deleted. */
  async function deleteOld(now: number): Promise<number> {
    let count = 0;
    while (!isStopped) {
      const deleted = await database.transaction(() => deleteSome(now - keepDays * dayMs));
      if (deleted === undefined) break;
      count += deleted;
      await sleep(portion.pauseMs);
    }
    return count;
  }

  async function look(): Promise<void> {
    try {
      const count = await deleteOld(database.now());
      if (count === 0) return;
      log(`Executions that ended more than ${keepDays} days ago were deleted: ${count}`, {
        level: "info",
      });
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

/** Deletes some executions that ended before a time. Returns how many; undefined if there are none. */
function* deleteSome(before: number): Work<number | undefined> {
  const ids = (yield* rows(old, before, portion.executions)).map((row) => text(row, "id"));
  if (ids.length === 0) return undefined;
  const places = ids.map(() => "?").join(", ");
  // Of other things, an execution has few.
  const callbacks = yield* change(
    `DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE execution_id IN (${places}) LIMIT ?)`,
    ...ids,
    portion.callbacks,
  );
  if (callbacks === portion.callbacks) return 0;
  return yield* change(`DELETE FROM executions WHERE id IN (${places})`, ...ids);
}

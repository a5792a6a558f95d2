import { setTimeout as sleep } from "node:timers/promises";
import { change, type Database } from "../database/database.ts";
import { messageOf } from "../errors.ts";
import type { Log } from "./log.ts";

const dayMs = 86_400_000;

const pauseMs = 3_600_000;

/** How long others can read and write after each (ms). */
const restMs = 5;

/** Not while callbacks are still to be sent. The lock keeps two processes from deleting the same one. */
const deleteOne = `
  DELETE FROM executions WHERE id IN (
    SELECT id FROM executions WHERE ended_at < ?
      AND NOT EXISTS (SELECT 1 FROM deliveries WHERE execution_id = executions.id AND state <> 'sent' AND state = 'pending')
    LIMIT 1 FOR UPDATE)`;

interface RetentionOptions {
  readonly database: Pick<Database, "now" | "transaction">;
  readonly keepDays: number;
  readonly log: Log;
}

export function createRetention({ database, keepDays, log }: RetentionOptions) {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function deleteOld(now: number): Promise<number> {
    const before = now - keepDays * dayMs;
    let count = 0;
    while (!isStopped && (await database.transaction(() => change(deleteOne, before))) > 0) {
      count += 1;
      await sleep(restMs);
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

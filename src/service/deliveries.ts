import { createHash } from "node:crypto";
import type { JsonObject } from "../api/types.ts";
import { integer, optionalText, text } from "../base/sqlite.ts";
import { change, row, rows, tell, type Database, type Work } from "./database/database.ts";
import type { CallbackKind, CallbackTarget, UndeliveredCallbacks } from "./model.ts";

/** How many events a callback has if the kickoff asks for batches (observed). */
const batchSize = 4;

/** The wait after a failure is doubled up to this (ms). */
const longestWaitMs = 3_600_000;

interface StreamEvent extends JsonObject {
  readonly id: string;
}

export interface Delivery {
  readonly id: string;
  readonly executionId: string;
  /** Undefined for one of version 0.1.0. */
  readonly kind: CallbackKind | undefined;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly body: string;
  /** How often it has failed. */
  readonly failures: number;
}

/** The same parts give the same ID, so that a receiver can detect a repeat. */
export function stableId(...parts: readonly (string | number)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 32);
}

/** Each receiver has two queues: one for questions to people, which come first, and one for the others. Sorted by name, the most urgent is first. */
function queueOf(kind: CallbackKind, url: string): string {
  return `${kind === "human_input" || kind === "feedback_request" ? 1 : 2} ${new URL(url).origin}`;
}

export type Deliveries = ReturnType<typeof createDeliveries>;

/** Callbacks that are stored until they were sent or given up: then body, address and credentials are deleted. */
export function createDeliveries(database: Database, firstWaitMs: number) {
  const { erasure } = database;

  /** Part of a change. A repeat changes nothing. */
  function* add(
    id: string,
    executionId: string,
    kind: CallbackKind,
    { url, authorization }: CallbackTarget,
    body: JsonObject,
  ): Work<void> {
    yield* change(
      `INSERT INTO deliveries (id, execution_id, url, "authorization", body, kind, queue)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      id,
      executionId,
      url,
      authorization ?? null,
      JSON.stringify(body),
      kind,
      queueOf(kind, url),
    );
    yield* tell({ kind: "callback" });
  }

  return {
    add,

    async settle(id: string, state: "sent" | "given up", hasSecret: boolean): Promise<void> {
      await database.transaction(function* () {
        if (hasSecret && erasure) yield* erasure.mark();
        yield* change(
          `UPDATE deliveries SET state = ?, url = '', body = '', "authorization" = NULL WHERE id = ? AND state = 'pending'`,
          state,
          id,
        );
      });
      erasure?.plan();
    },

    /**
     * Part of a change that has locked the execution. Adds an event, if there is one, to those of its execution that wait; they
     * are sent when there are four, or if `isLast`.
     */
    *batch(
      executionId: string,
      target: CallbackTarget,
      event: StreamEvent | undefined,
      isLast: boolean,
    ): Work<void> {
      if (event)
        yield* change(
          "INSERT INTO batched_events (id, execution_id, event) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
          event.id,
          executionId,
          JSON.stringify(event),
        );
      const waiting = yield* rows(
        "SELECT id, event FROM batched_events WHERE execution_id = ? AND delivery_id IS NULL ORDER BY rowid",
        executionId,
      );
      const [first] = waiting;
      if (!first || !(isLast || waiting.length >= batchSize)) return;
      const id = stableId("batch", text(first, "id"));
      const events = waiting.map((stored) => JSON.parse(text(stored, "event")) as JsonObject);
      for (const stored of waiting)
        yield* change(
          "UPDATE batched_events SET delivery_id = ?, event = '' WHERE id = ?",
          id,
          text(stored, "id"),
        );
      yield* add(id, executionId, "events", target, { events });
    },

    /** Part of the change that stops an execution: nobody is asked about it any more. */
    *withdrawQuestions(executionId: string): Work<unknown> {
      return yield* change(
        `DELETE FROM deliveries WHERE execution_id = ? AND kind IN ('human_input', 'feedback_request') AND state = 'pending'`,
        executionId,
      );
    },

    /** The queues that have callbacks, the most urgent first. Reads one entry of the index for each. */
    async queues(): Promise<readonly string[]> {
      const all = await database.query(
        rows(
          `WITH RECURSIVE queues(name) AS (
             SELECT min(queue) FROM deliveries WHERE state = 'pending'
             UNION ALL
             SELECT (SELECT min(queue) FROM deliveries WHERE state = 'pending' AND queue > name)
             FROM queues WHERE name IS NOT NULL
           ) SELECT name FROM queues WHERE name IS NOT NULL ORDER BY name`,
        ),
      );
      return all.map((queue) => text(queue, "name"));
    },

    /** The first `limit` callbacks of a queue. `due` in ms since 1970. */
    async first(queue: string, limit: number) {
      const found = await database.query(
        rows(
          "SELECT id, due FROM deliveries WHERE queue = ? AND state = 'pending' ORDER BY due, rowid LIMIT ?",
          queue,
          limit,
        ),
      );
      return found.map((one) => ({ id: text(one, "id"), due: integer(one, "due") }));
    },

    /**
     * Takes a callback that is due, so that nobody else sends it meanwhile; undefined if somebody did.
     * @param milliseconds after which it is due again if nothing is stored about it
     */
    async take(id: string, milliseconds: number): Promise<Delivery | undefined> {
      const now = database.now();
      const taken = await database.query(
        row(
          `UPDATE deliveries SET is_taken = 1, due = ? WHERE id = ? AND state = 'pending' AND due <= ?
           RETURNING execution_id AS "executionId", kind, url, "authorization", body, failures`,
          now + milliseconds,
          id,
          now,
        ),
      );
      return (
        taken && {
          id,
          executionId: text(taken, "executionId"),
          kind: optionalText(taken, "kind") as CallbackKind | undefined,
          url: text(taken, "url"),
          authorization: optionalText(taken, "authorization"),
          body: text(taken, "body"),
          failures: integer(taken, "failures"),
        }
      );
    },

    /** Returns how often it has failed, and when it is due again (ms since 1970). A repeat changes nothing. */
    async fail({ id, failures: before }: Pick<Delivery, "id" | "failures">, problem: string) {
      const failures = before + 1;
      const due = database.now() + Math.min(longestWaitMs, firstWaitMs * 2 ** before);
      await database.query(
        change(
          "UPDATE deliveries SET failures = ?, problem = ?, is_taken = 0, due = ? WHERE id = ? AND failures = ?",
          failures,
          problem,
          due,
          id,
          before,
        ),
      );
      return { failures, due };
    },

    /** The callbacks of an execution that have not arrived, also those that were not tried yet. */
    async undelivered(executionId: string): Promise<readonly UndeliveredCallbacks[]> {
      const found = await database.query(
        rows(
          `SELECT kind, state, count(*) AS count, max(failures) AS attempts,
             min(CASE WHEN is_taken = 1 AND failures = 0 THEN 0 ELSE due END) AS due,
             (SELECT problem FROM deliveries AS latest WHERE latest.execution_id = one.execution_id AND latest.state = one.state
                AND latest.kind = one.kind AND problem IS NOT NULL ORDER BY due DESC LIMIT 1) AS problem
           FROM deliveries AS one WHERE execution_id = ? AND state <> 'sent' AND kind IS NOT NULL AND kind <> 'feedback_request'
           GROUP BY execution_id, kind, state ORDER BY min(rowid)`,
          executionId,
        ),
      );
      return found.map((one) => ({
        kind: text(one, "kind") as CallbackKind,
        count: integer(one, "count"),
        attempts: integer(one, "attempts"),
        problem: optionalText(one, "problem"),
        due: one["state"] === "pending" ? integer(one, "due") : undefined,
      }));
    },

    /**
     * For the only process at its start: those that the last one was sending are due, and no wait is longer than it was
     * when it began: the clock may have been set back since.
     */
    *shortenWaits(): Work<void> {
      const now = database.now();
      yield* change(
        "UPDATE deliveries SET is_taken = 0, due = 0 WHERE state = 'pending' AND is_taken = 1",
      );
      yield* change(
        `UPDATE deliveries SET due = min(due, ? + min(?, ? * (1 << (failures - 1))))
         WHERE state = 'pending' AND failures > 0`,
        now,
        longestWaitMs,
        firstWaitMs,
      );
    },
  };
}

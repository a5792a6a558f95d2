import type { JsonObject } from "../api/types.ts";
import { hashOf } from "../base/bearer.ts";
import { integer, optionalText, text } from "../base/sqlite.ts";
import { change, insert, row, rows, tell, type Database, type Work } from "./database/database.ts";
import type { Cipher } from "./encryption.ts";
import type { CallbackKind, Callbacks, CallbackTarget } from "./model.ts";

/** How many events a callback has if the kickoff asks for batches (observed). */
const batchSize = 4;

/** The last attempt is about 2.5 hours after the first (5 s, doubled up to an hour). */
export const callbackAttempts = 12;

/** The wait after a failure is doubled up to this (ms). */
const longestWaitMs = 3_600_000;

/** Does not say whether there is a receiver. */
const anyProblem = "The receiver could not be reached, or did not accept it.";

interface StreamEvent extends JsonObject {
  readonly id: string;
}

export interface Queue {
  readonly crew: string;
  readonly name: string;
}

export interface Delivery {
  readonly id: string;
  readonly executionId: string;
  readonly kind: CallbackKind;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly body: string;
  readonly failures: number;
}

/** The same parts give the same ID, so that a receiver can detect a repeat. */
export function stableId(...parts: readonly (string | number)[]): string {
  return hashOf(JSON.stringify(parts)).slice(0, 32);
}

export function eventsId(executionId: string, lastEvent: string): string {
  return stableId("stream", executionId, lastEvent);
}

/**
 * Each receiver has two queues: one for questions to people, which come first, and one for the others. Sorted by name, the most urgent is
 * first. The receiver may be secret.
 */
function queueOf(kind: CallbackKind, url: string): string {
  return `${kind === "human_input" || kind === "feedback_request" ? 1 : 2} ${hashOf(new URL(url).origin)}`;
}

export type Deliveries = ReturnType<typeof createDeliveries>;

/**
 * Callbacks, and requests with spans, that are stored until they were sent or given up: then body, address and credentials
 * are deleted.
 * @param spansUrl where spans are sent
 */
export function createDeliveries(
  database: Database,
  cipher: Cipher,
  firstWaitMs: number,
  spansUrl?: string,
) {
  const encrypted = (secret: string | undefined) =>
    secret === undefined ? null : cipher.encrypt(secret);
  const decrypted = (secret: string | undefined) =>
    secret === undefined ? undefined : cipher.decrypt(secret);

  /** Part of a change. A repeat changes nothing. */
  function* add(
    id: string,
    executionId: string,
    kind: CallbackKind,
    { url, authorization }: CallbackTarget,
    body: JsonObject,
  ): Work<void> {
    yield* change(
      `INSERT INTO deliveries (id, execution_id, url, "authorization", body, kind, crew, queue, due)
       VALUES (?, ?, ?, ?, ?, ?, (SELECT crew FROM executions WHERE id = ?), ?, ?) ON CONFLICT DO NOTHING`,
      id,
      executionId,
      cipher.encrypt(url),
      encrypted(authorization),
      JSON.stringify(body),
      kind,
      executionId,
      queueOf(kind, url),
      database.now(),
    );
    yield* tell({ kind: "callback" });
  }

  return {
    add,

    /** Part of the change that ends an execution: its trace is sent, if spans are. @param from the first span that is left */
    *addSpans(executionId: string, from = 0): Work<void> {
      if (spansUrl === undefined) return;
      const id = stableId("spans", executionId, from);
      yield* add(id, executionId, "spans", { url: spansUrl }, { from });
    },

    async arrived(id: string): Promise<void> {
      await database.query(
        change(
          `UPDATE deliveries SET state = 'sent', ${forgotten} WHERE id = ? AND state = 'pending'`,
          id,
        ),
      );
    },

    /** Returns when it is due again (ms since 1970); undefined if it is given up. A repeat changes nothing. */
    async failed(
      { id, failures }: Pick<Delivery, "id" | "failures">,
      problem: string,
    ): Promise<number | undefined> {
      const isLast = failures + 1 === callbackAttempts;
      const due = database.now() + Math.min(longestWaitMs, firstWaitMs * 2 ** failures);
      await database.query(
        change(
          `UPDATE deliveries SET failures = failures + 1, problem = ?, due = ?${isLast ? `, state = 'given up', ${forgotten}` : ""}
           WHERE id = ? AND failures = ?`,
          ...[problem, due, id, failures],
        ),
      );
      return isLast ? undefined : due;
    },

    /** Whether one of these callbacks was sent, or may be about to arrive. What a process was sending that is gone is due since 0. */
    async mayHaveArrived(...ids: readonly [string, string]): Promise<boolean> {
      const found = await database.query(
        row(
          "SELECT 1 AS found FROM deliveries WHERE id IN (?, ?) AND (state <> 'pending' OR failures > 0 OR due = 0 OR due > ?)",
          ...[...ids, database.now()],
        ),
      );
      return found !== undefined;
    },

    /**
     * Part of a change that has locked the execution. Sends an event, if there is one, with those of its execution that wait;
     * if groups of four are asked for, once there are four, or if `isLast`.
     */
    *stream(
      executionId: string,
      target: NonNullable<Callbacks["stream"]>,
      event: StreamEvent | undefined,
      isLast: boolean,
    ): Work<void> {
      const waiting = yield* rows(
        "SELECT event FROM batched_events WHERE execution_id = ? ORDER BY rowid",
        executionId,
      );
      const earlier = waiting.map((stored) => JSON.parse(text(stored, "event")) as StreamEvent);
      const events = event ? [...earlier, event] : earlier;
      const last = events.at(-1);
      if (last && (isLast || events.length >= (target.isBatched ? batchSize : 1))) {
        yield* change("DELETE FROM batched_events WHERE execution_id = ?", executionId);
        yield* add(eventsId(executionId, last.id), executionId, "events", target, { events });
      } else if (event)
        yield* insert("batched_events", {
          id: eventsId(executionId, event.id),
          execution_id: executionId,
          event: JSON.stringify(event),
        });
    },

    /** Part of the change that stops an execution: nobody is asked about it any more. */
    *withdrawQuestions(executionId: string): Work<unknown> {
      return yield* change(
        `DELETE FROM deliveries WHERE execution_id = ? AND kind IN ('human_input', 'feedback_request') AND state = 'pending'`,
        executionId,
      );
    },

    /** Crews with callbacks that wait, each with when the first is due (ms since 1970). */
    async crews() {
      const found = await database.query(
        rows(
          `WITH RECURSIVE crews(name) AS (
             SELECT min(crew) FROM deliveries WHERE state = 'pending'
             UNION ALL
             SELECT (SELECT min(crew) FROM deliveries WHERE state = 'pending' AND crew > name)
             FROM crews WHERE name IS NOT NULL
           ) SELECT name, (SELECT min(due) FROM deliveries WHERE crew = name AND state = 'pending') AS due
           FROM crews WHERE name IS NOT NULL`,
        ),
      );
      return found.map((crew) => ({ name: text(crew, "name"), due: integer(crew, "due") }));
    },

    /**
     * A crew's next queues after one of this name, the most urgent first, each with when its first callback is due (ms since
     * 1970). Reads two entries of the index for each.
     */
    async queues(crew: string, after: string, limit: number) {
      const found = await database.query(
        rows(
          `WITH RECURSIVE queues(name) AS (
             SELECT min(queue) FROM deliveries WHERE crew = ? AND state = 'pending' AND queue > ?
             UNION ALL
             SELECT (SELECT min(queue) FROM deliveries WHERE crew = ? AND state = 'pending' AND queue > name)
             FROM queues WHERE name IS NOT NULL
           ) SELECT name, (SELECT min(due) FROM deliveries WHERE crew = ? AND queue = name AND state = 'pending') AS due
           FROM queues WHERE name IS NOT NULL LIMIT ?`,
          ...[crew, after, crew, crew, limit],
        ),
      );
      return found.map((queue) => ({ name: text(queue, "name"), due: integer(queue, "due") }));
    },

    /**
     * Takes the first callbacks of a queue that are due, so that nobody else sends them meanwhile.
     * @param milliseconds after which they are due again if nothing is stored about them
     */
    async take(
      { crew, name }: Queue,
      limit: number,
      milliseconds: number,
    ): Promise<readonly Delivery[]> {
      const now = database.now();
      // A process that waits here for another one finds them taken.
      const taken = await database.query(
        rows(
          `UPDATE deliveries SET due = ? WHERE state = 'pending' AND due <= ? AND id IN (
             SELECT id FROM deliveries WHERE crew = ? AND queue = ? AND state = 'pending' AND due <= ? ORDER BY due LIMIT ?
           ) RETURNING id, execution_id AS "executionId", kind, url, "authorization", body, failures`,
          ...[now + milliseconds, now, crew, name, now, limit],
        ),
      );
      return taken.map((one) => ({
        id: text(one, "id"),
        executionId: text(one, "executionId"),
        kind: text(one, "kind") as CallbackKind,
        url: cipher.decrypt(text(one, "url")),
        authorization: decrypted(optionalText(one, "authorization")),
        body: text(one, "body"),
        failures: integer(one, "failures"),
      }));
    },

    /**
     * The callbacks of an execution that have not arrived, also those that were not tried yet, by kind and in the shape of
     * the API.
     * @param isOperator may know what is in the server's network
     */
    async undelivered(executionId: string, isOperator: boolean): Promise<readonly JsonObject[]> {
      const found = await database.query(
        rows(
          `SELECT kind, state, count(*) AS count, max(failures) AS attempts,
             min(due) AS due,
             (SELECT problem FROM deliveries AS latest WHERE latest.execution_id = one.execution_id AND latest.state = one.state
                AND latest.kind = one.kind AND problem IS NOT NULL ORDER BY due DESC LIMIT 1) AS problem
           FROM deliveries AS one WHERE execution_id = ? AND state <> 'sent' AND kind NOT IN ('feedback_request', 'spans')
           GROUP BY execution_id, kind, state ORDER BY min(rowid)`,
          executionId,
        ),
      );
      return found.map((one) => {
        const [attempts, isGivenUp] = [integer(one, "attempts"), one["state"] === "given up"];
        return {
          callback: text(one, "kind"),
          count: integer(one, "count"),
          attempts,
          ...(one["problem"] !== null && { error: isOperator ? text(one, "problem") : anyProblem }),
          ...(isGivenUp && { given_up: true }),
          ...(!isGivenUp &&
            attempts > 0 && { next_attempt_at: new Date(integer(one, "due")).toISOString() }),
        };
      });
    },
  };
}

const forgotten = `url = '', body = '', "authorization" = NULL`;

import { integer, text } from "../../base/sqlite.ts";
import type { EndedExecution } from "../../spans/spans.ts";
import { change, type Database, row, rows } from "../database/database.ts";
import { outputOf } from "../dialects.ts";
import { messageOf } from "../errors.ts";
import type { StatusView } from "../model.ts";
import type { Log } from "./log.ts";
import type { SpansOptions } from "./options.ts";

/** How often to look for executions whose spans are due (ms). */
const pauseMs = 1000;

/** How many executions one look reads. */
const batch = 16;

/** How long an execution is reserved for the process that sends its spans (ms): longer than a request with its retries takes. */
const leaseMs = 180_000;

/** The waits double up to an hour, so that the last attempt is about 2.5 hours after the first. */
const repeats = { attempts: 12, firstMs: 5000, longestMs: 3_600_000 };

interface ExporterOptions {
  readonly database: Database;
  /** The same database, for changes that must not be lost: it waits until the database can be reached. */
  readonly forRuns: Database;
  /** The crews that this process serves. It can't read executions of other crews. */
  readonly crews: readonly string[];
  readonly spans: SpansOptions;
  readonly view: (id: string) => Promise<StatusView | undefined>;
  readonly version: string;
  readonly log: Log;
}

/**
 * Sends each execution as a trace once it has ended. Spans that the receiver has accepted aren't sent again, not even after a
 * restart. After 12 failed attempts, the rest is given up. The execution itself is never affected.
 */
export function createExporter(options: ExporterOptions) {
  const { database, forRuns, crews, spans, view, version, log } = options;
  const places = crews.map(() => "?").join(", ");
  let timer: NodeJS.Timeout | undefined;
  let isStopped = true;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    try {
      for (const id of await due()) if (!isStopped) await send(id);
    } catch (error) {
      log(`The service could not look for spans to send: ${messageOf(error)}`);
    }
    if (!isStopped) timer = setTimeout(begin, pauseMs).unref();
  }

  function begin(): void {
    looking = look();
  }

  async function due(): Promise<readonly string[]> {
    const found = await database.query(
      rows(
        `SELECT execution_id AS id FROM span_exports JOIN executions ON executions.id = execution_id
         WHERE span_exports.state = 'pending' AND due <= ? AND crew IN (${places}) ORDER BY due LIMIT ?`,
        database.now(),
        ...crews,
        batch,
      ),
    );
    return found.map((one) => text(one, "id"));
  }

  async function send(id: string): Promise<void> {
    const now = database.now();
    const taken = await database.query(
      row(
        `UPDATE span_exports SET due = ? WHERE execution_id = ? AND state = 'pending' AND due <= ? RETURNING failures, sent`,
        now + leaseMs,
        id,
        now,
      ),
    );
    // Another process has reserved the execution.
    if (!taken) return;
    try {
      await sendFrom(id, integer(taken, "sent"));
      await settle(id, "sent");
    } catch (error) {
      await fail(id, integer(taken, "failures") + 1, messageOf(error));
    }
  }

  /** Sends the spans that were not acknowledged yet. An execution always has the same spans in the same order. */
  async function sendFrom(id: string, acknowledged: number): Promise<void> {
    // Loaded only where spans are sent.
    const [{ spansOfEnded }, { mostSpans, sendSpans }] = await Promise.all([
      import("../../spans/spans.ts"),
      import("../../spans/send.ts"),
    ]);
    const found = await view(id);
    if (!found) return;
    const all = spansOfEnded(endedOf(found), { version, hasContent: spans.hasContent });
    const userAgent = `crewdeck/${version}`;
    for (let from = acknowledged; from < all.length; from += mostSpans) {
      const part = all.slice(from, from + mostSpans);
      const refused = await sendSpans(part, spans.url, { headers: spans.headers, userAgent });
      await database.query(
        change(
          "UPDATE span_exports SET sent = ?, due = ? WHERE execution_id = ?",
          from + part.length,
          database.now() + leaseMs,
          id,
        ),
      );
      // OTLP: spans that the receiver has rejected must not be sent again.
      if (refused > 0)
        log(`${refused} of ${part.length} spans of the execution ${id} were refused`, {
          execution_id: id,
        });
    }
  }

  async function fail(id: string, failures: number, problem: string): Promise<void> {
    const about = `The spans of the execution ${id} could not be sent to ${spans.url.origin}`;
    if (failures >= repeats.attempts) {
      await settle(id, "given up");
      log(`${about}, and are given up after ${failures} attempts: ${problem}`, {
        execution_id: id,
      });
      return;
    }
    if (failures === 1) log(`${about}, and are sent again later: ${problem}`, { execution_id: id });
    const wait = Math.min(repeats.longestMs, repeats.firstMs * 2 ** (failures - 1));
    await database.query(
      change(
        "UPDATE span_exports SET due = ?, failures = ? WHERE execution_id = ?",
        database.now() + wait,
        failures,
        id,
      ),
    );
  }

  const settle = (id: string, state: "sent" | "given up") =>
    database.query(change("UPDATE span_exports SET state = ? WHERE execution_id = ?", state, id));

  return {
    /** Plans to send an ended execution. Calling it again changes nothing. Never rejects. */
    async add(id: string): Promise<void> {
      try {
        await forRuns.transaction(() =>
          change(
            "INSERT INTO span_exports (execution_id, due) VALUES (?, ?) ON CONFLICT DO NOTHING",
            id,
            database.now(),
          ),
        );
      } catch (error) {
        log(`The spans of the execution ${id} will not be sent: ${messageOf(error)}`, {
          execution_id: id,
        });
      }
    },
    start(): void {
      isStopped = false;
      begin();
    },
    /** Resolves once the execution that is being sent is done. */
    async stop(): Promise<void> {
      isStopped = true;
      clearTimeout(timer);
      await looking;
    },
  };
}

function endedOf(view: StatusView): EndedExecution {
  const { execution, activity, usage } = view;
  const { id, project, state, createdAt, endedAt, inputs, error } = execution;
  return {
    id,
    crew: project.name,
    state: state === "error" ? "failed" : state === "stopped" ? "stopped" : "completed",
    startedAt: createdAt,
    endedAt: endedAt ?? createdAt,
    inputs,
    output: state === "completed" ? outputOf(view) : "",
    error,
    ...activity,
    usage,
  };
}

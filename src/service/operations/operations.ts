import { setTimeout as sleep } from "node:timers/promises";
import type { EndedExecution } from "../../spans/spans.ts";
import { change, type Database } from "../database/database.ts";
import { outputOf } from "../dialects.ts";
import { messageOf } from "../errors.ts";
import type { StatusView } from "../model.ts";
import type { ServiceOptions } from "../options.ts";
import type { Log } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import type { SpansOptions } from "./options.ts";
import { createProbes } from "./probes.ts";

interface OperationsParts extends Partial<
  Pick<ServiceOptions, "metricsToken" | "keepDays" | "spans">
> {
  readonly database: Database;
  readonly crews: readonly string[];
  readonly isLocal: boolean;
  readonly version: string;
  readonly log: Log;
}

export type Operations = ReturnType<typeof createOperations>;

export function createOperations(parts: OperationsParts) {
  const { database, crews, keepDays, spans, log } = parts;
  const metrics = createMetrics();
  metrics.addDatabase(database, crews);
  const retention = keepDays === undefined ? undefined : createRetention(database, keepDays, log);
  return {
    metrics,
    spansUrl: spans?.url.href,
    ...createProbes({ metricsToken: undefined, ...parts, metrics }),
    work: () => retention?.start(),
    stop: () => retention?.stop(),
    exportSpans: spans && createExporter(spans, parts),
  };
}

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

export function createRetention(
  database: Pick<Database, "now" | "transaction">,
  keepDays: number,
  log: Log,
) {
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

/** Sends a request of a trace. @returns with which span the next one begins; undefined if none is left */
function createExporter(spans: SpansOptions, { version, log }: OperationsParts) {
  return async (found: StatusView, from: number): Promise<number | undefined> => {
    // Loaded only where spans are sent.
    const [{ spansOfEnded }, { mostSpans, sendSpans }] = await Promise.all([
      import("../../spans/spans.ts"),
      import("../../spans/send.ts"),
    ]);
    const { id } = found.execution;
    // An execution always has the same spans in the same order.
    const all = spansOfEnded(endedOf(found), { version, hasContent: spans.hasContent });
    const next = from + mostSpans;
    const part = all.slice(from, next);
    const userAgent = `crewdeck/${version}`;
    const refused = await sendSpans(part, spans.url, { headers: spans.headers, userAgent });
    // OTLP: spans that the receiver has rejected must not be sent again.
    if (refused > 0)
      log(`${refused} of ${part.length} spans of the execution ${id} were refused`, {
        execution_id: id,
      });
    return next < all.length ? next : undefined;
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

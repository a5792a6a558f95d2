import type { JsonObject, JsonValue } from "../api/types.ts";
import { integer, text } from "../base/sqlite.ts";
import { change, row, rows, type Work } from "./database/database.ts";
import type { ActivityView } from "./model.ts";

/** How many events of an execution are kept, and characters of their JSON, so that answers to polls stay small. */
const most = { events: 2_000, characters: 1_000_000 };

/** After about how many events old ones are dropped. */
const step = 100;

const longestText = 2_000;

/** An event in the shape of crewAI's event bus (recorded). */
export interface StoredEvent extends JsonObject {
  readonly event_id: string;
  readonly type: string;
  readonly timestamp: string;
}

/**
 * Part of a change: adds to what happened in an execution, for its status. Returns false if it is a repeat. Kept are the newest 2,000
 * events of an execution, at most 1 MB, and some that came since: older calls of models and tools are only counted. A client
 * that polls has seen them.
 */
export function* addEvent(executionId: string, event: StoredEvent): Work<boolean> {
  const { event_id, type } = event;
  const added = yield* row(
    "INSERT INTO events (execution_id, id, type, event) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING rowid AS number",
    executionId,
    event_id,
    type,
    JSON.stringify(event, shorten),
  );
  // The number counts the events of all executions, so an execution with many gets one of these, too.
  if (added && integer(added, "number") % step === 0) yield* dropOld(executionId);
  return added !== undefined;
}

function* dropOld(executionId: string): Work<void> {
  const dropped = yield* rows(
    `DELETE FROM events WHERE execution_id = ? AND rowid IN (
       SELECT id FROM (
         SELECT rowid AS id, row_number() OVER newest AS number, sum(length(event)) OVER newest AS characters
         FROM events WHERE execution_id = ?
         WINDOW newest AS (ORDER BY ${isMilestone} DESC, rowid DESC)
       ) AS numbered WHERE number > ${most.events} OR characters > ${most.characters}) RETURNING type`,
    executionId,
    executionId,
  );
  for (const [type, count] of Object.entries(countsOf(dropped.map((event) => text(event, "type")))))
    yield* change(
      `INSERT INTO event_counts (execution_id, type, count) VALUES (?, ?, ?)
       ON CONFLICT (execution_id, type) DO UPDATE SET count = event_counts.count + excluded.count`,
      executionId,
      type,
      count,
    );
}

function countsOf(
  types: readonly string[],
  counted: Readonly<Record<string, number>> = {},
): Readonly<Record<string, number>> {
  const counts = { ...counted };
  for (const type of types) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

/** SQL: events that are kept longest. */
const isMilestone = `(${[
  "crew_kickoff",
  "execution",
  "flow",
  "method_execution",
  "task",
  "agent_execution",
  "human_feedback",
]
  .map((kind) => `type LIKE '${kind}_%'`)
  .join(" OR ")})`;

export function* activityOf(executionId: string): Work<ActivityView> {
  const stored = yield* rows(
    "SELECT event FROM events WHERE execution_id = ? ORDER BY rowid",
    executionId,
  );
  const dropped = yield* rows(
    "SELECT type, count FROM event_counts WHERE execution_id = ?",
    executionId,
  );
  const events = stored.map((one) => JSON.parse(text(one, "event")) as StoredEvent);
  const counted = dropped.map((one) => [text(one, "type"), integer(one, "count")] as const);
  const types = events.map(({ type }) => type);
  return { events, counts: countsOf(types, Object.fromEntries(counted)) };
}

function shorten(_name: string, value: JsonValue): JsonValue {
  return typeof value === "string" ? value.slice(0, longestText) : value;
}

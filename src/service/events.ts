import type { JsonObject, JsonValue } from "../api/types.ts";
import { integer, text } from "../base/sqlite.ts";
import { change, row, rows, type Work } from "./database/database.ts";
import type { ActivityView } from "./model.ts";

/** How many events of an execution are kept, and characters of their JSON, so that answers to polls stay small. */
const most = { events: 2_000, characters: 1_000_000 };

/** After how many events of a type old ones are dropped. */
const step = 100;

/** How many characters of a text are kept in an event. */
const longestText = 2_000;

/** An event in the shape of crewAI's event bus (recorded). */
export interface StoredEvent extends JsonObject {
  readonly event_id: string;
  readonly type: string;
  /** ISO 8601. */
  readonly timestamp: string;
}

/**
 * Part of a change: adds to what happened in an execution, for its status. Returns false if it is a repeat. Kept are the newest 2,000
 * events of an execution, at most 1 MB, and some that came since: older calls of models and tools are only counted. A client
 * that polls has seen them.
 */
export function* addEvent(executionId: string, event: StoredEvent): Work<boolean> {
  const { event_id, type } = event;
  const isNew = yield* change(
    "INSERT INTO events (execution_id, id, type, event) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
    executionId,
    event_id,
    type,
    JSON.stringify(event, shorten),
  );
  if (!isNew) return false;
  const counted = yield* row(
    `INSERT INTO event_counts (execution_id, type, count) VALUES (?, ?, 1)
     ON CONFLICT (execution_id, type) DO UPDATE SET count = event_counts.count + 1 RETURNING count`,
    executionId,
    type,
  );
  if (Number(counted?.["count"]) % step === 0)
    yield* change(
      `DELETE FROM events WHERE execution_id = ? AND rowid IN (
         SELECT id FROM (
           SELECT rowid AS id, row_number() OVER newest AS number, sum(length(event)) OVER newest AS characters
           FROM events WHERE execution_id = ?
           WINDOW newest AS (ORDER BY ${isMilestone} DESC, rowid DESC)
         ) AS numbered WHERE number > ${most.events} OR characters > ${most.characters})`,
      executionId,
      executionId,
    );
  return true;
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
  const events = yield* rows(
    "SELECT event FROM events WHERE execution_id = ? ORDER BY rowid",
    executionId,
  );
  const counts = yield* rows(
    "SELECT type, count FROM event_counts WHERE execution_id = ? ORDER BY type",
    executionId,
  );
  return {
    events: events.map((stored) => JSON.parse(text(stored, "event")) as StoredEvent),
    counts: Object.fromEntries(counts.map((one) => [text(one, "type"), integer(one, "count")])),
  };
}

/** For JSON.stringify. */
function shorten(_name: string, value: JsonValue): JsonValue {
  return typeof value === "string" ? value.slice(0, longestText) : value;
}

import type { DatabaseSync } from "node:sqlite";
import type { JsonObject, JsonValue } from "../api/types.ts";
import { integer, text } from "../base/sqlite.ts";
import type { ActivityView } from "./model.ts";

const schema = `
  CREATE TABLE IF NOT EXISTS events (
    execution_id TEXT NOT NULL REFERENCES executions, id TEXT NOT NULL, type TEXT NOT NULL, event TEXT,
    PRIMARY KEY (execution_id, id)
  ) STRICT;
`;

/** Events of an execution that its status has; of the others it has counts. A client that polls has seen them. */
const most = 2_000;

/** Every so many events, those that are too many are dropped. */
const step = 100;

/** Characters of a text in an event. */
const longestText = 2_000;

/** An event in the shape of crewAI's event bus (recorded). */
export interface StoredEvent extends JsonObject {
  readonly event_id: string;
  readonly type: string;
  /** ISO 8601. */
  readonly timestamp: string;
}

export type Events = ReturnType<typeof createEvents>;

/** What happened in executions, for their status. */
export function createEvents(database: DatabaseSync) {
  database.exec(schema);
  const insert = database.prepare("INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?)");
  const count = database.prepare("SELECT count(*) AS count FROM events WHERE execution_id = ?");
  const drop = database.prepare(
    `UPDATE events SET event = NULL WHERE rowid IN (
       SELECT rowid FROM events WHERE execution_id = ? AND event IS NOT NULL
       ORDER BY type GLOB 'crew_kickoff_*' OR type GLOB 'task_*' OR type GLOB 'agent_execution_*' OR type GLOB 'human_feedback_*', rowid
       LIMIT max(0, (SELECT count(*) FROM events WHERE execution_id = ? AND event IS NOT NULL) - ${most}))`,
  );
  const find = database.prepare(
    "SELECT event FROM events WHERE execution_id = ? AND event IS NOT NULL ORDER BY rowid",
  );
  const countTypes = database.prepare(
    "SELECT type, count(*) AS count FROM events WHERE execution_id = ? GROUP BY type ORDER BY type",
  );
  return {
    /** A repeat changes nothing. */
    add(executionId: string, event: StoredEvent): void {
      const { event_id, type } = event;
      const { changes } = insert.run(executionId, event_id, type, JSON.stringify(event, shorten));
      if (changes === 0) return;
      const all = integer(count.get(executionId) ?? {}, "count");
      if (all > most && all % step === 0) drop.run(executionId, executionId);
    },

    of(executionId: string): ActivityView {
      const types = countTypes
        .all(executionId)
        .map((row) => [text(row, "type"), integer(row, "count")] as const);
      return {
        events: find.all(executionId).map((row) => JSON.parse(text(row, "event")) as StoredEvent),
        counts: Object.fromEntries(types),
      };
    },
  };
}

/** For JSON.stringify. */
function shorten(_name: string, value: JsonValue): JsonValue {
  return typeof value === "string" ? value.slice(0, longestText) : value;
}

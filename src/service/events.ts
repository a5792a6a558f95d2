import type { DatabaseSync } from "node:sqlite";
import type { JsonObject, JsonValue } from "../api/types.ts";
import { integer, text, transaction } from "../base/sqlite.ts";
import type { ActivityView } from "./model.ts";

const schema = `
  CREATE TABLE IF NOT EXISTS events (
    execution_id TEXT NOT NULL REFERENCES executions, id TEXT NOT NULL, type TEXT NOT NULL, event TEXT NOT NULL,
    PRIMARY KEY (execution_id, id)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS event_counts (
    execution_id TEXT NOT NULL REFERENCES executions, type TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (execution_id, type)
  ) STRICT;
`;

/** Of an execution, so that an answer to a poll stays small: events, and characters of their JSON. */
const most = { events: 2_000, characters: 1_000_000 };

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

/**
 * What happened in executions, for their status. Kept are the newest 2,000 events of an execution, at most 1 MB, and up
 * to 99 more: older calls of models and tools are only counted. A client that polls has seen them.
 */
export function createEvents(database: DatabaseSync) {
  database.exec(schema);
  const insert = database.prepare("INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?)");
  const addOne = database.prepare(
    `INSERT INTO event_counts VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1`,
  );
  const countAll = database.prepare(
    "SELECT sum(count) AS count FROM event_counts WHERE execution_id = ?",
  );
  const drop = database.prepare(
    `DELETE FROM events WHERE rowid IN (
       SELECT id FROM (
         SELECT rowid AS id, row_number() OVER newest AS number, sum(length(event)) OVER newest AS characters
         FROM events WHERE execution_id = ?
         WINDOW newest AS (
           ORDER BY type GLOB 'crew_kickoff_*' OR type GLOB 'task_*' OR type GLOB 'agent_execution_*' OR type GLOB 'human_feedback_*' DESC, rowid DESC
         )
       ) WHERE number > ${most.events} OR characters > ${most.characters})`,
  );
  const find = database.prepare("SELECT event FROM events WHERE execution_id = ? ORDER BY rowid");
  const counts = database.prepare(
    "SELECT type, count FROM event_counts WHERE execution_id = ? ORDER BY type",
  );
  return {
    /** A repeat changes nothing. */
    add(executionId: string, event: StoredEvent): void {
      const { event_id, type } = event;
      const isNew = transaction(database, () => {
        const json = JSON.stringify(event, shorten);
        if (insert.run(executionId, event_id, type, json).changes === 0) return false;
        return addOne.run(executionId, type).changes > 0;
      });
      if (isNew && integer(countAll.get(executionId) ?? {}, "count") % step === 0)
        drop.run(executionId);
    },

    of(executionId: string): ActivityView {
      const types = counts
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

import type { ActivityEvent } from "../api/types.ts";
import { asObject } from "../base/json.ts";
import { integer, text } from "../base/sqlite.ts";
import type { Database } from "../store/database.ts";
import type { KeptEvents } from "./activity.ts";

/** Events kept whole, and in all, of an execution. */
const most = { whole: 10_000, all: 100_000 };

/** A repeat may say more: a callback has outputs that a status answer leaves out. */
const add = `
  INSERT INTO events
  SELECT ?, value ->> 'id', value ->> 'at', value ->> 'type', value FROM json_each(?)
  WHERE (SELECT count(*) FROM events WHERE local_id = ?) < ${most.all}
  ON CONFLICT (local_id, id) DO UPDATE SET json = excluded.json WHERE length(excluded.json) > length(json)`;

/** Of the oldest, first those that don't tell which tasks, agents and persons were at work. */
const fold = `
  UPDATE events SET json = NULL WHERE rowid IN (
    SELECT rowid FROM events WHERE local_id = ? AND json IS NOT NULL
    ORDER BY type GLOB 'crew_kickoff_*' OR type GLOB 'task_*' OR type GLOB 'agent_execution_*' OR type GLOB 'human_feedback_*', at
    LIMIT max(0, (SELECT count(*) FROM events WHERE local_id = ? AND json IS NOT NULL) - ${most.whole}))`;

/** @returns whether one of them is new, or says more than before */
export function addEvents(
  database: Pick<Database, "run">,
  localId: string,
  events: readonly ActivityEvent[],
): boolean {
  if (events.length === 0) return false;
  const isNew = database.run(add, localId, JSON.stringify(events), localId) > 0;
  if (isNew) database.run(fold, localId, localId);
  return isNew;
}

export function readKeptEvents(database: Pick<Database, "all">, localId: string): KeptEvents {
  const whole = database.all(
    "SELECT json FROM events WHERE local_id = ? AND json IS NOT NULL ORDER BY at, rowid",
    localId,
  );
  const folded = database.all(
    "SELECT type, count(*) AS count FROM events WHERE local_id = ? AND json IS NULL GROUP BY type",
    localId,
  );
  return {
    // Only addEvents writes them.
    events: whole.map((row) => asObject(JSON.parse(text(row, "json"))) as object as ActivityEvent),
    folded: Object.fromEntries(folded.map((row) => [text(row, "type"), integer(row, "count")])),
  };
}

import type { ActivityEvent, Picture } from "../api/types.ts";
import { integer, optionalText, text } from "../base/sqlite.ts";
import type { Database } from "../store/database.ts";
import type { KeptEvents } from "./activity.ts";

/** Events kept whole, and in all, of an execution. */
const most = { whole: 10_000, all: 100_000 };

/** Folded together, since each fold sorts all events. */
const foldedAtOnce = 200;

/** Events that show which tasks, agents and persons were at work, and when. All others are calls, or inside of them. */
const frame =
  /^(crew_kickoff|execution|flow|task|method_execution|(lite_)?agent_execution|human_feedback)_/;

/** A repeat may say more: a callback has outputs that a status answer leaves out. */
const add = `
  INSERT INTO events
  SELECT ?, value ->> 'id', value ->> 'at', value ->> 'type', ?, value FROM json_each(?)
  WHERE (SELECT count(*) FROM events WHERE local_id = ?) < ${most.all}
  ON CONFLICT (local_id, id) DO UPDATE SET json = excluded.json WHERE length(excluded.json) > length(json)`;

const count = "SELECT count(*) AS count FROM events WHERE local_id = ? AND json IS NOT NULL";

/** The oldest calls first. */
const fold = `
  UPDATE events SET json = NULL WHERE rowid IN (
    SELECT rowid FROM events WHERE local_id = ? AND json IS NOT NULL ORDER BY is_frame, at LIMIT ?)`;

/** @returns which of them are new, or say more than before: `frame` if tasks, agents or persons are among them */
export function addEvents(
  database: Pick<Database, "run" | "get">,
  localId: string,
  events: readonly ActivityEvent[],
): "frame" | "calls" | undefined {
  const addOf = (isFrame: boolean) => {
    const some = events.filter(({ type }) => frame.test(type) === isFrame);
    if (some.length === 0) return false;
    return database.run(add, localId, Number(isFrame), JSON.stringify(some), localId) > 0;
  };
  const [hasCalls, hasFrame] = [addOf(false), addOf(true)];
  if (!hasCalls && !hasFrame) return undefined;
  const tooMany = integer(database.get(count, localId) ?? {}, "count") - most.whole;
  if (tooMany > 0) database.run(fold, localId, tooMany + foldedAtOnce);
  return hasFrame ? "frame" : "calls";
}

export function readKeptEvents(database: Pick<Database, "get">, localId: string): KeptEvents {
  // Parsing one text is faster than 10,000, and sorting here than there.
  const row = database.get(
    `SELECT count(*) AS count, count(json) AS whole,
       (SELECT json ->> '$.eventCount' FROM details WHERE local_id = ?1) AS reported,
       '[' || coalesce(group_concat(iif(type = 'image_generated', json_remove(json, '$.picture.base64'), json)), '') || ']' AS json
     FROM events WHERE local_id = ?1`,
    localId,
  );
  if (row === undefined) return { events: [], left: 0 };
  // Only addEvents writes them.
  const events = JSON.parse(text(row, "json")) as ActivityEvent[];
  const all = Math.max(integer(row, "count"), Number(row["reported"] ?? 0));
  return {
    events: events.sort((one, other) => one.at - other.at),
    left: all - integer(row, "whole"),
  };
}

/** Base64 of the picture of an event. Undefined if it isn't kept. */
export function readPicture(
  database: Pick<Database, "get">,
  localId: string,
  eventId: string,
): Required<Picture> | undefined {
  const row = database.get(
    "SELECT json -> '$.picture' AS picture FROM events WHERE local_id = ? AND id = ?",
    localId,
    eventId,
  );
  const picture = optionalText(row ?? { picture: null }, "picture");
  // Only addEvents writes them.
  return picture === undefined ? undefined : (JSON.parse(picture) as Required<Picture>);
}

import {
  asArray,
  asObject,
  defined,
  firstOfEach,
  idAt,
  isObject,
  numberAt,
  readable,
  textAt,
  type UnknownObject,
} from "../base/json.ts";
import { pieceOf, shortName } from "../base/text.ts";
import type { ActivityEvent, EventCounts, Picture, TokenUsage } from "./types.ts";

/** Characters kept of arguments, outputs, thoughts and errors. */
const longestText = 2_000;

/** What crewAI has for a thought if the model just answered (observed in 1.15.30). */
const noThought = "Failed to parse LLM response";

/** Parts of a streamed text, which come by the thousand. */
const streamed = /_chunk$/;

/** Of one answer: as many as are kept of an execution. */
const mostEvents = 10_000;

/** Characters of an ID. The name of a task, which may be its description, is one too. */
const longestId = 500;

/**
 * Reads the last 10,000 events of a status answer or of an event stream, in the order of the answer. Those
 * without a type or a time are left out: they have no place.
 */
export function readEvents(raw: unknown): readonly ActivityEvent[] {
  const events = asArray(raw)
    .slice(-mostEvents)
    .flatMap((event) => readEvent(event) ?? []);
  return firstOfEach(events, ({ id }) => id);
}

/**
 * Names: crewAI's events (recorded), and those of the vendor's event stream, which have theirs in
 * `data`. The vendor doesn't publish the members of those in status answers.
 */
export function readEvent(raw: unknown): ActivityEvent | undefined {
  const outer = asObject(raw);
  const event = { ...withoutNulls(asObject(outer["data"])), ...withoutNulls(outer) };
  const type = textAt(event, "type", "event_type");
  const at = timeOf(event["timestamp"] ?? event["created_at"] ?? event["time"]);
  if (type === undefined || at === undefined || streamed.test(type)) return undefined;
  const name = (...names: readonly string[]) => {
    const found = textAt(event, ...names);
    return found === undefined ? undefined : shortName(found);
  };
  const [task, agent, answer] = ["task", "agent", "formatted_answer"].map((member) =>
    asObject(event[member]),
  );
  const taskName = eventIdAt(event, "task_name") ?? eventIdAt(task ?? {}, "name");
  const picture = type === "image_generated" ? pictureIn(event) : undefined;
  const thought = bounded(event["thought"] ?? answer?.["thought"]);
  const role = name("agent_role", "agent") ?? textAt(agent ?? {}, "role");
  const known = defined({
    parentId: eventIdAt(event, "parent_event_id", "parent_id"),
    startedId: eventIdAt(event, "started_event_id", "started_id"),
    taskName,
    taskId: eventIdAt(event, "task_id"),
    attempt: numberAt(event, "attempt"),
    agent: role && shortName(role),
    model: name("model"),
    tool: name("tool_name", "tool"),
    name: name("crew_name", "flow_name", "method_name"),
    tokens: readUsage(event["usage"]) ?? readUsage(event),
    arguments:
      type === "llm_call_started"
        ? promptOf(event["messages"])
        : bounded(event["tool_args"] ?? event["arguments"]),
    thought: thought === noThought ? undefined : thought,
    text: picture ? undefined : bounded(outputOf(event)),
    error: bounded(asObject(event["error"])["message"] ?? event["error"]),
    isApprove: typeof event["is_approve"] === "boolean" ? event["is_approve"] : undefined,
    picture,
  });
  const id =
    eventIdAt(event, "event_id", "id") ??
    [type, at, known.taskName, known.agent, known.tool ?? known.model].join(" ");
  return { id, type: shortName(type), at, ...known };
}

function eventIdAt(event: UnknownObject, ...names: readonly string[]): string | undefined {
  return idAt(event, ...names)?.slice(0, longestId);
}

/** Undefined without tokens: no model was called. */
export function readUsage(raw: unknown): TokenUsage | undefined {
  const usage = asObject(raw);
  const prompt = numberAt(usage, "prompt_tokens", "input_tokens");
  const completion = numberAt(usage, "completion_tokens", "output_tokens");
  const total = numberAt(usage, "total_tokens") ?? (prompt ?? 0) + (completion ?? 0);
  if (total === 0) return undefined;
  const cached =
    numberAt(usage, "cached_prompt_tokens", "cached_tokens") ??
    numberAt(asObject(usage["prompt_tokens_details"]), "cached_tokens");
  return { total, ...defined({ prompt, completion, cached }) };
}

/** How many events there were, as a status answer counts them. */
export function readEventCounts(answer: UnknownObject): EventCounts | undefined {
  const counts = defined({
    total: numberAt(answer, "events_count"),
    byType: readCounts(answer["events_by_type"]),
  });
  return Object.keys(counts).length === 0 ? undefined : counts;
}

function readCounts(raw: unknown): Readonly<Record<string, number>> | undefined {
  const counts = Object.keys(asObject(raw)).flatMap((type) => {
    const count = numberAt(asObject(raw), type);
    return count === undefined || streamed.test(type) ? [] : [[shortName(type), count] as const];
  });
  return counts.length === 0 ? undefined : Object.fromEntries(counts);
}

/** Milliseconds since 1970, from a number or a text. */
export function timeOf(value: unknown): number | undefined {
  const time =
    typeof value === "number"
      ? value * (value < 1e11 ? 1000 : 1)
      : typeof value === "string"
        ? parsedTime(value)
        : NaN;
  // Others can't be written as a date.
  return Number.isNaN(new Date(time).getTime()) ? undefined : time;
}

/** crewAI's times are UTC, also those without a zone, and have microseconds (recorded). */
function parsedTime(text: string): number {
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/i.test(text);
  return Date.parse(hasZone ? text : `${text}Z`) + microsecondsOf(text);
}

/** As a part of a millisecond. */
function microsecondsOf(time: string): number {
  return Number(/\.\d{3}(\d{1,3})/.exec(time)?.[1]?.padEnd(3, "0") ?? 0) / 1000;
}

function withoutNulls(object: UnknownObject): UnknownObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

/** An output is a text, or an object with the text in `raw` (recorded). */
function outputOf(event: UnknownObject): unknown {
  const output = event["output"] ?? event["response"] ?? event["feedback"] ?? event["message"];
  return isObject(output) ? (output["raw"] ?? output) : output;
}

/** The end of what a model was sent: a text, or messages with `role` and `content` (recorded). The beginning is the same for each call of an agent. */
function promptOf(messages: unknown): string | undefined {
  const text = Array.isArray(messages)
    ? messages
        .map(asObject)
        .flatMap((message) => {
          const content = readable(message["content"]);
          return content === undefined
            ? []
            : `${textAt(message, "role") ?? "?"}: ${content.trim()}`;
        })
        .join("\n\n")
    : readable(messages);
  return text && pieceOf(text, Math.max(0, text.length - longestText), longestText).text;
}

function bounded(value: unknown): string | undefined {
  const text = readable(value);
  return text === undefined ? undefined : pieceOf(text, 0, longestText).text;
}

/** Characters of base64. A larger picture isn't kept. */
const largestPicture = 8_000_000;

/** How base64 of a file begins, by its first bytes. No SVG: it can have scripts. */
const beginnings: readonly (readonly [RegExp, Picture["type"]])[] = [
  [/^iVBORw0KGgo/, "png"],
  [/^\/9j\//, "jpg"],
  [/^R0lGOD/, "gif"],
  [/^UklGR/, "webp"],
];

/**
 * The picture in an event `image_generated`. The vendor names the event and its base64, but not the member, so each text is tried,
 * also as a data URL.
 */
export function pictureIn(event: UnknownObject): Picture | undefined {
  const own = Object.values(event);
  const values = [...own, ...own.filter(isObject).flatMap((inner) => Object.values(inner))];
  return values.map(pictureOf).find((picture) => picture !== undefined);
}

function pictureOf(value: unknown): Picture | undefined {
  if (typeof value !== "string" || value.length > largestPicture) return undefined;
  const base64 = value.slice(value.startsWith("data:image/") ? value.indexOf(",") + 1 : 0);
  const type = beginnings.find(([beginning]) => beginning.test(base64))?.[1];
  return type && { type, base64 };
}

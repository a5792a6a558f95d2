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

const longestText = 2_000;

/** Parts of a streamed text, which come by the thousand. */
const streamed = /_chunk$/;

export type ActivityEvent = NonNullable<ReturnType<typeof readEvent>>;
export type TokenUsage = NonNullable<ReturnType<typeof readUsage>>;

export interface Picture {
  readonly type: (typeof beginnings)[number][1];
  /** Left out where events are read from the store, which has it. */
  readonly base64?: string;
}

/** At most the last 10,000, in order; without those that have no type or time, so no place. */
export function readEvents(raw: unknown): readonly ActivityEvent[] {
  const events = asArray(raw)
    .slice(-10_000)
    .flatMap((event) => readEvent(event) ?? []);
  return firstOfEach(events, ({ id }) => id);
}

/**
 * Names: crewAI's events (recorded), and those of the vendor's event stream, which have theirs in
 * `data`. The vendor doesn't publish the members of those in status answers.
 */
export function readEvent(raw: unknown) {
  const outer = asObject(raw);
  const members = [asObject(outer["data"]), outer].flatMap(Object.entries<unknown>);
  const event: UnknownObject = Object.fromEntries(members.filter(([, value]) => value !== null));
  const type = textAt(event, "type", "event_type");
  const at = timeOf(event["timestamp"] ?? event["created_at"] ?? event["time"]);
  if (type === undefined || at === undefined || streamed.test(type)) return undefined;
  const id = (object: UnknownObject, ...names: readonly string[]) =>
    // The name of a task, which may be its description, is one too.
    idAt(object, ...names)?.slice(0, 500);
  const thought = bounded(event["thought"] ?? asObject(event["formatted_answer"])["thought"]);
  const picture = type === "image_generated" ? pictureIn(event) : undefined;
  const isCall = type === "llm_call_started";
  const known = defined({
    // The start of what it is part of, and of what it ends.
    parentId: id(event, "parent_event_id", "parent_id"),
    startedId: id(event, "started_event_id", "started_id"),
    // Of a model. crewAI 1.0 has none.
    callId: id(event, "call_id"),
    taskName: id(event, "task_name") ?? id(asObject(event["task"]), "name"),
    taskId: id(event, "task_id"),
    attempt: numberAt(event, "attempt"),
    agent: shortAt(event, "agent_role", "agent") ?? shortAt(asObject(event["agent"]), "role"),
    model: shortAt(event, "model"),
    tool: shortAt(event, "tool_name", "tool"),
    name: shortAt(event, "crew_name", "flow_name", "method_name"),
    tokens: readUsage(event["usage"]) ?? readUsage(event),
    arguments: isCall
      ? promptOf(event["messages"])
      : bounded(event["tool_args"] ?? event["arguments"]),
    // What crewAI has if the model just answered (observed in 1.15.30).
    thought: thought === "Failed to parse LLM response" ? undefined : thought,
    text: picture ? undefined : bounded(outputOf(event)),
    error: bounded(asObject(event["error"])["message"] ?? event["error"]),
    isApprove: typeof event["is_approve"] === "boolean" ? event["is_approve"] : undefined,
    picture,
  });
  return {
    id:
      id(event, "event_id", "id") ??
      [type, at, known.taskName, known.agent, known.tool ?? known.model].join(" "),
    type: shortName(type),
    /** Milliseconds since 1970, on the crew's clock. */
    at,
    ...known,
  };
}

export function shortAt(object: UnknownObject, ...names: readonly string[]): string | undefined {
  const text = textAt(object, ...names);
  return text === undefined ? undefined : shortName(text);
}

export function readUsage(raw: unknown) {
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

/** How many events there were, also of those that an answer leaves out, but parts of streamed texts. */
export function readEventCount(answer: UnknownObject): number | undefined {
  const counts = asObject(answer["events_by_type"]);
  const known = Object.keys(counts).flatMap((type) =>
    streamed.test(type) ? [] : (numberAt(counts, type) ?? []),
  );
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count);
}

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
  const microseconds = /\.\d{3}(\d{1,3})/.exec(text)?.[1]?.padEnd(3, "0") ?? 0;
  return Date.parse(hasZone ? text : `${text}Z`) + Number(microseconds) / 1000;
}

/** An output is a text, or an object with the text in `raw` (recorded). */
function outputOf(event: UnknownObject): unknown {
  const output = event["output"] ?? event["response"] ?? event["feedback"] ?? event["message"];
  return isObject(output) ? (output["raw"] ?? output) : output;
}

/** The end of what a model was sent: a text, or messages with `role` and `content` (recorded). The beginning is the same for each call of an agent. */
function promptOf(messages: unknown): string | undefined {
  const lines = asArray(messages)
    .map(asObject)
    .flatMap((message) => {
      const content = readable(message["content"])?.trim();
      return content === undefined ? [] : `${textAt(message, "role") ?? "?"}: ${content}`;
    });
  const text = Array.isArray(messages) ? lines.join("\n\n") : readable(messages);
  return text && pieceOf(text, Math.max(0, text.length - longestText), longestText).text;
}

function bounded(value: unknown): string | undefined {
  const text = readable(value);
  return text === undefined ? undefined : pieceOf(text, 0, longestText).text;
}

/** How base64 of a file begins, by its first bytes. No SVG: it can have scripts. */
const beginnings = [
  ["iVBORw0KGgo", "png"],
  ["/9j/", "jpg"],
  ["R0lGOD", "gif"],
  ["UklGR", "webp"],
] as const;

/** The vendor names the event and its base64, but not the member, so each text is tried. */
function pictureIn(event: UnknownObject): Picture | undefined {
  const own = Object.values(event);
  for (const value of [...own, ...own.flatMap((each) => Object.values(asObject(each)))]) {
    // A larger picture isn't kept.
    if (typeof value !== "string" || value.length > 8_000_000) continue;
    const base64 = value.slice(value.startsWith("data:image/") ? value.indexOf(",") + 1 : 0);
    const [, type] = beginnings.find(([beginning]) => base64.startsWith(beginning)) ?? [];
    if (type !== undefined) return { type, base64 };
  }
  return undefined;
}

/** A call of a model or of a tool, without its texts. Only Crewdeck's own service keeps them. */
export type KeptCall = ReturnType<typeof readCalls>[number];

export function readCalls(raw: unknown) {
  return asArray(asObject(raw)["calls"])
    .map(asObject)
    .map((call) => ({
      number: numberAt(call, "number") ?? 0,
      kind: shortAt(call, "kind"),
      name: shortAt(call, "name") ?? "",
      start: timeOf(call["at"]) ?? 0,
      isDropped: call["is_dropped"] === true,
      ...defined({ callId: idAt(call, "id") }),
    }))
    .sort((one, other) => one.start - other.start);
}

import { hashOf } from "../base/bearer.ts";
import { readEvent, readEvents, shortAt } from "../api/read-events.ts";
import { readHeldCall, readQuestion, readStatus } from "../api/read-status.ts";
import type { ActivityEvent } from "../api/types.ts";
import {
  asArray,
  asObject,
  defined,
  idAt,
  isObject,
  numberAt,
  parseJson,
  readable,
  textAt,
  type UnknownObject,
} from "../base/json.ts";
import type { CallbackReport } from "../executions/callback-report.ts";

export interface Payload {
  readonly kind: "events" | "step" | "pause" | "task" | "crew" | "other";
  /** The ID in the payload. It is only information: the path decides which execution the callback belongs to. */
  readonly kickoffId?: string;
  readonly executionIds: readonly string[];
  readonly report?: CallbackReport;
  readonly events: readonly ActivityEvent[];
}

/**
 * Reads a callback's body. Its shape tells its kind, because crews send several kinds to one address. Never throws: an
 * unknown shape becomes an event.
 * @param key the ID of an event that has none. A repeated callback has the same key
 * @param at when it was received (ms since 1970)
 */
export function readPayload(body: unknown, key: string, at: number): Payload {
  const read = asObject(body);
  const events = asArray(read["events"]).map(asObject);
  const parts = [read, ...events, ...[read, ...events].map(({ data }) => asObject(data))];
  const [kickoffId] = idsIn(read);
  return {
    ...whatIsSaid(body, read, key, at),
    ...defined({ kickoffId }),
    executionIds: [...new Set(parts.flatMap(idsIn))],
  };
}

function idsIn(part: UnknownObject): readonly string[] {
  const names = ["kickoff_id", "execution_id", "kickoffId", "executionId"];
  return names.flatMap((name) => idAt(part, name) ?? []);
}

function whatIsSaid(
  body: unknown,
  read: UnknownObject,
  key: string,
  at: number,
): Pick<Payload, "kind" | "report" | "events"> {
  // `{events: […]}` (vendor's webhook streaming guide), or one event alone.
  const isEvent = typeof read["type"] === "string" && read["timestamp"] !== undefined;
  if (isEvent) return { kind: "events", events: readEvents([body]) };
  if (Array.isArray(read["events"])) return { kind: "events", events: readEvents(read["events"]) };
  const eventOf = (event: UnknownObject) =>
    [readEvent({ ...event, timestamp: at, id: key }) ?? []].flat();
  // Observed: `thought`, `tool`, `tool_input` and `result`. Older: `step_type` and `content`.
  if (hasAny(read, "thought", "tool", "tool_input", "step_type")) {
    const { agent, thought, tool, tool_input, result, content, step_type, task_id } = read;
    const events = eventOf({
      ...{ type: "step", thought, tool, task_id, crew_name: step_type, agent_role: agent },
      ...{ tool_args: tool_input, output: result ?? content },
    });
    return { kind: "step", events };
  }
  const taskId = idAt(read, "task_id", "taskId");
  if (taskId !== undefined && hasAny(read, "task_output", "taskOutput")) {
    const output = readable(read["task_output"] ?? read["taskOutput"]);
    const pause = readHeldCall(read) ?? {
      ...{ taskId, ...defined({ output }), ...readQuestion(read) },
    };
    return { kind: "pause", report: { kind: "pause", ...pause }, events: [] };
  }
  if (taskId === undefined && hasAny(read, "result", "result_json", "token_usage")) {
    const { result, result_json, token_usage, execution_time, error } = read;
    const state = readable(error) === undefined ? "SUCCESS" : "FAILED";
    const reading = readStatus({ state, result, result_json, token_usage, execution_time, error });
    return { kind: "crew", report: { kind: "end", reading }, events: [] };
  }
  // Observed without a task ID. Status answers use the task's name as its ID.
  const name = taskId ?? idAt(read, "name");
  if (name !== undefined && "output" in read) {
    const task = defined({
      output: readable(read["output"]) ?? readable(read["output_json"]),
      agent: shortAt(read, "agent") ?? shortAt(asObject(read["agent"]), "role"),
      executionTime: numberAt(read, "execution_time"),
    });
    return { kind: "task", report: { kind: "task", taskId: name, ...task }, events: [] };
  }
  const type = textAt(read, "type", "event", "event_type") ?? "callback";
  return { kind: "other", events: eventOf({ type, message: body }) };
}

function hasAny(read: UnknownObject, ...names: readonly string[]): boolean {
  return names.some((name) => Object.hasOwn(read, name));
}

const kinds: readonly Payload["kind"][] = ["pause", "task", "crew", "step", "events"];
/** How deep a callback may be nested in a tool's output, and how many objects are looked at. */
const [deepest, mostObjects] = [9, 2_000];

/** From a body alone, or inside a log line or a tool's export. @param at now (ms since 1970) */
export function readPasted(text: string, at: number): Payload | undefined {
  const objects = objectsIn(text, deepest, []);
  const isFlowRequest = (body: UnknownObject) =>
    isObject(body["request"]) && ("callback_url" in body || body["event"] === "new_request");
  if (objects.some(isFlowRequest)) return undefined;
  const found = objects.map((body) => readPayload(body, hashOf(JSON.stringify(body)), at));
  const [best] = kinds.flatMap((kind) => found.filter((payload) => payload.kind === kind));
  const kickoffId = found.find((payload) => payload.kickoffId !== undefined)?.kickoffId;
  return best && { ...defined({ kickoffId }), ...best };
}

/** Adds them, each before those inside it. A string inside an object may itself hold JSON. */
function objectsIn(value: unknown, depth: number, found: UnknownObject[]): UnknownObject[] {
  if (depth < 0 || found.length >= mostObjects) return found;
  if (isObject(value)) found.push(value);
  const inside = typeof value === "string" ? valuesIn(value) : Object.values(value ?? {});
  for (const each of inside) objectsIn(each, depth - 1, found);
  return found;
}

function valuesIn(text: string): readonly unknown[] {
  const whole = parseJson(text);
  return whole === undefined ? bracedIn(text).flatMap((piece) => parseJson(piece) ?? []) : [whole];
}

function bracedIn(text: string): readonly string[] {
  const found: string[] = [];
  let [depth, start, isQuoted] = [0, 0, false];
  for (let at = 0; at < text.length && found.length < mostObjects; at += 1) {
    const character = text[at];
    if (isQuoted && character === "\\") at += 1;
    else if (character === '"' && depth > 0) isQuoted = !isQuoted;
    else if (!isQuoted && character === "{" && depth++ === 0) start = at;
    else if (!isQuoted && character === "}" && depth > 0 && --depth === 0)
      found.push(text.slice(start, at + 1));
  }
  return found;
}

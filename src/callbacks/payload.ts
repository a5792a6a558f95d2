import { readEvent, readEvents } from "../api/read-events.ts";
import { readQuestion, readStatus } from "../api/read-status.ts";
import type { ActivityEvent } from "../api/types.ts";
import {
  asArray,
  asObject,
  defined,
  idAt,
  numberAt,
  readable,
  textAt,
  type UnknownObject,
} from "../base/json.ts";
import { shortName } from "../base/text.ts";
import type { CallbackReport } from "../executions/callback-report.ts";

/** What a callback says. */
export interface Payload {
  readonly kind: "events" | "step" | "pause" | "task" | "crew" | "other";
  /** The ID in the payload. It is only information: the path decides which execution the callback belongs to. */
  readonly kickoffId?: string;
  /** All IDs of executions in the payload, also those of its events. */
  readonly executionIds: readonly string[];
  /** What it changes in its execution. */
  readonly report?: CallbackReport;
  /** For its timeline. */
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
  const [kickoffId] = idsIn(read);
  const own = { timestamp: at, id: key };
  const eventOf = (event: UnknownObject) => readEvent({ ...event, ...own }) ?? [];
  const said: What = readStream(body) ??
    readStep(read, (event) => [eventOf(event)].flat()) ??
    readChange(read) ?? {
      kind: "other",
      events: [eventOf({ ...typeOf(read), message: body })].flat(),
    };
  const events = asArray(read["events"]).map(asObject);
  const parts = [read, ...events, ...[read, ...events].map(({ data }) => asObject(data))];
  return {
    ...said,
    ...defined({ kickoffId }),
    executionIds: [...new Set(parts.flatMap(idsIn))],
  };
}

type What = Pick<Payload, "kind" | "report" | "events">;

function idsIn(part: UnknownObject): readonly string[] {
  const names = ["kickoff_id", "execution_id", "kickoffId", "executionId"];
  return names.flatMap((name) => idAt(part, name) ?? []);
}

/** `{events: […]}` (vendor's webhook streaming guide), or one event alone. */
function readStream(body: unknown): What | undefined {
  const read = asObject(body);
  const isOne = typeof read["type"] === "string" && read["timestamp"] !== undefined;
  if (!Array.isArray(read["events"]) && !isOne) return undefined;
  return { kind: "events", events: readEvents(isOne ? [body] : asArray(read["events"])) };
}

/** Observed: `thought`, `tool`, `tool_input` and `result`. Older: `step_type` and `content`. */
function readStep(
  step: UnknownObject,
  eventsOf: (event: UnknownObject) => readonly ActivityEvent[],
): What | undefined {
  if (!["thought", "tool", "tool_input", "step_type"].some((name) => Object.hasOwn(step, name)))
    return undefined;
  const { agent, thought, tool, tool_input, result, content, step_type, task_id } = step;
  const events = eventsOf({
    type: "step",
    ...{ thought, tool, task_id, crew_name: step_type, agent_role: agent },
    ...{ tool_args: tool_input, output: result ?? content },
  });
  return { kind: "step", events };
}

/** Reads what changes an execution: a pause, a task's output, or the crew's result. */
function readChange(read: UnknownObject): What | undefined {
  const taskId = idAt(read, "task_id", "taskId");
  if (taskId !== undefined && ("task_output" in read || "taskOutput" in read)) {
    const output = readable(read["task_output"] ?? read["taskOutput"]);
    const pause = { taskId, ...defined({ output }), ...readQuestion(read) };
    return { kind: "pause", report: { kind: "pause", ...pause }, events: [] };
  }
  const isCrews = ["result", "result_json", "token_usage"].some((name) => name in read);
  if (isCrews && taskId === undefined) {
    const { result, result_json, token_usage, execution_time, error } = read;
    const state = readable(error) === undefined ? "SUCCESS" : "FAILED";
    const said = { state, result, result_json, token_usage, execution_time, error };
    const reading = readStatus(said);
    return { kind: "crew", report: { kind: "end", reading }, events: [] };
  }
  // Observed without a task ID. Status answers use the task's name as its ID.
  const name = taskId ?? idAt(read, "name");
  if (name === undefined || !("output" in read)) return undefined;
  const output = readable(read["output"]) ?? readable(read["output_json"]);
  const agent = textAt(read, "agent") ?? textAt(asObject(read["agent"]), "role");
  const task = defined({
    output,
    agent: agent && shortName(agent),
    executionTime: numberAt(read, "execution_time"),
  });
  return { kind: "task", report: { kind: "task", taskId: name, ...task }, events: [] };
}

function typeOf(read: UnknownObject): UnknownObject {
  return { type: textAt(read, "type", "event", "event_type") ?? "callback" };
}

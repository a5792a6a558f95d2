import { deflateSync, inflateSync } from "node:zlib";
import { defined, isObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { integer, optionalText, text } from "../base/sqlite.ts";
import { insert, row, rows, type Work } from "./database/database.ts";

const mostBytes = 20_000_000;
const longestError = 2_000;

/** A call of a model or of a tool, as the worker kept it (crewdeck_worker/calls.py). */
export interface Call extends JsonObject {
  readonly kind: "model" | "tool";
  /** How the path of a model's address ends, such as `chat/completions`; the tool's name. */
  readonly name: string;
  /** What calls have in common that get the same answer in a replay. */
  readonly key: string;
  readonly at: number;
  readonly seconds: number;
  readonly request: JsonValue;
  readonly isCut: boolean;
  /** The version that made it: its prompts are those of the recording. */
  readonly crewai: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly keys?: readonly string[];
}

interface CallSummary extends JsonObject {
  /** From 1, in the order in which the calls ended. */
  readonly number: number;
  readonly task_id: string;
  readonly attempt: number;
}

/** Whose call it is. The task's name is empty for a flow, whose parts are its attempts. */
export interface CallPlace {
  readonly executionId: string;
  readonly taskId: string;
  readonly attempt: number;
  /** Whether the attempt is made, or what follows its approval. */
  readonly state: string;
  /** Which try to make it: after a crash, there is another one. */
  readonly begin: string;
  /** From 1, in that try. Once it is given, a change that is made again stores no second one. */
  readonly ordinal: number;
}

/** Part of a change of who has the turn. When the limit is reached, only the summary is kept. */
export function* addCall(place: CallPlace, call: Call): Work<void> {
  const { executionId, taskId, attempt, state, begin, ordinal } = place;
  const last = yield* row(
    "SELECT number, bytes FROM calls WHERE execution_id = ? ORDER BY number DESC LIMIT 1",
    executionId,
  );
  const [number, bytes] = last ? [integer(last, "number"), integer(last, "bytes")] : [0, 0];
  const content = deflateSync(JSON.stringify(call)).toString("base64");
  const isKept = bytes + content.length <= mostBytes;
  const summary = { ...summaryOf(call), ...(!isKept && { is_dropped: true }) };
  yield* insert("calls", {
    ...{ execution_id: executionId, number: number + 1, task_id: taskId, attempt, state, begin },
    ...{ ordinal, bytes: isKept ? bytes + content.length : bytes },
    ...{ summary: JSON.stringify(summary), content: isKept ? content : null },
  });
}

function summaryOf({ at, isCut, ...call }: Call): JsonObject {
  const { kind, name, id, model, seconds, status, error, usage, estimate } = call;
  return defined({
    ...{ kind, name, id, model, seconds, status, usage, estimate },
    error: typeof error === "string" ? error.slice(0, longestError) : undefined,
    at: new Date(at).toISOString(),
    ...(isCut && { is_cut: true }),
  });
}

export function* callsOf(executionId: string): Work<readonly CallSummary[]> {
  const found = yield* rows(
    "SELECT number, task_id, attempt, summary FROM calls WHERE execution_id = ? ORDER BY number",
    executionId,
  );
  return found.map((stored) => ({
    number: integer(stored, "number"),
    task_id: text(stored, "task_id"),
    attempt: integer(stored, "attempt"),
    ...(JSON.parse(text(stored, "summary")) as JsonObject),
  }));
}

export function* callOf(executionId: string, number: number): Work<Call | undefined> {
  const stored = yield* row(
    "SELECT content FROM calls WHERE execution_id = ? AND number = ? AND content IS NOT NULL",
    executionId,
    number,
  );
  return stored && contentOf(text(stored, "content"));
}

function contentOf(content: string): Call {
  return JSON.parse(inflateSync(Buffer.from(content, "base64")).toString()) as Call;
}

/**
 * A recording, by which a later execution is replayed (crewdeck_worker/recording.py reads it): a line of JSON for each call, where a
 * text of several lines is `{"lines": N}`, and its lines follow. Of an attempt that a crash interrupted, only the last try counts.
 */
export function* recordingOf(executionId: string): Work<string> {
  const found = yield* rows(
    "SELECT task_id, attempt, state, begin, content FROM calls WHERE execution_id = ? ORDER BY number",
    executionId,
  );
  const stored = found.map((one) => ({
    place: JSON.stringify([one["task_id"], one["attempt"], one["state"]]),
    begin: text(one, "begin"),
    at: [text(one, "task_id"), integer(one, "attempt")],
    content: optionalText(one, "content"),
  }));
  const lastBegins = new Map(stored.map(({ place, begin }) => [place, begin]));
  const counted = stored.filter(({ place, begin }) => lastBegins.get(place) === begin);
  const calls = counted.flatMap(({ at, content }) => {
    const call = content === undefined ? undefined : contentOf(content);
    return call && canBeReplayed(call) ? [{ call, at }] : [];
  });
  const { crewai = "", variables = {}, keys = [] } = calls.at(-1)?.call ?? {};
  const left_out = counted.length - calls.length;
  const more = { ...(keys.length > 0 && { keys }), ...(left_out > 0 && { left_out }) };
  // Of the same calls at the same time, the first to begin gets the first answer.
  const ordered = calls.toSorted((one, other) => one.call.at - other.call.at);
  return [{ recording: 1, crewai, variables, ...more }, ...ordered.map(recordOf)]
    .flatMap(linesOf)
    .map((line) => `${line}\n`)
    .join("");
}

function recordOf({ call, at }: { readonly call: Call; readonly at: readonly JsonValue[] }) {
  const { kind, name, key, request, status, type, response, error } = call;
  return defined({ at, kind, name, key, request, status, type, response, error }) as JsonObject;
}

/** Not one that is too long, failed on its way, or was refused for now. */
function canBeReplayed({ kind, status, isCut }: Call): boolean {
  if (isCut) return false;
  return (
    kind === "tool" || (typeof status === "number" && !/^(40[1389]|429|5..)$/.test(`${status}`))
  );
}

function linesOf(record: JsonObject): readonly string[] {
  const lines: string[] = [];
  const head = JSON.stringify(record, (_name, value: JsonValue) => {
    if (isObject(value) && Object.keys(value).join() === "lines")
      return { lines: [value["lines"]] };
    if (typeof value !== "string" || !value.includes("\n")) return value;
    const own = value.split("\n");
    lines.push(...own.map((line) => JSON.stringify(line)));
    return { lines: own.length };
  });
  return [head, ...lines];
}

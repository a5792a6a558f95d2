import {
  asArray,
  asObject,
  defined,
  idAt,
  firstOfEach,
  isObject,
  numberAt,
  parseJson,
  readable,
  textAt,
  type UnknownObject,
} from "../base/json.ts";
import { oneLine, shortened, shortName } from "../base/text.ts";
import { readEventCounts, readEvents, readUsage, timeOf } from "./read-events.ts";
import type {
  Progress,
  Question,
  StatusReading,
  TaskReading,
  Trigger,
  UndeliveredCallbacks,
} from "./types.ts";

/** Reads either dialect. Never throws: an unknown state gives `other`. */
export function readStatus(raw: unknown): StatusReading {
  const answer = asObject(raw);
  const live = textAt(answer, "state");
  // If `state` is present, `status` is prose (observed).
  const stateText = live ?? textAt(answer, "status") ?? "";
  // Sent by the local service, whose documented states have none for it.
  const stated = answer["queued"] === true ? "queued" : stateOf(stateText);
  const { isAwaiting, waiting } = readWaiting(answer, stated);
  const state = waiting ? "waiting" : isAwaiting ? "awaiting" : stated;
  const tasks = readTasks(answer);
  const progress = readProgress(answer, tasks.length);
  const error = readError(answer, stated, live !== undefined);
  const executionTime =
    numberAt(answer, "execution_time") ??
    numberAt(asObject(answer["progress"]), "duration_seconds");
  return {
    state,
    stateText: shortName(stateText),
    ended: state === "completed" || state === "failed" || state === "stopped",
    tasks,
    ...defined({ output: readResult(answer, stated === "completed") }),
    ...defined({ progress, error, waiting, executionTime }),
    ...defined({ undelivered: readUndelivered(answer), flowId: idAt(answer, "flow_id") }),
    ...readActivity(answer),
  };
}

/** Published by the vendor, for crewAI 1.15.22 or newer; null before. */
function readActivity(
  answer: UnknownObject,
): Pick<StatusReading, "usage" | "trigger" | "events" | "eventCounts"> {
  const events = readEvents([...asArray(answer["events"]), answer["last_event"]]);
  return defined({
    usage: readUsage(answer["usage_metrics"]) ?? readUsage(answer["token_usage"]),
    trigger: readTrigger(answer),
    events: events.length === 0 ? undefined : events,
    eventCounts: readEventCounts(answer),
  });
}

function readTrigger(answer: UnknownObject): Trigger | undefined {
  const by = answer["triggered_by"];
  const trigger = defined({
    type: shortAt({ by }, "by") ?? shortAt(asObject(by), "type"),
    id: idAt(asObject(by), "id"),
    origin: shortAt(answer, "execution_origin"),
  });
  return Object.keys(trigger).length === 0 ? undefined : trigger;
}

function shortAt(object: UnknownObject, name: string): string | undefined {
  const text = textAt(object, name);
  return text === undefined ? undefined : shortName(text);
}

/** The local service has at most ten. */
const mostUndelivered = 20;

/** Characters of a callback's error. */
const longestProblem = 200;

/** Sent by the local service. */
function readUndelivered(answer: UnknownObject): StatusReading["undelivered"] {
  const entries = asArray(answer["undelivered_callbacks"])
    .slice(0, mostUndelivered)
    .flatMap((value): UndeliveredCallbacks[] => {
      const entry = asObject(value);
      const kind = textAt(entry, "callback");
      if (kind === undefined) return [];
      const error = textAt(entry, "error");
      return [
        {
          kind: shortName(kind),
          count: numberAt(entry, "count") ?? 1,
          attempts: numberAt(entry, "attempts") ?? 0,
          ...defined({ error: error && oneLine(error, longestProblem) }),
          ...(entry["given_up"] === true && { isGivenUp: true }),
        },
      ];
    });
  return entries.length === 0 ? undefined : entries;
}

/** Documented: `error`. Observed: `status` holds the exception's text if `state` is a failure. */
function readError(answer: UnknownObject, stated: TextState, live: boolean): string | undefined {
  if (stated === "completed") return undefined;
  const error = textAt(asObject(answer["error"]), "message", "detail") ?? readable(answer["error"]);
  if (error !== undefined || (stated !== "failed" && stated !== "stopped")) return error;
  return (live ? textAt(answer, "status") : undefined) ?? textAt(answer, "message", "detail");
}

/** A state that the text alone gives; `waiting` also needs a task ID. */
type TextState = Exclude<StatusReading["state"], "waiting">;

/** Documented, observed, and from other deployments. */
const stateTexts: Readonly<Record<Exclude<TextState, "other">, readonly string[]>> = {
  queued: ["pending", "queued"],
  running: ["started", "running", "retry", "retrying", "resumed", "thinking"],
  awaiting: [
    "paused",
    "pending human input",
    "awaiting feedback",
    "awaiting human feedback",
    "waiting input",
    "human input requested",
  ],
  completed: ["success", "completed", "complete", "done", "finished"],
  failed: ["failed", "failure", "error", "errored"],
  stopped: ["revoked", "stopped", "cancelled", "canceled"],
  unknown: ["not found"],
};

const stateByText = new Map(
  Object.entries(stateTexts).flatMap(([state, texts]) =>
    texts.map((text) => [folded(text), state as TextState] as const),
  ),
);

function stateOf(text: string): TextState {
  return stateByText.get(folded(text)) ?? "other";
}

function folded(text: string): string {
  return text.toLowerCase().replace(/[\s_-]+/g, "");
}

/**
 * Documented: `result.output`. Observed: `result` as text beside `result_json` (an object or null),
 * or only `last_executed_task.output`, which is final once the execution is completed.
 */
function readResult(answer: UnknownObject, completed: boolean): string | undefined {
  const result = answer["result"];
  const found = isObject(result) ? (result["output"] ?? result["raw"] ?? result["result"]) : result;
  const last = completed
    ? (answer["output"] ?? asObject(answer["last_executed_task"])["output"])
    : undefined;
  const json = [answer["result_json"], asObject(result)["json_dict"]].map((value) =>
    typeof value === "string" ? parseJson(value) : value,
  );
  return [found, last, ...json, unnamed(result)].map(readable).find((text) => text !== undefined);
}

/** A result without a known member is itself the output. */
function unnamed(result: unknown): unknown {
  const names = Object.keys(asObject(result));
  const known = ["output", "raw", "result", "tasks", "tasks_output"];
  return names.length > 0 && !names.some((name) => known.includes(name)) ? result : undefined;
}

/** Documented: `result.tasks[]`, whose IDs may be missing. Observed: only `last_executed_task`. */
function readTasks(answer: UnknownObject): readonly TaskReading[] {
  const result = asObject(answer["result"]);
  const list =
    [result["tasks"], result["tasks_output"], answer["tasks"]]
      .map(asArray)
      .find((tasks) => tasks.length > 0) ?? [];
  const tasks = [
    ...list.map((value, index) => readDoneTask(asObject(value), `task_${index + 1}`)),
    readTask(asObject(answer["last_executed_task"])),
  ].filter((task) => task !== undefined);
  return firstOfEach(tasks, ({ taskId }) => taskId);
}

function readDoneTask(task: UnknownObject, fallbackId: string): TaskReading | undefined {
  const reading = readTask(task, fallbackId);
  const isSkipped = (task["output"] ?? task["raw"]) === "";
  return reading && { ...reading, ...(isSkipped && { isSkipped: true }) };
}

function readTask(task: UnknownObject, fallbackId?: string): TaskReading | undefined {
  const taskId = idAt(task, "task_id", "taskId", "name", "id") ?? fallbackId;
  if (taskId === undefined) return undefined;
  const output = readable(task["output"] ?? task["raw"]);
  const agent = textAt(task, "agent") ?? textAt(asObject(task["agent"]), "role", "name");
  const executionTime = numberAt(task, "execution_time", "duration_seconds");
  return { taskId, ...defined({ output, agent: agent && shortName(agent), executionTime }) };
}

/**
 * Documented: `current_task` and `progress.completed_tasks/total_tasks`. Observed: `progress` with
 * `unit`, `completed`, `total` (null for a flow) and `current`.
 */
function readProgress(answer: UnknownObject, knownTasks: number): Progress | undefined {
  const progress = asObject(answer["progress"]);
  const counted = numberAt(progress, "completed_tasks", "completed");
  const current = textAt(answer, "current_task") ?? textAt(progress, "current", "current_task");
  if (counted === undefined && current === undefined) return undefined;
  const total = numberAt(progress, "total_tasks", "total");
  const started = timeOf(progress["started_at"]);
  return {
    completed: counted ?? knownTasks,
    ...(total === undefined || total === 0 ? {} : { total }),
    unit: shortName(textAt(progress, "unit") ?? "task"),
    ...defined({
      current,
      startedAt: started === undefined ? undefined : new Date(started).toISOString(),
    }),
  };
}

/** Sent by the local service. */
const certainNames = ["pending_human_input", "pendingHumanInput"];

/**
 * From other deployments. Not read in a running execution, whose "pending task" may be the next.
 */
const plausibleNames = [
  "human_input_request",
  "humanInputRequest",
  "human_input",
  "humanInput",
  "human_feedback",
  "pending_task",
  "pendingTask",
  "waiting_task",
  "waitingTask",
  "last_executed_task",
];

/** `isAwaiting` doesn't need a known task. */
function readWaiting(
  answer: UnknownObject,
  state: TextState,
): { readonly isAwaiting: boolean; readonly waiting?: StatusReading["waiting"] } {
  if (state === "completed" || state === "failed" || state === "stopped")
    return { isAwaiting: false };
  const certain = certainNames
    .map((name) => firstOf(answer[name]))
    .find((value) => isObject(value) || value === true);
  const isFlow = idAt(answer, "flow_id") !== undefined;
  if (state !== "awaiting" && certain === undefined && !isFlow) return { isAwaiting: false };
  // Its other members may be of what runs.
  if (isFlow && certain === undefined) return { isAwaiting: true };
  const candidates = [certain, ...plausibleNames.map((name) => firstOf(answer[name])), answer];
  const waiting = candidates.map(readWaitingTask).find((task) => task !== undefined);
  return { isAwaiting: true, waiting };
}

/** Pending tasks are answered one by one. */
function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? asArray(value)[0] : value;
}

function readWaitingTask(value: unknown): StatusReading["waiting"] {
  const task = asObject(value);
  const taskId = idAt(task, "task_id", "taskId");
  if (taskId === undefined) return undefined;
  const output = readable(task["task_output"] ?? task["taskOutput"] ?? task["output"]);
  return {
    taskId,
    ...defined({ output, attempt: numberAt(task, "attempt") }),
    ...readQuestion(task),
  };
}

/** How many options, and characters of a message. */
const most = { options: 50, message: 10_000 };

/** What a flow asks a person. Undefined for a crew's output, which is approved or rejected. */
export function readQuestion(asked: UnknownObject): Question | undefined {
  const given = optionsAt(asked);
  // Null is for any answer, if something is asked.
  const isAny = given === null && typeof asked["message"] === "string";
  if (!Array.isArray(given) && !isAny) return undefined;
  const options = readOptions(asked);
  const message = textAt(asked, "message");
  const byDefault = textAt(asked, "default_outcome", "defaultOutcome");
  return {
    options,
    ...defined({
      message: message && shortened(message, most.message),
      defaultOption: options.find((option) => option === byDefault),
    }),
  };
}

/** The options without repeats, unchanged: the chosen one is sent as the answer. */
export function readOptions(asked: UnknownObject): readonly string[] {
  const texts = asArray(optionsAt(asked)).filter((each) => typeof each === "string");
  return [...new Set(texts.filter((each) => each.trim() !== ""))].slice(0, most.options);
}

/** Webhooks have the first of these names (vendor's documentation), as has the local service. */
function optionsAt(asked: UnknownObject): unknown {
  const names = ["emit_options", "emit", "emitOptions"];
  return names.map((name) => asked[name]).find((value) => value !== undefined);
}

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
import { readTestResult } from "../base/window-protocol.ts";
import { oneLine, shortened, shortName } from "../base/text.ts";
import { readEventCount, readEvents, readUsage, shortAt, timeOf } from "./read-events.ts";

export type StatusReading = ReturnType<typeof readStatus>;
export type TaskReading = NonNullable<ReturnType<typeof readTask>>;
/** Without a tool, it is of a model. */
export interface HeldCall {
  /** The task's ID, empty for a flow. */
  readonly ofTask: string;
  readonly tool?: string;
  /** What a person may give again, when the budget is used up. */
  readonly more?: { readonly tokens?: number; readonly dollars?: number };
}
export type Question = NonNullable<ReturnType<typeof readQuestion>>;
export type Progress = NonNullable<ReturnType<typeof readProgress>>;
export type Trigger = NonNullable<ReturnType<typeof readTrigger>>;
export type Decision = NonNullable<ReturnType<typeof readDecisions>>[number];
export type TestVerdict = NonNullable<ReturnType<typeof readVerdict>>;
export type UndeliveredCallbacks = NonNullable<ReturnType<typeof readCallbacks>>;

/** Documented, observed, and from other deployments; without spaces, `_` and `-`. */
const stateTexts = {
  queued: "pending queued",
  running: "started running retry retrying resumed thinking",
  awaiting:
    "paused pendinghumaninput awaitingfeedback awaitinghumanfeedback waitinginput humaninputrequested",
  completed: "success completed complete done finished",
  failed: "failed failure error errored",
  stopped: "revoked stopped cancelled canceled",
  // Also observed while a person is awaited.
  unknown: "notfound",
} as const;

/** A state that the text alone gives; `waiting` also needs a task ID. */
type TextState = keyof typeof stateTexts | "other";

const stateByText = new Map(
  Object.entries(stateTexts).flatMap(([state, texts]) =>
    texts.split(" ").map((text) => [text, state as TextState] as const),
  ),
);

/** Reads either dialect. Never throws: an unknown state gives `other`. */
export function readStatus(raw: unknown) {
  const answer = asObject(raw);
  const live = textAt(answer, "state");
  // If `state` is present, `status` is prose (observed).
  const stateText = live ?? textAt(answer, "status") ?? "";
  const known = stateByText.get(stateText.toLowerCase().replace(/[\s_-]+/g, "")) ?? "other";
  // Sent by the local service, whose documented states have none for it.
  const stated = answer["queued"] === true ? "queued" : known;
  const { isAwaiting, waiting } = readWaiting(answer, stated);
  const state: TextState | "waiting" = waiting ? "waiting" : isAwaiting ? "awaiting" : stated;
  const tasks = readTasks(answer);
  // Published by the vendor, for crewAI 1.15.22 or newer; null before.
  const events = readEvents([...asArray(answer["events"]), answer["last_event"]]);
  return {
    state,
    stateText: shortName(stateText),
    ended: hasEnded(state),
    tasks,
    ...defined({
      output: readResult(answer, stated === "completed"),
      progress: readProgress(answer, tasks.length),
      error: readError(answer, stated, live !== undefined),
      waiting,
      executionTime:
        numberAt(answer, "execution_time") ??
        numberAt(asObject(answer["progress"]), "duration_seconds"),
      undelivered: readUndelivered(answer),
      // Present while a flow waits for a person (published by the vendor).
      flowId: idAt(answer, "flow_id"),
      usage: readUsage(answer["usage_metrics"]) ?? readUsage(answer["token_usage"]),
      trigger: readTrigger(answer),
      decisions: readDecisions(answer),
      events: events.length === 0 ? undefined : events,
      eventCount: readEventCount(answer),
      test: readVerdict(answer["test"]),
    }),
  };
}

function hasEnded(state: TextState | "waiting"): boolean {
  return state === "completed" || state === "failed" || state === "stopped";
}

/** Any words. The vendor publishes `user`, `service_account` and `unknown`, and `ui`, `schedule`, `trigger`, `chat`, `hitl-resume`, `replay` and `api`. */
function readTrigger(answer: UnknownObject) {
  const by = asObject(answer["triggered_by"]);
  const trigger = defined({
    type: shortAt(answer, "triggered_by") ?? shortAt(by, "type"),
    id: idAt(by, "id"),
    origin: shortAt(answer, "execution_origin"),
  });
  return Object.keys(trigger).length === 0 ? undefined : trigger;
}

/** By whose token which output was decided about. Only this project's service reports it. */
function readDecisions(answer: UnknownObject) {
  const decisions = asArray(answer["decisions"])
    .slice(-200)
    .map(asObject)
    .flatMap((entry) => {
      const taskId = idAt(entry, "task_id");
      const attempt = numberAt(entry, "attempt");
      const sha256 = textAt(entry, "output_sha256") ?? "";
      if (taskId === undefined || attempt === undefined || !/^[0-9a-f]{64}$/.test(sha256))
        return [];
      const by = asObject(entry["by"]);
      return {
        taskId,
        attempt,
        sha256,
        ...defined({ type: shortAt(by, "type"), name: shortAt(by, "name") }),
      };
    });
  return decisions.length === 0 ? undefined : decisions;
}

/** What a test says of an execution; `grade` is the mean of what the project's model answered, from 0 to 10. Only the local service reports it. */
function readVerdict(given: unknown) {
  const result = readTestResult(given);
  if (!result) return undefined;
  const { state, grades, failures } = result;
  const sum = grades.reduce((all, { grade }) => all + grade, 0);
  return {
    state,
    ...(grades.length > 0 && { grade: Math.round((sum / grades.length) * 10) / 10 }),
    failures: failures.slice(0, 20).map(({ message }) => oneLine(message, 300)),
  };
}

/** Only the local service reports them, at most ten. */
function readUndelivered(answer: UnknownObject): readonly UndeliveredCallbacks[] | undefined {
  const callbacks = asArray(answer["undelivered_callbacks"])
    .slice(0, 20)
    .flatMap((value) => readCallbacks(asObject(value)) ?? []);
  return callbacks.length === 0 ? undefined : callbacks;
}

/** `kind`: `task`, `step`, `crew`, `human_input` or `events`; any word. */
function readCallbacks(entry: UnknownObject) {
  const kind = shortAt(entry, "callback");
  if (kind === undefined) return undefined;
  const error = textAt(entry, "error");
  return {
    kind,
    count: numberAt(entry, "count") ?? 1,
    attempts: numberAt(entry, "attempts") ?? 0,
    ...defined({ error: error && oneLine(error, 200) }),
    ...(entry["given_up"] === true && { isGivenUp: true as const }),
  };
}

/** Documented: `error`. Observed: `status` holds the exception's text if `state` is a failure. */
function readError(answer: UnknownObject, stated: TextState, isLive: boolean): string | undefined {
  if (stated === "completed") return undefined;
  const error = textAt(asObject(answer["error"]), "message", "detail") ?? readable(answer["error"]);
  if (error !== undefined || !hasEnded(stated)) return error;
  return textAt(answer, ...(isLive ? ["status"] : []), "message", "detail");
}

/** Documented: `result.output`. Observed: text beside `result_json`, or the last task's output. */
function readResult(answer: UnknownObject, isCompleted: boolean): string | undefined {
  const result = answer["result"];
  const object = asObject(result);
  const found = isObject(result) ? (object["output"] ?? object["raw"] ?? object["result"]) : result;
  const last = answer["output"] ?? asObject(answer["last_executed_task"])["output"];
  const json = [answer["result_json"], object["json_dict"]].map((value) =>
    typeof value === "string" ? parseJson(value) : value,
  );
  // A result without a known member is itself the output.
  const names = ["output", "raw", "result", "tasks", "tasks_output"];
  const isNamed = Object.keys(object).length === 0 || names.some((name) => name in object);
  return [found, isCompleted ? last : undefined, ...json, isNamed ? undefined : object]
    .map(readable)
    .find((text) => text !== undefined);
}

/** Documented: `result.tasks[]`, whose IDs may be missing. Observed: only `last_executed_task`. */
function readTasks(answer: UnknownObject): readonly TaskReading[] {
  const result = asObject(answer["result"]);
  const lists = [result["tasks"], result["tasks_output"], answer["tasks"]].map(asArray);
  const done = (lists.find((tasks) => tasks.length > 0) ?? []).map(asObject);
  const tasks = [
    ...done.flatMap((task, index) => readTask(task, `task_${index + 1}`) ?? []),
    ...[readTask(asObject(answer["last_executed_task"])) ?? []].flat(),
  ];
  return firstOfEach(tasks, ({ taskId }) => taskId);
}

function readTask(task: UnknownObject, fallbackId?: string) {
  const taskId = idAt(task, "task_id", "taskId", "name", "id") ?? fallbackId;
  if (taskId === undefined) return undefined;
  const output = task["output"] ?? task["raw"];
  return {
    taskId,
    ...defined({
      output: readable(output),
      agent: shortAt(task, "agent") ?? shortAt(asObject(task["agent"]), "role", "name"),
      executionTime: numberAt(task, "execution_time", "duration_seconds"),
    }),
    // As a conditional task whose condition was not met (crewAI's source).
    ...(fallbackId !== undefined && output === "" && { isSkipped: true as const }),
  };
}

/** Documented: `current_task`, `*_tasks`. Observed: `unit`, `completed`, `total`, `current`. */
function readProgress(answer: UnknownObject, knownTasks: number) {
  const progress = asObject(answer["progress"]);
  const counted = numberAt(progress, "completed_tasks", "completed");
  const current = textAt(answer, "current_task") ?? textAt(progress, "current", "current_task");
  if (counted === undefined && current === undefined) return undefined;
  const started = timeOf(progress["started_at"]);
  return {
    completed: counted ?? knownTasks,
    unit: shortAt(progress, "unit") ?? "task",
    ...defined({
      total: numberAt(progress, "total_tasks", "total") || undefined,
      current,
      // Sent by the local service for what is queued, from 1, or starts (0).
      place: numberAt(answer, "queue_position"),
      startedAt: started === undefined ? undefined : new Date(started).toISOString(),
    }),
  };
}

/** From other deployments. Not read in a running execution, whose "pending task" may be the next. */
const plausibleNames = [
  ...["human_input_request", "humanInputRequest", "human_input", "humanInput", "human_feedback"],
  ...["pending_task", "pendingTask", "waiting_task", "waitingTask", "last_executed_task"],
];

/** `isAwaiting` doesn't need a known task. */
function readWaiting(answer: UnknownObject, state: TextState) {
  const held = hasEnded(state) ? undefined : readHeldCall(answer);
  if (held !== undefined) return { isAwaiting: true, waiting: held };
  // Sent by the local service.
  const certain = [answer["pending_human_input"], answer["pendingHumanInput"]]
    .map(firstOf)
    .find((value) => isObject(value) || value === true);
  const isFlow = idAt(answer, "flow_id") !== undefined;
  const isAwaiting = state === "awaiting" || certain !== undefined || isFlow;
  if (hasEnded(state) || !isAwaiting) return { isAwaiting: false };
  // The other members of a flow's answer may be of what runs.
  if (isFlow && certain === undefined) return { isAwaiting };
  const candidates = [certain, ...plausibleNames.map((name) => firstOf(answer[name])), answer];
  const waiting = candidates.map(readWaitingTask).find((task) => task !== undefined);
  return { isAwaiting, waiting };
}

/**
 * A call of a tool, or of a model over a budget, that waits for a person, in a status or a callback of the local service. Its ID
 * stands for a task's: it is answered like an output, and has one attempt.
 */
export function readHeldCall(answer: UnknownObject) {
  const [forTool, forBudget] = [answer["pending_tool_call"], answer["pending_budget"]];
  const pending = asObject(forTool ?? forBudget);
  const taskId = idAt(pending, "call_id");
  if (taskId === undefined) return undefined;
  const tool = shortAt(pending, "tool");
  const used = { tokens: numberAt(pending, "tokens"), dollars: numberAt(pending, "dollars") };
  const limits = asObject(pending["limits"]);
  const more = { tokens: numberAt(limits, "tokens"), dollars: numberAt(limits, "dollars") };
  const output = tool === undefined ? JSON.stringify(used) : readable(pending["arguments"]);
  const call: HeldCall = {
    ofTask: idAt(pending, "task_id") ?? "",
    ...(tool === undefined ? { more: defined(more) } : { tool }),
  };
  return { taskId, attempt: 1, output: output ?? "", call };
}

/** Pending tasks are answered one by one. */
function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? asArray(value)[0] : value;
}

function readWaitingTask(value: unknown) {
  const task = asObject(value);
  const taskId = idAt(task, "task_id", "taskId");
  if (taskId === undefined) return undefined;
  const output = readable(task["task_output"] ?? task["taskOutput"] ?? task["output"]);
  const attempt = numberAt(task, "attempt");
  return { taskId, ...defined({ output, attempt }), ...readQuestion(task) };
}

/** What a flow asks a person. Undefined for a crew's output, which is approved or rejected. */
export function readQuestion(asked: UnknownObject) {
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
      message: message && shortened(message, 10_000),
      defaultOption: options.find((option) => option === byDefault),
    }),
  };
}

/** At most 50 options without repeats, unchanged: the chosen one is sent as the answer. */
export function readOptions(asked: UnknownObject): readonly string[] {
  const texts = asArray(optionsAt(asked)).filter((each) => typeof each === "string");
  return [...new Set(texts.filter((each) => each.trim() !== ""))].slice(0, 50);
}

/** Webhooks have the first of these names (vendor's documentation), as has the local service. */
function optionsAt(asked: UnknownObject): unknown {
  const names = ["emit_options", "emit", "emitOptions"];
  return names.map((name) => asked[name]).find((value) => value !== undefined);
}

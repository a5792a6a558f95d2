import type { JsonObject } from "../api/types.ts";
import { textAt } from "../base/json.ts";
import { crewOutput, roleOf } from "./engine.ts";
import { unknownExecution, type ApiError } from "./errors.ts";
import { questionOf } from "./flow-answers.ts";
import { pendingOf } from "./questions.ts";
import {
  flowIndex,
  isAccepted,
  isQueued,
  tookSeconds,
  type Attempt,
  type Execution,
  type ExecutionView,
  type StatusView,
} from "./model.ts";

export interface Resumed {
  readonly isRetried: boolean;
  readonly ended: boolean;
  readonly alias: string | undefined;
}

export interface Dialect {
  readonly renames: boolean;
  inputs(names: readonly string[]): readonly string[];
  resumed(result: Resumed): JsonObject;
  /** `view` is undefined for an unknown ID. @throws {ApiError} */
  status(id: string, view: StatusView | undefined): JsonObject;
  error(error: ApiError): { readonly status: number; readonly body: JsonObject | string };
}

/**
 * As in the specification and the vendor's OpenAPI file, which allows `pending_human_input`, `queued`, `queue_position`, `tasks`,
 * `decisions`, `undelivered_callbacks` and what deployed crews report about their activity.
 */
export const documentedDialect: Dialect = {
  renames: false,
  inputs: (names) => names,
  resumed({ isRetried, ended }) {
    if (isRetried)
      return { status: "retrying", message: "Task will be retried with your feedback" };
    return ended
      ? { status: "completed", message: "Execution completed" }
      : { status: "resumed", message: "Execution resumed successfully" };
  },
  status(id, view) {
    if (!view) throw unknownExecution(id);
    return { ...statusOf(view), ...extrasOf(view) };
  },
  error({ status, title, message, details, detail }) {
    // Clients of this dialect can't read FastAPI's list.
    const text = typeof detail === "string" ? detail : message;
    return { status, body: { error: title, message, details: { ...details }, detail: text } };
  },
};

/** As deployed crews (observed): a pause for a person is "NOT FOUND", like an unknown ID. That of a flow is seen. */
export const liveDialect: Dialect = {
  renames: true,
  // Observed.
  inputs: (names) => [...names].sort(),
  resumed: ({ alias }) => ({ kickoff_id: alias ?? "" }),
  status: (_id, view) => (view ? liveStatus(view) : notFound),
  error({ liveStatus, detail }) {
    if (liveStatus === 500) return { status: 500, body: "Internal Server Error" };
    const issues = typeof detail === "string" ? detail : detail.map((issue) => ({ ...issue }));
    return { status: liveStatus, body: { detail: issues } };
  },
};

function statusOf(view: ExecutionView) {
  const { state, error, endedAt } = view.execution;
  const { finished, waiting, current, total } = progressOf(view);
  const tasks = finished.map(({ taskId, output, startedAt, finishedAt }) => ({
    task_id: taskId,
    output: output ?? "",
    agent: agentOf(view.execution, taskId),
    execution_time: seconds(startedAt, finishedAt ?? startedAt),
  }));
  const reached = {
    current_task: current ?? "",
    progress: {
      completed_tasks: tasks.length,
      ...(isFlow(view.execution) && { unit: "step" }),
      ...(total !== null && { total_tasks: total }),
    },
    ...(tasks.length > 0 && { tasks }),
  };
  const question = waiting?.review?.pause;
  return {
    status: state,
    ...(state === "completed" && { result: { output: outputOf(view), tasks } }),
    ...(state !== "completed" && (endedAt === null || view.attempts.length > 0) && reached),
    ...(state === "error" && { error: error ?? "" }),
    ...(endedAt !== null && { execution_time: tookSeconds(view) }),
    ...(isQueued(view) && { queued: true }),
    ...(waiting && {
      pending_human_input: {
        task_id: waiting.taskId,
        task_output: waiting.output ?? "",
        attempt: waiting.attempt,
        ...(question && questionOf(question)),
      },
    }),
  };
}

export function outputOf(view: ExecutionView): string {
  const parts = view.attempts.filter(({ taskIndex }) => taskIndex === flowIndex);
  return crewOutput(isFlow(view.execution) ? parts : progressOf(view).finished);
}

/**
 * What both dialects have besides: members that the vendor has published for deployed crews, null for what is not known, and
 * those that only this service has.
 */
function extrasOf({ execution, activity, usage, place, ...view }: StatusView) {
  const { decisions, undelivered, heldCall, test } = view;
  const { events, counts } = activity;
  return {
    usage_metrics: usage.total_tokens === 0 ? null : { ...usage },
    events,
    events_count: Object.values(counts).reduce((sum, count) => sum + count, 0),
    events_by_type: counts,
    last_event: events.at(-1) ?? null,
    triggered_by: { type: execution.owner.startsWith("user") ? "user" : "unknown", id: null },
    execution_origin: execution.kept === null ? "api" : "replay",
    ...(place !== undefined && { queue_position: place }),
    ...(heldCall && pendingOf(heldCall, execution.rules)),
    ...(execution.rules?.replay && { recording: execution.rules.replay.file }),
    ...(test && { test }),
    ...(decisions.length > 0 && { decisions }),
    ...(undelivered.length > 0 && { undelivered_callbacks: [...undelivered] }),
  };
}

const notFound: JsonObject = {
  state: "NOT FOUND",
  status: "Task not found or Invalid kickoff id",
  result: null,
  result_json: null,
  progress: null,
  last_executed_task: null,
  usage_metrics: null,
  events: null,
  events_count: null,
  events_by_type: null,
  last_event: null,
  triggered_by: null,
  execution_origin: null,
};

function liveStatus(view: StatusView): JsonObject {
  const { execution, activity } = view;
  const answer = statusOf(view);
  const { result, current_task: current, execution_time, pending_human_input: waiting } = answer;
  if (waiting && !isFlow(execution)) return notFound;
  const tasks = result?.tasks ?? answer.tasks ?? [];
  const last = tasks.at(-1);
  const total = totalOf(execution);
  const isAt = answer.status === "running" && current !== undefined && current !== "";
  const started_at = new Date(execution.createdAt).toISOString();
  return {
    ...liveState(answer),
    result: result?.output ?? null,
    result_json: null,
    progress: {
      unit: isFlow(execution) ? "step" : "task",
      completed: tasks.length,
      total,
      remaining: total === null ? null : total - tasks.length,
      current: isAt ? current : null,
      current_agent: isAt ? agentOf(execution, current) : null,
      started_at,
      updated_at: textAt(activity.events.at(-1) ?? {}, "timestamp") ?? started_at,
      duration_seconds: execution_time ?? seconds(execution.createdAt, Date.now()),
    },
    last_executed_task: last
      ? { name: last.task_id, output: last.output, agent: last.agent, meta: execution.meta }
      : null,
    ...extrasOf(view),
    ...(waiting && { flow_id: execution.id }),
  };
}

/** Observed: `status` is prose, null on success and the exception's text on failure. */
function liveState(answer: ReturnType<typeof statusOf>) {
  const { status, error = "", queued, pending_human_input: waiting, tasks } = answer;
  if (status === "completed") return { state: "SUCCESS", status: null };
  if (status === "error") return { state: "FAILED", status: error };
  // Celery's state of a task that was ended from outside.
  if (status === "stopped") return { state: "REVOKED", status: "Task is Revoked" };
  if (waiting) return { state: "PAUSED", status: "Flow is waiting for human feedback" };
  if (queued) return { state: "PENDING", status: "Task is Pending" };
  return { state: tasks ? "RUNNING" : "STARTED", status: "Task is Running" };
}

/** `finished`: last attempts of finished tasks; `current`: the running task, or the last one. */
function progressOf({ execution, attempts }: ExecutionView) {
  const { tasks } = execution.project;
  const waiting = attempts.find(({ state }) => state === "waiting");
  const total = totalOf(execution);
  if (!isFlow(execution)) {
    const finished = attempts.filter(isAccepted);
    const current = tasks[Math.min(finished.length, tasks.length - 1)]?.id;
    return { finished, total, current, waiting };
  }
  const methods = attempts.filter(({ taskIndex }) => taskIndex !== flowIndex);
  const finished = lastOfEach(methods);
  const open = waiting ?? methods.find(({ state }) => state === "running");
  return { finished, total, current: (open ?? finished.at(-1))?.taskId ?? tasks[0]?.id, waiting };
}

/** Null where nobody knows in advance: of a flow, and of a crew that Python has not built yet. */
function totalOf({ project: { kind, tasks } }: Execution): number | null {
  return kind === "flow" || tasks.length === 0 ? null : tasks.length;
}

/** The last finished run of each method, in the order in which they finished. After a rejection, a flow continues. */
function lastOfEach(attempts: readonly Attempt[]): readonly Attempt[] {
  const last = new Map(
    attempts
      .filter((one) => isAccepted(one) || one.state === "rejected")
      .map((one) => [one.taskIndex, one] as const),
  );
  return [...last.values()].sort(
    (one, other) =>
      (one.finishedAt ?? 0) - (other.finishedAt ?? 0) || one.startedAt - other.startedAt,
  );
}

function isFlow({ project }: Execution): boolean {
  return project.kind === "flow";
}

function agentOf({ project, inputs }: Execution, taskId: string): string {
  const task = project.tasks.find(({ id }) => id === taskId);
  return roleOf(
    project.agents.find(({ name }) => name === task?.agent),
    inputs,
  );
}

export function seconds(from: number, to: number): number {
  return Math.max(0, to - from) / 1000;
}

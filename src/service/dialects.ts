import type { JsonObject } from "../api/types.ts";
import { crewOutput, roleOf } from "./engine.ts";
import { unknownExecution, type ApiError } from "./errors.ts";
import { questionOf } from "./flow-answers.ts";
import { isAccepted, type Attempt, type ExecutionView, type StatusView } from "./model.ts";

export interface Resumed {
  /** Whether the task is repeated. */
  readonly isRetried: boolean;
  readonly ended: boolean;
  readonly alias: string | undefined;
}

export interface Dialect {
  /** Whether each resume gives the execution another ID. */
  readonly renames: boolean;
  inputs(names: readonly string[]): readonly string[];
  resumed(result: Resumed): JsonObject;
  /** The state of an ended execution, as its status says it. */
  endOf(view: ExecutionView): string;
  /** `view` is undefined for an unknown ID. @throws {ApiError} */
  status(id: string, view: StatusView | undefined): JsonObject;
  /** Text where deployed crews send text. */
  error(error: ApiError): { readonly status: number; readonly body: JsonObject | string };
}

/**
 * As in the specification and the vendor's OpenAPI file, which allows `pending_human_input`, `queued`, `tasks`,
 * `undelivered_callbacks` and what deployed crews report about their activity.
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
  endOf: ({ execution }) => execution.state,
  status(id, view) {
    if (!view) throw unknownExecution(id);
    return { ...documentedStatus(view), ...activityOf(view), ...undeliveredOf(view) };
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
  endOf: (view) => liveState(view).state,
  status: (_id, view) =>
    view && (view.flow || !progressOf(view).waiting) ? liveStatus(view) : notFound,
  error({ liveStatus, detail }) {
    if (liveStatus === 500) return { status: 500, body: "Internal Server Error" };
    const issues = typeof detail === "string" ? detail : detail.map((issue) => ({ ...issue }));
    return { status: liveStatus, body: { detail: issues } };
  },
};

function documentedStatus(view: ExecutionView): JsonObject {
  const { state, error, createdAt, endedAt } = view.execution;
  if (state === "running") return documentedProgress(view);
  const execution_time = seconds(createdAt, endedAt ?? createdAt);
  const reached = view.attempts.length > 0 && reachedBy(view);
  if (state === "error") return { status: "error", error: error ?? "", ...reached, execution_time };
  if (state === "stopped") return { status: "stopped", ...reached, execution_time };
  const tasks = taskResults(view);
  const result = { output: outputOf(view), tasks };
  return { status: "completed", result, execution_time };
}

export function outputOf(view: ExecutionView): string {
  return view.flow?.output ?? crewOutput(progressOf(view).finished);
}

/** The members that the vendor has published for deployed crews; null for what is not known. */
function activityOf({ execution, activity, usage }: StatusView) {
  const { events, counts } = activity;
  return {
    usage_metrics: usage.total_tokens === 0 ? null : { ...usage },
    events,
    events_count: Object.values(counts).reduce((sum, count) => sum + count, 0),
    events_by_type: counts,
    last_event: events.at(-1) ?? null,
    triggered_by: { type: execution.owner === "bearer" ? "unknown" : "user", id: null },
    execution_origin: execution.kept === null ? "api" : "replay",
  };
}

/** Only of this service. */
function undeliveredOf({ undelivered }: StatusView): JsonObject {
  if (undelivered.length === 0) return {};
  return {
    undelivered_callbacks: undelivered.map(({ kind, count, attempts, problem, due }) => ({
      callback: kind,
      count,
      attempts,
      ...(problem !== undefined && { error: problem }),
      ...(due === undefined ? { given_up: true } : {}),
      ...(due !== undefined && attempts > 0 && { next_attempt_at: new Date(due).toISOString() }),
    })),
  };
}

function documentedProgress(view: ExecutionView): JsonObject {
  const { waiting } = progressOf(view);
  const pause = view.flow?.pause;
  return {
    status: "running",
    ...reachedBy(view),
    ...(view.isQueued && { queued: true }),
    ...(waiting && {
      pending_human_input: {
        task_id: waiting.taskId,
        task_output: waiting.output ?? "",
        attempt: waiting.attempt,
        ...(pause && questionOf(pause)),
      },
    }),
  };
}

/** How far an execution came. */
function reachedBy(view: ExecutionView) {
  const { finished, total, current } = progressOf(view);
  return {
    current_task: current?.id ?? "",
    progress: {
      completed_tasks: finished.length,
      ...(view.flow && { unit: "step" }),
      ...(total !== null && { total_tasks: total }),
    },
    ...(finished.length > 0 && { tasks: taskResults(view) }),
  };
}

function taskResults(view: ExecutionView) {
  return progressOf(view).finished.map(({ taskId, taskIndex, output, startedAt, finishedAt }) => ({
    task_id: taskId,
    output: output ?? "",
    agent: agentOf(view, taskIndex),
    execution_time: seconds(startedAt, finishedAt ?? startedAt),
  }));
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
  const { execution, attempts } = view;
  const { finished, total, current } = progressOf(view);
  const last = finished.at(-1);
  const ended = execution.endedAt !== null;
  const times = attempts.flatMap((one) => [one.startedAt, one.finishedAt ?? 0, one.decidedAt ?? 0]);
  const updatedAt = Math.max(execution.createdAt, execution.endedAt ?? 0, ...times);
  return {
    ...liveState(view),
    result: execution.state === "completed" ? outputOf(view) : null,
    result_json: null,
    progress: {
      unit: view.flow ? "step" : "task",
      completed: finished.length,
      total,
      remaining: total === null ? null : total - finished.length,
      current: ended || !current ? null : current.id,
      current_agent:
        ended || !current ? null : agentOf(view, execution.project.tasks.indexOf(current)),
      started_at: new Date(execution.createdAt).toISOString(),
      updated_at: new Date(updatedAt).toISOString(),
      duration_seconds: seconds(execution.createdAt, execution.endedAt ?? Date.now()),
    },
    last_executed_task: last
      ? {
          name: last.taskId,
          output: last.output ?? "",
          agent: agentOf(view, last.taskIndex),
          meta: execution.meta,
        }
      : null,
    ...activityOf(view),
    ...undeliveredOf(view),
    ...(view.flow?.pause && { flow_id: execution.id }),
  };
}

/** Observed: `status` is prose, null on success and the exception's text on failure. */
function liveState({ execution, attempts, isQueued, flow }: ExecutionView) {
  if (execution.state === "completed") return { state: "SUCCESS", status: null };
  if (execution.state === "error") return { state: "FAILED", status: execution.error };
  // Celery's state of a task that was ended from outside.
  if (execution.state === "stopped") return { state: "REVOKED", status: "Task is Revoked" };
  if (flow?.pause) return { state: "PAUSED", status: "Flow is waiting for human feedback" };
  if (isQueued) return { state: "PENDING", status: "Task is Pending" };
  const hasOutput = attempts.some(({ finishedAt }) => finishedAt !== null);
  return { state: hasOutput ? "RUNNING" : "STARTED", status: "Task is Running" };
}

/**
 * `finished`: last attempts of finished tasks; `current`: the running task, or the last one. Nobody knows in advance how
 * many methods of a flow run: `total` is then null, as where no task is known.
 */
function progressOf({ execution, attempts, flow }: ExecutionView) {
  const { tasks } = execution.project;
  const waiting = attempts.find(({ state }) => state === "waiting");
  const finished = flow ? lastOfEach(attempts) : attempts.filter(isAccepted);
  const open = flow && (waiting ?? attempts.find(({ state }) => state === "running"));
  const last = flow && (open ?? finished.at(-1));
  const current = tasks[last?.taskIndex ?? Math.min(flow ? 0 : finished.length, tasks.length - 1)];
  // Until Python has built the crew, it may have no known tasks.
  return { finished, total: flow || !current ? null : tasks.length, current, waiting };
}

/** The last finished run of each method, in the order in which they finished. After a rejection, a flow continues. */
function lastOfEach(attempts: readonly Attempt[]): readonly Attempt[] {
  const last = new Map(
    attempts
      .filter((one) => isAccepted(one) || one.state === "rejected")
      .map((one) => [one.taskIndex, one] as const),
  );
  const at = ({ finishedAt, startedAt }: Attempt) => [finishedAt ?? startedAt, startedAt] as const;
  return [...last.values()].sort((one, other) => {
    const [[end, start], [otherEnd, otherStart]] = [at(one), at(other)];
    return end - otherEnd || start - otherStart;
  });
}

function agentOf({ execution }: ExecutionView, taskIndex: number): string {
  const { agents, tasks } = execution.project;
  const agent = agents.find(({ name }) => name === tasks[taskIndex]?.agent);
  return roleOf(agent, execution.inputs);
}

export function seconds(from: number, to: number): number {
  return Math.max(0, to - from) / 1000;
}

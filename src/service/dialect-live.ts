import type { JsonObject } from "../api/types.ts";
import { agentOf, progressOf, seconds, type Dialect } from "./dialect.ts";
import type { ExecutionView } from "./model.ts";
import { readLiveResume } from "./requests.ts";

/** The shapes of deployed crews (observed), for testing clients: a pause for a person is "NOT FOUND", like an unknown id. */
export const liveDialect: Dialect = {
  renames: true,
  showsOutputs: false,
  readResume: readLiveResume,
  resumed: ({ alias }) => ({ kickoff_id: alias ?? "" }),
  status: (_id, view) => (view && !progressOf(view).waiting ? status(view) : notFound),
  error({ liveStatus, detail }) {
    if (liveStatus === 500) return { status: 500, body: "Internal Server Error" };
    const issues = typeof detail === "string" ? detail : detail.map((issue) => ({ ...issue }));
    return { status: liveStatus, body: { detail: issues } };
  },
};

const notFound: JsonObject = {
  state: "NOT FOUND",
  status: null,
  result: null,
  result_json: null,
  progress: null,
  last_executed_task: null,
};

function status(view: ExecutionView): JsonObject {
  const { execution } = view;
  const { finished } = progressOf(view);
  const last = finished.at(-1);
  return {
    state: stateOf(view),
    status: proseOf(view),
    result: execution.state === "completed" ? (last?.output ?? "") : null,
    result_json: null,
    progress: progress(view),
    last_executed_task: last
      ? { name: last.taskId, output: last.output ?? "", agent: agentOf(view, last.taskIndex) }
      : null,
  };
}

function stateOf({ execution, attempts }: ExecutionView): string {
  if (execution.state !== "running") return execution.state === "completed" ? "SUCCESS" : "FAILED";
  if (attempts.length === 0) return "PENDING";
  return attempts.some(({ finishedAt }) => finishedAt !== null) ? "RUNNING" : "STARTED";
}

/** `status` is prose here, null on success and the exception's text on failure (observed). */
function proseOf({ execution, attempts }: ExecutionView): string | null {
  if (execution.state !== "running") return execution.error;
  return attempts.length === 0 ? "Task is Pending" : "Task is Running";
}

function progress(view: ExecutionView): JsonObject {
  const { execution, attempts } = view;
  const { finished, total, current } = progressOf(view);
  const ended = execution.endedAt !== null;
  const times = attempts.flatMap(({ startedAt, finishedAt, decidedAt }) => [
    startedAt,
    finishedAt ?? 0,
    decidedAt ?? 0,
  ]);
  const updatedAt = Math.max(execution.createdAt, execution.endedAt ?? 0, ...times);
  return {
    unit: "task",
    completed: finished.length,
    total,
    remaining: total - finished.length,
    current: ended ? null : current.id,
    current_agent: ended ? null : agentOf(view, execution.project.tasks.indexOf(current)),
    started_at: new Date(execution.createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
    duration_seconds: seconds(execution.createdAt, execution.endedAt ?? Date.now()),
  };
}

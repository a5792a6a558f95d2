import type { JsonObject } from "../api/types.ts";
import { agentOf, progressOf, seconds, type Dialect, type Resumed } from "./dialect.ts";
import { unknownExecution } from "./errors.ts";
import type { Attempt, ExecutionView } from "./model.ts";
import { readResume } from "./requests.ts";

/** The shapes of the specification and the vendor's OpenAPI file, plus `pending_human_input`, which the file allows. */
export const documentedDialect: Dialect = {
  renames: false,
  showsOutputs: true,
  readResume,
  resumed,
  status(id, view) {
    if (!view) throw unknownExecution(id);
    switch (view.execution.state) {
      case "running":
        return running(view);
      case "completed":
        return completed(view);
      case "error":
        return {
          status: "error",
          error: view.execution.error ?? "",
          execution_time: executionTime(view),
        };
    }
  },
  error({ status, title, message, details, detail }) {
    // Clients of this dialect can't read FastAPI's list.
    return {
      status,
      body: {
        error: title,
        message,
        details: { ...details },
        detail: typeof detail === "string" ? detail : message,
      },
    };
  },
};

function resumed({ isApprove, ended }: Resumed): JsonObject {
  if (!isApprove) return { status: "retrying", message: "Task will be retried with your feedback" };
  if (ended) return { status: "completed", message: "Execution completed" };
  return { status: "resumed", message: "Execution resumed successfully" };
}

function running(view: ExecutionView): JsonObject {
  const { finished, total, current, waiting } = progressOf(view);
  return {
    status: "running",
    current_task: current.id,
    progress: { completed_tasks: finished.length, total_tasks: total },
    ...(waiting && {
      pending_human_input: {
        task_id: waiting.taskId,
        task_output: waiting.output ?? "",
        attempt: waiting.attempt,
      },
    }),
  };
}

function completed(view: ExecutionView): JsonObject {
  const { finished } = progressOf(view);
  const tasks = finished.map((attempt) => taskResult(view, attempt));
  return {
    status: "completed",
    result: { output: finished.at(-1)?.output ?? "", tasks },
    execution_time: executionTime(view),
  };
}

function taskResult(
  view: ExecutionView,
  { taskId, taskIndex, output, startedAt, finishedAt }: Attempt,
): JsonObject {
  return {
    task_id: taskId,
    output: output ?? "",
    agent: agentOf(view, taskIndex),
    execution_time: seconds(startedAt, finishedAt ?? startedAt),
  };
}

function executionTime({ execution }: ExecutionView): number {
  return seconds(execution.createdAt, execution.endedAt ?? execution.createdAt);
}

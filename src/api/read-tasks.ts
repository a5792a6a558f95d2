import { asArray, asObject, idAt, numberAt, readable, textAt, type UnknownObject } from "./json.ts";
import { shortName } from "./one-line.ts";
import type { Progress, TaskReading } from "./types.ts";

/**
 * The tasks an answer tells of, each once. Documented: `result.tasks[]`. Observed: `last_executed_task`, which changes from
 * answer to answer. A task of a list that has no id gets `task_<n>`, counted from 1.
 */
export function readTasks(answer: UnknownObject): readonly TaskReading[] {
  const result = asObject(answer["result"]);
  const list =
    [result["tasks"], result["tasks_output"], answer["tasks"]]
      .map(asArray)
      .find((tasks) => tasks.length > 0) ?? [];
  const tasks = new Map<string, TaskReading>();
  for (const [index, value] of list.entries()) {
    const task = readTask(asObject(value), `task_${index + 1}`);
    if (task && !tasks.has(task.taskId)) tasks.set(task.taskId, task);
  }
  const last = readTask(asObject(answer["last_executed_task"]), undefined);
  if (last && !tasks.has(last.taskId)) tasks.set(last.taskId, last);
  return [...tasks.values()];
}

function readTask(task: UnknownObject, fallbackId: string | undefined): TaskReading | undefined {
  const taskId = idAt(task, "task_id", "taskId", "name", "id") ?? fallbackId;
  if (taskId === undefined) return undefined;
  const output = readable(task["output"] ?? task["raw"]);
  const agent = textAt(task, "agent") ?? textAt(asObject(task["agent"]), "role", "name");
  const executionTime = numberAt(task, "execution_time", "duration_seconds");
  return {
    taskId,
    ...(output === undefined ? {} : { output }),
    ...(agent === undefined ? {} : { agent: shortName(agent) }),
    ...(executionTime === undefined ? {} : { executionTime }),
  };
}

/**
 * How far it is. Documented: `current_task` and `progress.completed_tasks/total_tasks`. Observed: `progress` with
 * `unit`, `completed`, `total` (null for a flow), `current` and `current_agent`.
 */
export function readProgress(answer: UnknownObject, knownTasks: number): Progress | undefined {
  const progress = asObject(answer["progress"]);
  const counted = numberAt(progress, "completed_tasks", "completed");
  const current = textAt(answer, "current_task") ?? textAt(progress, "current", "current_task");
  if (counted === undefined && current === undefined) return undefined;
  const total = numberAt(progress, "total_tasks", "total");
  const currentAgent = textAt(progress, "current_agent");
  return {
    // An answer that only names the current task leaves the tasks it lists to be counted.
    completed: counted ?? knownTasks,
    ...(total === undefined || total === 0 ? {} : { total }),
    unit: shortName(textAt(progress, "unit") ?? "task"),
    ...(current === undefined ? {} : { current }),
    ...(currentAgent === undefined ? {} : { currentAgent: shortName(currentAgent) }),
  };
}

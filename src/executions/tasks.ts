import type { TaskReading } from "../api/types.ts";
import type { Attempt, ExecutionTask, Feedback, TaskSummary } from "./model.ts";
import { isSameOutput } from "./same-output.ts";

type Tasks = readonly ExecutionTask[];

/** The task of this id, where it is known. */
export function taskIn<Task extends TaskSummary>(
  tasks: readonly Task[],
  taskId: string,
): Task | undefined {
  return tasks.find((task) => task.taskId === taskId);
}

/** The tasks with one of them changed; a task that was not known is put at the end. */
export function withTask(
  tasks: Tasks,
  taskId: string,
  change: (task: ExecutionTask) => ExecutionTask,
): Tasks {
  const known = taskIn(tasks, taskId);
  if (known === undefined) {
    return [...tasks, change({ taskId, state: "pending", attempts: [] })];
  }
  return tasks.map((task) => (task === known ? change(task) : task));
}

/** One task is under way: those that ran or waited until now are over. An approved task stays over, whatever a lagging answer names. */
export function moveOn(tasks: Tasks, current: string | undefined): Tasks {
  const settled = tasks.map((task) =>
    task.taskId !== current && isOpen(task) ? { ...task, state: "completed" as const } : task,
  );
  return current === undefined
    ? settled
    : withTask(settled, current, (task) =>
        isApproved(task) ? { ...task, state: "completed" } : { ...task, state: "running" },
      );
}

/** The tasks of an execution that has ended: none is under way any more. */
export function endTasks(tasks: Tasks, end: "completed" | "failed" | "stopped"): Tasks {
  return tasks.map((task) => {
    if (end === "completed") {
      return { ...task, state: "completed" };
    }
    return isOpen(task) ? { ...task, state: end === "failed" ? "failed" : "pending" } : task;
  });
}

/** Adds what a status answer tells of tasks. An output that differs from the last one is another attempt: no output is ever overwritten. */
export function mergeTasks(tasks: Tasks, readings: readonly TaskReading[]): Tasks {
  let merged = tasks;
  for (const reading of readings) {
    merged = withTask(merged, reading.taskId, (task) => ({
      ...task,
      ...(reading.agent === undefined ? {} : { agent: reading.agent }),
      ...(reading.executionTime === undefined ? {} : { executionTime: reading.executionTime }),
      ...(reading.output === undefined
        ? {}
        : {
            state: task.state === "waiting" ? task.state : "completed",
            attempts: withOutput(task.attempts, reading.output),
          }),
    }));
  }
  return merged;
}

/** Puts an output under an attempt's number; the earlier attempts stay with their outputs and feedback. */
export function withAttempt(
  attempts: readonly Attempt[],
  number: number,
  output: string | undefined,
): readonly Attempt[] {
  const others = attempts.filter((attempt) => attempt.number !== number);
  const known = attempts.find((attempt) => attempt.number === number);
  const attempt: Attempt = { ...known, number, ...(output === undefined ? {} : { output }) };
  return [...others, attempt].sort((a, b) => a.number - b.number);
}

/** Writes down what a person said of an attempt. */
export function withFeedback(
  attempts: readonly Attempt[],
  number: number,
  feedback: Feedback,
): readonly Attempt[] {
  return withAttempt(attempts, number, undefined).map((attempt) =>
    attempt.number === number ? { ...attempt, feedback } : attempt,
  );
}

function withOutput(attempts: readonly Attempt[], output: string): readonly Attempt[] {
  const last = attempts.at(-1);
  if (last === undefined) {
    return [{ number: 1, output }];
  }
  if (last.output === undefined) {
    return withAttempt(attempts, last.number, output);
  }
  return isSameOutput(last.output, output)
    ? attempts
    : withAttempt(attempts, last.number + 1, output);
}

function isOpen(task: ExecutionTask): boolean {
  return task.state === "running" || task.state === "waiting";
}

function isApproved(task: ExecutionTask): boolean {
  return task.attempts.at(-1)?.feedback?.isApprove === true;
}

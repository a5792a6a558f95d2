import type { TaskReading } from "../api/types.ts";
import { defined } from "../base/json.ts";
import type {
  Attempt,
  ExecutionSummary,
  ExecutionTask,
  Feedback,
  ResumeSummary,
  TaskSummary,
} from "./model.ts";

type Tasks = readonly ExecutionTask[];

export function taskIn<Task extends TaskSummary>(
  tasks: readonly Task[],
  taskId: string,
): Task | undefined {
  return tasks.find((task) => task.taskId === taskId);
}

export function withTask(
  tasks: Tasks,
  taskId: string,
  change: (task: ExecutionTask) => ExecutionTask,
): Tasks {
  const known = taskIn(tasks, taskId);
  return known === undefined
    ? [...tasks, change({ taskId, state: "pending", attempts: [] })]
    : tasks.map((task) => (task === known ? change(task) : task));
}

/** One task runs: those that ran or waited until now are completed. An approved task stays completed, even if a lagging answer names it. */
export function moveOn(tasks: Tasks, current: string | undefined): Tasks {
  const settled = tasks.map((task) =>
    task.taskId !== current && isOpen(task) ? { ...task, state: "completed" as const } : task,
  );
  if (current === undefined) return settled;
  return withTask(settled, current, (task) => ({
    ...task,
    state: task.attempts.at(-1)?.feedback?.isApprove === true ? "completed" : "running",
  }));
}

export function endTasks(tasks: Tasks, end: "completed" | "failed" | "stopped"): Tasks {
  return tasks.map((task) => {
    if (end === "completed") return { ...task, state: "completed" };
    return isOpen(task) ? { ...task, state: end === "failed" ? "failed" : "pending" } : task;
  });
}

/** Adds the tasks of a status answer. An output that differs from the last one is another attempt: no output is ever overwritten. */
export function mergeTasks(tasks: Tasks, readings: readonly TaskReading[]): Tasks {
  return readings.reduce(
    (merged, { taskId, agent, executionTime, output }) =>
      withTask(merged, taskId, (task) => ({
        ...task,
        ...defined({ agent, executionTime }),
        ...(output !== undefined && {
          state: task.state === "waiting" ? task.state : "completed",
          attempts: withOutput(task.attempts, output),
        }),
      })),
    tasks,
  );
}

/** Adds to an attempt, which may be new; the other attempts keep their outputs and feedback. */
export function withAttempt(
  attempts: readonly Attempt[],
  number: number,
  added: { readonly output?: string | undefined; readonly feedback?: Feedback },
): readonly Attempt[] {
  const known = attempts.find((attempt) => attempt.number === number);
  const others = attempts.filter((attempt) => attempt !== known);
  return [...others, { ...known, number, ...defined(added) }].sort((a, b) => a.number - b.number);
}

function withOutput(attempts: readonly Attempt[], output: string): readonly Attempt[] {
  const last = attempts.at(-1);
  if (last?.output === undefined) return withAttempt(attempts, last?.number ?? 1, { output });
  if (isSameOutput(last.output, output)) return attempts;
  return withAttempt(attempts, last.number + 1, { output });
}

function isOpen({ state }: ExecutionTask): boolean {
  return state === "running" || state === "waiting";
}

/** Two outputs of one task, one after the other. Attempts count from 1. */
export interface AttemptPair extends Pick<ResumeSummary, "taskId" | "attempt"> {
  readonly previous: number;
}

/** Every attempt that can be compared with the one before it. An attempt whose output is not known is skipped. */
export function attemptPairs({ tasks }: Pick<ExecutionSummary, "tasks">): readonly AttemptPair[] {
  return tasks.flatMap(({ taskId, attempts }) => {
    const known = attempts.filter(({ output }) => output !== undefined);
    const numbers = known.map(({ number }) => number);
    const later = numbers.slice(1);
    return later.map((attempt, at) => ({ taskId, previous: numbers[at] ?? attempt, attempt }));
  });
}

/** Whether two outputs are one: crews also report it with blank space around it, other line endings, or inside a Markdown fence (observed). */
export function isSameOutput(one: string, other: string): boolean {
  return one === other || plain(one) === plain(other);
}

function plain(output: string): string {
  const text = output.replace(/\r\n?/g, "\n").trim();
  const [, inside] = /^```[\w-]*[ \t]*\n([^]*)\n[ \t]*```$/.exec(text) ?? [];
  // More than one fence is part of what the crew wrote.
  return inside === undefined || inside.includes("```") ? text : inside.trim();
}

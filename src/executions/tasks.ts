import type { TaskReading } from "../api/types.ts";
import { defined } from "../base/json.ts";
import type { Attempt, ExecutionSummary, ExecutionTask, TaskSummary } from "./model.ts";
import type { ResumeTarget } from "./resumes.ts";

type Tasks = readonly ExecutionTask[];

export function taskIn<Task extends TaskSummary>(tasks: readonly Task[], taskId: string) {
  return tasks.find((task) => task.taskId === taskId);
}

export function attemptAt(tasks: Tasks, { taskId, attempt }: Partial<ResumeTarget>) {
  const task = tasks.find((each) => each.taskId === taskId);
  return task?.attempts.find(({ number }) => number === attempt);
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

export function completeOthers(tasks: Tasks, ...open: readonly unknown[]): Tasks {
  return tasks.map((task) =>
    isOpen(task) && !open.includes(task.taskId) ? { ...task, state: "completed" } : task,
  );
}

/** Completes earlier open tasks. An approved task stays completed, even if the crew lags. */
export function moveOn(tasks: Tasks, current: string | undefined): Tasks {
  const settled = completeOthers(tasks, current);
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

/** A different output is another attempt: outputs are never overwritten. */
export function mergeTasks(tasks: Tasks, readings: readonly TaskReading[]): Tasks {
  return readings.reduce(
    (merged, { taskId, agent, executionTime, output, isSkipped }) =>
      withTask(merged, taskId, (task) => ({
        ...task,
        ...defined({ agent, executionTime }),
        ...(output !== undefined && {
          state: task.state === "waiting" ? task.state : "completed",
          attempts: withOutput(task.attempts, output),
        }),
        // A task of which an output is known was not skipped.
        ...(isSkipped === true &&
          task.attempts.length === 0 && { isSkipped, state: "completed" as const }),
      })),
    tasks,
  );
}

export function withAttempt(
  attempts: readonly Attempt[],
  number: number,
  added: Partial<Pick<Attempt, "feedback" | "isHeard">> & { readonly output?: string | undefined },
): readonly Attempt[] {
  const known = attempts.find((attempt) => attempt.number === number);
  const others = attempts.filter((attempt) => attempt !== known);
  return [...others, { ...known, number, ...defined(added) }].sort((a, b) => a.number - b.number);
}

/** Adds an output to the attempt that has none yet, or as a new attempt. A known one is late, or was overtaken. */
export function withOutput(attempts: readonly Attempt[], output: string): readonly Attempt[] {
  if (attemptWith(attempts, output) !== undefined) return attempts;
  const last = attempts.at(-1);
  // After a rejection, the task has run again.
  const isOpen = last?.output === undefined && last?.feedback?.isApprove !== false;
  const number = last === undefined ? 1 : isOpen ? last.number : last.number + 1;
  return withAttempt(attempts, number, { output });
}

export function attemptWith(attempts: readonly Attempt[], output: string): Attempt | undefined {
  return attempts.findLast(
    (each) => each.output !== undefined && isSameOutput(each.output, output),
  );
}

function isOpen({ state }: ExecutionTask): boolean {
  return state === "running" || state === "waiting";
}

export type AttemptPair = ReturnType<typeof attemptPairs>[number];

/** Each attempt with the previous one that has an output. */
export function attemptPairs({ tasks }: Pick<ExecutionSummary, "tasks">) {
  return tasks.flatMap(({ taskId, attempts }) => {
    const numbers = attempts.flatMap((each) => (each.output === undefined ? [] : each.number));
    const later = numbers.slice(1);
    return later.map((attempt, at) => ({ taskId, previous: numbers[at] ?? attempt, attempt }));
  });
}

/** Crews repeat an output with other white space or a Markdown fence around it (observed). */
export function isSameOutput(one: string, other: string): boolean {
  return one === other || plain(one) === plain(other);
}

function plain(output: string): string {
  const text = output.replace(/\r\n?/g, "\n").trim();
  const [, inside] = /^```[\w-]*[ \t]*\n([^]*)\n[ \t]*```$/.exec(text) ?? [];
  // With several fences, they belong to the output.
  return inside === undefined || inside.includes("```") ? text : inside.trim();
}

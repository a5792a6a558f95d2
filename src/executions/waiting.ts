import type { StatusReading } from "../api/types.ts";
import { type Execution, without } from "./model.ts";
import { resumesOf, settleUnanswered } from "./resumes.ts";
import { taskIn, withAttempt, withTask } from "./tasks.ts";

/** Milliseconds in which a crew that took feedback may still answer with the pause of before. */
const LAG = 10_000;

/** What a status answer says of a pause whose task is known. */
type Pause = NonNullable<StatusReading["waiting"]>;

/** An execution whose crew waits for a person at a task. The output that waits is that of a new attempt, or of one that is known already. */
export function beginsToWait(execution: Execution, pause: Pause, now: number): Execution {
  const { taskId } = pause;
  const attempt = pause.attempt ?? inferAttempt(execution, pause, now);
  if (hasJustBeenAnswered(execution, { taskId, attempt }, now)) {
    return execution; // The crew has not caught up with the feedback yet.
  }
  const { waiting } = execution;
  const isKnown = waiting?.taskId === taskId && waiting.attempt === attempt;
  const isNext = !isKnown && resumesOf(execution, { taskId, attempt }).length === 0;
  const settled = isNext ? settleUnanswered(execution) : execution;
  const tasks = withTask(settled.tasks, taskId, (task) => ({
    ...task,
    state: "waiting",
    attempts: withAttempt(task.attempts, attempt, pause.output),
  }));
  const output = pause.output ?? taskIn(tasks, taskId)?.attempts.find((each) => each.number === attempt)?.output;
  const current = execution.progress?.current;
  return {
    ...without(settled, "mayBeWaiting", "stateText"),
    state: "waiting",
    tasks: tasks.map((task) =>
      task.taskId !== taskId && task.taskId !== current && (task.state === "running" || task.state === "waiting")
        ? { ...task, state: "completed" }
        : task,
    ),
    waiting: {
      taskId,
      attempt,
      since: isKnown ? waiting.since : new Date(now).toISOString(),
      ...(output === undefined ? {} : { output }),
    },
  };
}

/** Crews that do not number their attempts: another output, or feedback in between, is the next one. */
function inferAttempt(execution: Execution, pause: Pause, now: number): number {
  const last = taskIn(execution.tasks, pause.taskId)?.attempts.at(-1);
  if (last === undefined) {
    return 1;
  }
  const isSameOutput = pause.output === undefined || last.output === undefined || last.output === pause.output;
  const target = { taskId: pause.taskId, attempt: last.number };
  const isAnswered = last.feedback !== undefined;
  if (isSameOutput && (!isAnswered || hasJustBeenAnswered(execution, target, now))) {
    return last.number;
  }
  return last.number + 1;
}

function hasJustBeenAnswered(execution: Execution, target: { taskId: string; attempt: number }, now: number): boolean {
  const answered = resumesOf(execution, target).findLast((resume) => resume.outcome === "answered");
  return answered !== undefined && now - Date.parse(answered.feedback.at) < LAG;
}

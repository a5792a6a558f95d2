import type { StatusReading } from "../api/types.ts";
import { type Attempt, type Execution, without } from "./model.ts";
import { crewGoesOn, resumesOf, type ResumeTarget } from "./resumes.ts";
import { isSameOutput } from "./same-output.ts";
import { taskIn, withAttempt, withTask } from "./tasks.ts";

/** Milliseconds in which a crew that was seen to go on may still answer with the pause of before, as one of several servers does. */
const STALE = 10_000;
/** Milliseconds after which a crew that took feedback and reports its pause all the same no longer merely lags. */
const LAG = 60_000;

/** What a status answer says of a pause whose task is known. */
type Pause = NonNullable<StatusReading["waiting"]>;

/**
 * An execution whose crew waits for a person at a task. The output that waits is that of a new attempt, or of one that is known already.
 * Where that was answered, the crew lags; one that goes on reporting the pause waits again, for a person to decide.
 */
export function beginsToWait(execution: Execution, pause: Pause, now: number): Execution {
  const { taskId } = pause;
  const attempt = attemptOf(execution, pause, now);
  const target = { taskId, attempt };
  if (takenFor(execution, target, now, LAG)) {
    return { ...execution, stillPaused: target };
  }
  const { waiting } = execution;
  const isKnown = waiting?.taskId === taskId && waiting.attempt === attempt;
  const isNext = !isKnown && resumesOf(execution, target).length === 0;
  const settled = isNext ? crewGoesOn(execution) : execution;
  const tasks = withTask(settled.tasks, taskId, (task) => ({
    ...task,
    state: "waiting",
    attempts: withAttempt(task.attempts, attempt, pause.output),
  }));
  const output =
    pause.output ?? taskIn(tasks, taskId)?.attempts.find((each) => each.number === attempt)?.output;
  const current = execution.progress?.current;
  return {
    ...without(settled, "mayBeWaiting", "stateText"),
    state: "waiting",
    tasks: tasks.map((task) =>
      task.taskId !== taskId &&
      task.taskId !== current &&
      (task.state === "running" || task.state === "waiting")
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

/** The crew says that it is paused but not at which task. What is known from elsewhere (a callback) stays; just after feedback it lags. */
export function waitsSomewhere(execution: Execution, stateText: string, now: number): Execution {
  if (execution.waiting !== undefined) {
    return { ...execution, state: "waiting" };
  }
  const last = execution.resumes.findLast(({ outcome }) => outcome !== "refused");
  if (last !== undefined && last.isFollowed === undefined && takenFor(execution, last, now, LAG)) {
    return { ...execution, stillPaused: { taskId: last.taskId, attempt: last.attempt } };
  }
  return { ...execution, state: "unknown", mayBeWaiting: true, stateText };
}

/** Which attempt waits, by the crew's own number; one that was answered with another output has become useless as a number. */
function attemptOf(execution: Execution, pause: Pause, now: number): number {
  const numbered = taskIn(execution.tasks, pause.taskId)?.attempts.find(
    (each) => each.number === pause.attempt,
  );
  const isReused = numbered?.feedback !== undefined && !tells(pause, numbered);
  return pause.attempt === undefined || isReused
    ? inferAttempt(execution, pause, now)
    : pause.attempt;
}

/** Crews that do not number their attempts: another output is the next one, and so is the same one where the crew went on in between. */
function inferAttempt(execution: Execution, pause: Pause, now: number): number {
  const { taskId } = pause;
  const last = taskIn(execution.tasks, taskId)?.attempts.at(-1);
  if (last === undefined) {
    return 1;
  }
  if (!tells(pause, last)) {
    return last.number + 1;
  }
  const target = { taskId, attempt: last.number };
  const wentOn = resumesOf(execution, target).some((resume) => resume.isFollowed === true);
  return wentOn && !takenFor(execution, target, now, STALE) ? last.number + 1 : last.number;
}

/** Whether a pause may be about an attempt, by the outputs; one that is not told fits. */
function tells({ output }: Pause, attempt: Attempt): boolean {
  return (
    output === undefined || attempt.output === undefined || isSameOutput(output, attempt.output)
  );
}

/** Whether feedback was taken for an output less than so many milliseconds ago. */
function takenFor(
  execution: Execution,
  target: ResumeTarget,
  now: number,
  within: number,
): boolean {
  const last = resumesOf(execution, target).at(-1);
  return (
    last?.outcome === "answered" && now - Date.parse(last.answeredAt ?? last.feedback.at) < within
  );
}

import type { HeldCall, Question, StatusReading, TaskReading } from "../api/types.ts";
import { defined } from "../base/json.ts";
import { type Execution, hasEnded, without } from "./model.ts";
import { applyReading, confirmKickoff } from "./reduce.ts";
import { crewContinued, isAt, resumesOf, type ResumeTarget, waitsAt } from "./resumes.ts";
import { attemptAt, attemptWith, taskIn, withAttempt, withOutput, withTask } from "./tasks.ts";

export type CallbackReport =
  | ({ readonly kind: "pause"; readonly call?: HeldCall } & Pick<TaskReading, "taskId" | "output"> &
      Partial<Question>)
  | ({ readonly kind: "task" } & TaskReading)
  | { readonly kind: "end"; readonly reading: StatusReading };

/** `now`, when it was received, in milliseconds since 1970. An ended execution only gets outputs. */
export function applyReport(execution: Execution, report: CallbackReport, now: number): Execution {
  if (report.kind === "task") return withTaskReport(execution, report);
  if (report.kind === "pause")
    return hasEnded(execution) ? execution : pauseAt(execution, report, now);
  if (hasEnded(execution)) {
    // Adds what its status has left out.
    const { output, usage, executionTime } = { ...report.reading, ...execution };
    return { ...execution, ...defined({ output, usage, executionTime }) };
  }
  // Only a status reports which callbacks are undelivered, and has the time up to its answer.
  const reading = { ...report.reading, ...defined({ undelivered: execution.undelivered }) };
  return applyReading(without(execution, "executionTime"), reading, now);
}

/** A callback proves that the execution was started: one whose kickoff has no response gets its ID. */
export function startReported(execution: Execution, kickoffId: string): Execution {
  return execution.kickoffIds.length > 0 ? execution : confirmKickoff(execution, kickoffId);
}

/** A known output is a late callback, or one that another answer overtook: it changes no state. */
function withTaskReport(
  execution: Execution,
  { taskId, output, agent, executionTime }: TaskReading,
): Execution {
  const tasks = withTask(execution.tasks, taskId, (known) => {
    const attempts = output === undefined ? known.attempts : withOutput(known.attempts, output);
    const isLate = output !== undefined && attempts === known.attempts;
    const state = isLate || known.state === "waiting" ? known.state : "completed";
    return { ...known, ...defined({ agent, executionTime }), attempts, state };
  });
  const state = execution.state === "queued" ? "running" : execution.state;
  return { ...execution, state, tasks };
}

type Pause = Extract<CallbackReport, { kind: "pause" }>;

/** Status answers of a deployed crew don't report a pause: it stays until the crew continues. */
function pauseAt(execution: Execution, pause: Pause, now: number): Execution {
  const { taskId, output } = pause;
  const number = pausedAttempt(execution, pause);
  if (number === undefined) return execution;
  const target = { taskId, attempt: number };
  if (isAnswered(execution, target)) {
    if (pause.call !== undefined) return execution;
    const tasks = withTask(execution.tasks, taskId, (task) => ({
      ...task,
      attempts: withAttempt(task.attempts, number, { output, isHeard: true }),
    }));
    return { ...execution, tasks };
  }
  const settled = isAt(execution.waiting, target) ? execution : crewContinued(execution);
  return waitsAt(settled, pause, number, now, { isHeard: true });
}

/**
 * The attempt whose pause this is; undefined if a later attempt is known. With the output of an answered
 * attempt, it is the next one's, unless no callback has reported that attempt's pause yet: then it is late.
 */
function pausedAttempt(execution: Execution, { taskId, output }: Pause): number | undefined {
  const attempts = taskIn(execution.tasks, taskId)?.attempts ?? [];
  const last = attempts.at(-1);
  if (last === undefined) return 1;
  const isComparable = output !== undefined && last.output !== undefined;
  const same = isComparable ? attemptWith(attempts, output) : last;
  if (same === undefined) return last.number + 1;
  const isOver = isAnswered(execution, { taskId, attempt: last.number });
  if (isOver && (same.isHeard === true || !isComparable)) return last.number + 1;
  return same === last ? last.number : undefined;
}

function isAnswered(execution: Execution, target: ResumeTarget): boolean {
  const isKnown = attemptAt(execution.tasks, target)?.feedback !== undefined;
  return isKnown || resumesOf(execution, target).length > 0;
}

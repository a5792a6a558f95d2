import { defined } from "../base/json.ts";
import { type Execution, hasEnded, type StateChange, without } from "./model.ts";
import { taskIn } from "./tasks.ts";

const kept = 200;
/** After this time without an answer, a change may be older (ms); polls are a minute apart. */
const longUnseen = 3 * 60_000;

export function withHistory(before: Execution, after: Execution, now: number): Execution {
  const [was, is] = [situationOf(before), situationOf(after)];
  const parts = ["state", "taskId", "attempt", "stateText"] as const;
  if (parts.every((part) => was[part] === is[part])) return after;
  const seen = before.seenAt ?? before.startedAt;
  const notBefore = now - Date.parse(seen) > longUnseen ? seen : undefined;
  const change = { at: new Date(now).toISOString(), ...is, ...defined({ notBefore }) };
  return { ...after, history: [...(after.history ?? []), change].slice(-kept) };
}

function situationOf(execution: Execution): Omit<StateChange, "at" | "notBefore"> {
  const { state, stateText, mayBeWaiting, waiting, progress, tasks } = execution;
  const running = tasks.filter((task) => task.state === "running");
  const current = progress?.current ?? (running.length === 1 ? running[0]?.taskId : undefined);
  // A crew that lags behind an approval may still report that the approved task runs.
  const isDone = current !== undefined && taskIn(tasks, current)?.state === "completed";
  const isKnown = state === "running" && !isDone;
  const { taskId, attempt } =
    state === "waiting" ? { ...waiting } : { taskId: isKnown ? current : undefined };
  return { state, ...defined({ stateText, mayBeWaiting, taskId, attempt }) };
}

/** Keeps the end of an execution, which only these change: outputs, undelivered callbacks, what the person does, a resume with a new ID, and a flow's request. */
export function keepEnd(current: Execution, next: Execution): Execution {
  if (!hasEnded(current) || next.kickoffIds.length > current.kickoffIds.length) return next;
  if (next.requestIds?.length !== current.requestIds?.length) return next;
  const { crew, label, title, pinned, resumes, undelivered } = next;
  const persons = { crew, resumes, ...defined({ label, title, pinned }) };
  const { output, usage, executionTime } = { ...next, ...current };
  const tasks = current.tasks.map((task) => ({
    ...task,
    attempts: next.tasks.find((each) => each.taskId === task.taskId)?.attempts ?? task.attempts,
  }));
  const lateTasks = next.tasks.filter(({ taskId }) => taskIn(tasks, taskId) === undefined);
  const own = without(current, "label", "title", "pinned", "undelivered");
  const late = defined({ output, usage, executionTime, undelivered });
  return { ...own, ...persons, ...late, tasks: [...tasks, ...lateTasks] };
}

import { defined } from "../base/json.ts";
import { type Execution, hasEnded, type StateChange, without } from "./model.ts";

/** State changes kept per execution. */
const kept = 200;
/** After this time without an answer, a change may be older (ms). Polling asks at least once a minute. */
const longUnseen = 3 * 60_000;

/** `now` in milliseconds since 1970. */
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
  const { taskId, attempt } =
    state === "waiting" ? { ...waiting } : { taskId: state === "running" ? current : undefined };
  return { state, ...defined({ stateText, mayBeWaiting, taskId, attempt }) };
}

/** An end is final: only what the person does, or a resume with a new id, changes it. */
export function keepEnd(current: Execution, next: Execution): Execution {
  if (!hasEnded(current) || next.kickoffIds.length > current.kickoffIds.length) return next;
  const { crew, label, title, pinned, watchedSince, resumes } = next;
  const persons = { crew, resumes, ...defined({ label, title, pinned, watchedSince }) };
  const tasks = current.tasks.map((task) => ({
    ...task,
    attempts: next.tasks.find((each) => each.taskId === task.taskId)?.attempts ?? task.attempts,
  }));
  return { ...without(current, "label", "title", "pinned", "watchedSince"), ...persons, tasks };
}

import type { Execution, StateChange } from "./model.ts";

/** Changes of one execution's state that are kept; the oldest go first. */
const KEPT = 200;
/** Milliseconds without an answer after which a change is no longer taken to have happened just when it was seen; the slowest polling asks once a minute. */
const LONG_UNSEEN = 3 * 60_000;

/** An execution with its change of state written down, at `now` (milliseconds since 1970). The same one where the state is what it was. */
export function withHistory(before: Execution, after: Execution, now: number): Execution {
  const [was, is] = [situationOf(before), situationOf(after)];
  if (
    was.state === is.state &&
    was.taskId === is.taskId &&
    was.attempt === is.attempt &&
    was.stateText === is.stateText
  ) {
    return after;
  }
  const seen = before.seenAt ?? before.startedAt;
  const change: StateChange = {
    at: new Date(now).toISOString(),
    ...is,
    ...(now - Date.parse(seen) > LONG_UNSEEN ? { notBefore: seen } : {}),
  };
  return { ...after, history: [...(after.history ?? []), change].slice(-KEPT) };
}

/** What of an execution a history tells. */
function situationOf({
  state,
  stateText,
  mayBeWaiting,
  waiting,
  progress,
  tasks,
}: Execution): Omit<StateChange, "at" | "notBefore"> {
  const running = tasks.filter((task) => task.state === "running");
  const current =
    state === "running"
      ? (progress?.current ?? (running.length === 1 ? running[0]?.taskId : undefined))
      : undefined;
  const taskId = state === "waiting" ? waiting?.taskId : current;
  return {
    state,
    ...(stateText === undefined ? {} : { stateText }),
    ...(mayBeWaiting === undefined ? {} : { mayBeWaiting }),
    ...(taskId === undefined ? {} : { taskId }),
    ...(state === "waiting" && waiting !== undefined ? { attempt: waiting.attempt } : {}),
  };
}

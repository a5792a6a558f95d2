import { isDeepStrictEqual } from "node:util";
import { defined } from "../base/json.ts";
import { type Execution, type ExecutionSummary, hasEnded, without } from "./model.ts";

/** Whether the crew still sends callbacks, as far as it says. */
export function sendsCallbacks({ undelivered = [] }: ExecutionSummary): boolean {
  return undelivered.some(({ isGivenUp }) => isGivenUp !== true);
}

/** Returns the same object if nothing has changed. */
export function withUndelivered(
  execution: Execution,
  undelivered: Execution["undelivered"],
): Execution {
  if (isDeepStrictEqual(execution.undelivered, undelivered)) return execution;
  return { ...without(execution, "undelivered"), ...defined({ undelivered }) };
}

/** Stops polling, because the crew was asked for too long (`now` in milliseconds since 1970). */
export function stopWatching(execution: Execution, now: number): Execution {
  return hasEnded(execution)
    ? withUndelivered(execution, undefined)
    : { ...execution, watchingStoppedAt: new Date(now).toISOString() };
}

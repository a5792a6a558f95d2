import { isDeepStrictEqual } from "node:util";
import { type GivenCallback, givenCallbacks } from "../api/callbacks.ts";
import type { UndeliveredCallbacks } from "../api/types.ts";
import { defined } from "../base/json.ts";
import { isReceiverAddress } from "../base/loopback.ts";
import { type Execution, type ExecutionSummary, hasEnded, without } from "./model.ts";

/** Whether the crew still sends callbacks, as far as it says. */
export function sendsCallbacks({ undelivered = [] }: ExecutionSummary): boolean {
  return undelivered.some(({ isGivenUp }) => isGivenUp !== true);
}

/** By kind, as a kickoff names them. */
const names: ReadonlyMap<string, GivenCallback["name"]> = new Map([
  ["task", "taskWebhookUrl"],
  ["step", "stepWebhookUrl"],
  ["crew", "crewWebhookUrl"],
  ["human_input", "humanInputWebhookUrl"],
  ["events", "webhooks"],
]);

/** Those that have failed. That this machine's own receiver was closed, as without a window, is no failure: it reads the status. */
export function failedCallbacks({ undelivered = [], request }: Execution) {
  const given = givenCallbacks(request?.callbacks ?? {});
  const isOwn = ({ kind }: UndeliveredCallbacks) => {
    const addresses = given.filter(({ name }) => name === names.get(kind));
    return addresses.length > 0 && addresses.every(({ address }) => isReceiverAddress(address));
  };
  return undelivered.filter(
    (each) =>
      // Those that have not failed are on their way.
      each.attempts > 0 && !(isOwn(each) && each.error?.includes("ECONNREFUSED")),
  );
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

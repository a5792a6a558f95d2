import { type ExecutionSummary, isNeverSeen } from "../../executions/model.ts";
import type { TypedCallbacks } from "../callbacks.ts";

/** Why it matters that no callback of the crew can come here. */
export type CallbackHint = "mayNeedPerson" | "hasWaited";

/** Undefined if the crew has run to its end and was never seen to wait. */
export function callbackHint(
  executions: readonly ExecutionSummary[],
  crewId: string,
): CallbackHint | undefined {
  const own = executions.filter(({ crew, origin }) => crew.id === crewId && origin === "kickoff");
  if (own.some(hasWaited)) return "hasWaited";
  return own.some(({ state }) => state === "completed") ? undefined : "mayNeedPerson";
}

function hasWaited(execution: ExecutionSummary): boolean {
  const { waiting, resumes, mayBeWaiting, history = [] } = execution;
  if (waiting !== undefined || resumes.length > 0) return true;
  const waits = [{ state: execution.state, mayBeWaiting }, ...history];
  return (
    !isNeverSeen(execution) &&
    waits.some((each) => each.state === "waiting" || each.mayBeWaiting === true)
  );
}

/** Whether the person named an address of their own, which learns of each pause. */
export function toldElsewhere({ callbacks }: TypedCallbacks): boolean {
  return callbacks.humanInputWebhookUrl.trim() !== "";
}

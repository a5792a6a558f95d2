import { type callbackMembers, callbackNames } from "./callbacks.ts";
import type { CallbackUrls, SecretCallbacks } from "./types.ts";

/** Where Crewdeck receives an execution's callbacks. */
export interface CallbackAddress {
  readonly url: string;
  /** A secret for the event stream. */
  readonly token: string;
}

/** All that are published (vendor's webhook streaming guide) but parts of streamed texts, memory and knowledge. */
const streamedEvents = [
  ...["crew_kickoff_started", "crew_kickoff_completed", "crew_kickoff_failed"],
  ...["task_started", "task_completed", "task_failed"],
  ...["agent_execution_started", "agent_execution_completed", "agent_execution_error"],
  ...["tool_usage_started", "tool_usage_finished", "tool_usage_error"],
  ...["llm_call_started", "llm_call_completed", "llm_call_failed"],
  ...["human_feedback_requested", "human_feedback_received"],
  ...["flow_started", "flow_finished"],
  ...["method_execution_started", "method_execution_finished", "method_execution_failed"],
];

/** The request with this address for each callback that the person left out. */
export function filledCallbacks<Request extends CallbackUrls & SecretCallbacks>(
  request: Request,
  { url, token }: CallbackAddress,
): Request {
  const isTyped = (name: (typeof callbackMembers)[number]) =>
    request[name] !== undefined && request[name] !== "";
  const hasHumanInput = isTyped("humanInputWebhook") || isTyped("humanInputWebhookUrl");
  const left = callbackNames.filter((name) =>
    name === "humanInputWebhookUrl" ? !hasHumanInput : !isTyped(name),
  );
  const authentication = { strategy: "bearer", token } as const;
  const webhooks = { events: streamedEvents, url, realtime: false, authentication };
  return {
    ...request,
    ...Object.fromEntries(left.map((name) => [name, url])),
    ...(!isTyped("webhooks") && { webhooks }),
  };
}

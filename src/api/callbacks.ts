import { defined } from "../base/json.ts";
import type { Basic, Bearer, CallbackUrls, PlainCallbacks, SecretCallbacks } from "./types.ts";

/** In the form's order (specification; the last observed on deployed crews). */
export const callbackNames = [
  "taskWebhookUrl",
  "stepWebhookUrl",
  "crewWebhookUrl",
  "humanInputWebhookUrl",
] as const;

export type CallbackName = (typeof callbackNames)[number];
/** All callback members of a request's body. `humanInputWebhook` authenticates. */
export const callbackMembers = [...callbackNames, "humanInputWebhook", "webhooks"] as const;

export function forEachCallback<T>(valueOf: (name: CallbackName) => T): Record<CallbackName, T> {
  const entries = callbackNames.map((name) => [name, valueOf(name)] as const);
  return Object.fromEntries(entries) as Record<CallbackName, T>;
}

export type GivenCallback = ReturnType<typeof givenCallbacks>[number];

export function givenCallbacks(given: CallbackUrls & PlainCallbacks) {
  return [
    ...callbackNames.map((name) => ({ name, address: given[name] ?? "" })),
    { name: "humanInputWebhookUrl" as const, address: given.humanInputWebhook?.url ?? "" },
    { name: "webhooks" as const, address: given.webhooks?.url ?? "" },
  ].filter(({ address }) => address !== "");
}

export function plainCallbacks({ humanInputWebhook, webhooks }: SecretCallbacks): PlainCallbacks {
  const bearer = { strategy: "bearer" } as const;
  return defined({
    humanInputWebhook:
      humanInputWebhook &&
      withOther(humanInputWebhook, (own) =>
        own.strategy === "basic" ? { strategy: own.strategy, username: own.username } : bearer,
      ),
    webhooks: webhooks && withOther(webhooks, () => bearer),
  });
}

export function secretsOf({ humanInputWebhook, webhooks }: SecretCallbacks) {
  const human = humanInputWebhook?.authentication;
  return defined({
    humanInput: human?.strategy === "basic" ? human.password : human?.token,
    stream: webhooks?.authentication?.token,
  });
}

/** A callback whose secret is missing has no authentication. */
export function withSecrets(
  { humanInputWebhook, webhooks }: PlainCallbacks,
  { humanInput: secret, stream: token }: ReturnType<typeof secretsOf>,
): SecretCallbacks {
  return defined({
    humanInputWebhook:
      humanInputWebhook &&
      withOther(humanInputWebhook, (own): Bearer | Basic | undefined => {
        if (secret === undefined) return undefined;
        return own.strategy === "basic" ? { ...own, password: secret } : { ...own, token: secret };
      }),
    webhooks:
      webhooks &&
      withOther(webhooks, (own) => (token === undefined ? undefined : { ...own, token })),
  });
}

function withOther<Callback extends object, Own, Other>(
  { authentication, ...rest }: Callback & { readonly authentication?: Own },
  change: (authentication: Own) => Other | undefined,
) {
  const other = authentication && change(authentication);
  return { ...rest, ...(other && { authentication: other }) };
}

export interface CallbackAddress {
  readonly url: string;
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

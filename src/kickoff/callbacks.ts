import type { PlainCallbacks, SecretCallbacks } from "../api/types.ts";

/** How a callback authenticates at its receiver (vendor's guides): not at all, by a token, or by a user name and password. */
export const strategies = ["none", "bearer", "basic"] as const;

/** One of {@link strategies}. */
export type Strategy = (typeof strategies)[number];

/** Those that event streaming takes (vendor's webhook streaming guide). */
export const streamingStrategies = strategies.filter((one) => one !== "basic");

/** Strategies as they stand in JSON, for a sentence. */
export function quoted(some: readonly Strategy[]): string {
  return some.map((strategy) => JSON.stringify(strategy)).join(", ");
}

/** What is typed of the human-input callback's authentication, but for its secret. */
export interface HumanInputValues {
  readonly strategy: Strategy;
  /** For `basic`. */
  readonly username: string;
}

/** What is typed of event streaming, but for its secret. */
export interface StreamingValues {
  /** Empty means no streaming. */
  readonly url: string;
  /** Names of events, apart by spaces, commas or lines. */
  readonly events: string;
  /** Whether each event is sent at once and not in batches. */
  readonly realtime: boolean;
  readonly strategy: Exclude<Strategy, "basic">;
}

/** The secrets that a form takes, one for each callback that may need one. */
export const secretNames = ["humanInput", "streaming"] as const;

/** One of {@link secretNames}. */
export type SecretName = (typeof secretNames)[number];

/** Secrets as typed; empty where none is. Only the extension host's memory holds them until they are sent: never a draft, a file or the page's state. */
export type FormSecrets = Readonly<Record<SecretName, string>>;

/** No secret is typed. */
export const noSecrets: FormSecrets = { humanInput: "", streaming: "" };

/** Names of events in a text. */
export function eventsIn(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ""))];
}

/** Callbacks as somebody would have typed them. */
export function typedCallbacks({ humanInputWebhook, webhooks }: PlainCallbacks): {
  humanInput: HumanInputValues;
  streaming: StreamingValues;
} {
  const authentication = humanInputWebhook?.authentication;
  return {
    humanInput: {
      strategy: authentication?.strategy ?? "none",
      username: authentication?.strategy === "basic" ? authentication.username : "",
    },
    streaming: {
      url: webhooks?.url ?? "",
      events: (webhooks?.events ?? []).join("\n"),
      realtime: webhooks?.realtime ?? false,
      strategy: webhooks?.authentication?.strategy ?? "none",
    },
  };
}

/** The human-input callback, where it authenticates; one that does not is a plain address. */
export function plainHumanInput(
  url: string,
  { strategy, username }: HumanInputValues,
): PlainCallbacks["humanInputWebhook"] {
  if (url === "" || strategy === "none") return undefined;
  return { url, authentication: strategy === "basic" ? { strategy, username } : { strategy } };
}

/** Event streaming, where there is any. */
export function plainStreaming({
  url,
  events,
  realtime,
  strategy,
}: StreamingValues): PlainCallbacks["webhooks"] {
  if (url.trim() === "") return undefined;
  return {
    events: eventsIn(events),
    url: url.trim(),
    realtime,
    ...(strategy === "none" ? {} : { authentication: { strategy } }),
  };
}

/** Callbacks with their secrets. */
export function withSecrets(
  { humanInputWebhook, webhooks }: PlainCallbacks,
  secrets: FormSecrets,
): SecretCallbacks {
  const bearer = (token: string) => ({ strategy: "bearer", token }) as const;
  const human = humanInputWebhook?.authentication;
  const authentication =
    human?.strategy === "basic"
      ? { ...human, password: secrets.humanInput }
      : bearer(secrets.humanInput);
  return {
    ...(humanInputWebhook && {
      humanInputWebhook: { url: humanInputWebhook.url, ...(human && { authentication }) },
    }),
    ...(webhooks && {
      webhooks: completeStreaming(webhooks, webhooks.authentication && bearer(secrets.streaming)),
    }),
  };
}

/** The secrets in callbacks that a program gave. */
export function secretsIn({
  humanInputWebhook,
  webhooks,
}: SecretCallbacks | PlainCallbacks): FormSecrets {
  return {
    humanInput: secretOf(humanInputWebhook?.authentication),
    streaming: secretOf(webhooks?.authentication),
  };
}

function secretOf(authentication: object | undefined): string {
  const { token, password }: { token?: unknown; password?: unknown } = authentication ?? {};
  const secret = token ?? password;
  return typeof secret === "string" ? secret : "";
}

function completeStreaming(
  { events, url, realtime }: NonNullable<PlainCallbacks["webhooks"]>,
  authentication: { readonly strategy: "bearer"; readonly token: string } | undefined,
): NonNullable<SecretCallbacks["webhooks"]> {
  return {
    events,
    url,
    ...(realtime === undefined ? {} : { realtime }),
    ...(authentication && { authentication }),
  };
}

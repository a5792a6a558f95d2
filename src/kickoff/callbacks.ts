import { withSecrets } from "../api/callbacks.ts";
import { defined } from "../base/json.ts";
import type { CallbackUrls, KickoffRequest, PlainCallbacks } from "../api/types.ts";

/** The callbacks that are only an address, in the order of the form (specification; the last observed on deployed crews). */
export const callbackNames = [
  "taskWebhookUrl",
  "stepWebhookUrl",
  "crewWebhookUrl",
  "humanInputWebhookUrl",
] as const satisfies readonly (keyof CallbackUrls)[];

export type CallbackName = (typeof callbackNames)[number];
/** All members of a kickoff's body that are callbacks. The human-input callback is `humanInputWebhook` if it authenticates. */
export const callbackMembers = [...callbackNames, "humanInputWebhook", "webhooks"] as const;

/** How a callback authenticates at its receiver (vendor's guides). */
export const strategies = ["none", "bearer", "basic"] as const;
export type Strategy = (typeof strategies)[number];
/** Those of event streaming (vendor's webhook streaming guide). */
export const streamingStrategies = strategies.filter((one) => one !== "basic");

export const secretNames = ["humanInput", "streaming"] as const;
export type SecretName = (typeof secretNames)[number];
/** Secrets as typed; "" for none. They are only in the extension host's memory until they are sent: never in a draft, a file or the page's state. */
export type FormSecrets = Readonly<Record<SecretName, string>>;
export const noSecrets: FormSecrets = { humanInput: "", streaming: "" };

/** Callbacks as typed in the form, without secrets; an empty address is none. */
export interface TypedCallbacks {
  readonly callbacks: Readonly<Record<CallbackName, string>>;
  readonly humanInput: { readonly strategy: Strategy; readonly username: string };
  readonly streaming: {
    readonly url: string;
    /** Names separated by spaces, commas or lines. */
    readonly events: string;
    /** Whether each event is sent at once, not in batches. */
    readonly realtime: boolean;
    readonly strategy: Exclude<Strategy, "basic">;
  };
}

/** Values that a command, a preset, a file or an earlier request gives, without secrets. */
export type Prefill = Partial<Pick<KickoffRequest, "inputs" | "meta" | CallbackName>> &
  PlainCallbacks;

export function forEachCallback<T>(valueOf: (name: CallbackName) => T): Record<CallbackName, T> {
  const entries = callbackNames.map((name) => [name, valueOf(name)] as const);
  return Object.fromEntries(entries) as Record<CallbackName, T>;
}

export const noCallbacks: TypedCallbacks = {
  callbacks: forEachCallback(() => ""),
  humanInput: { strategy: "none", username: "" },
  streaming: { url: "", events: "", realtime: false, strategy: "none" },
};

export function eventsIn(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ""))];
}

/** Callbacks as typed in the form, where given ones replace those before. */
export function typedCallbacks(
  given: CallbackUrls & PlainCallbacks,
  before: TypedCallbacks = noCallbacks,
): TypedCallbacks {
  const { humanInputWebhook, webhooks } = given;
  const human = humanInputWebhook?.authentication;
  const urls = {
    ...given,
    ...(humanInputWebhook && { humanInputWebhookUrl: humanInputWebhook.url }),
  };
  return {
    callbacks: forEachCallback((name) => urls[name] ?? before.callbacks[name]),
    // An address alone doesn't authenticate.
    humanInput:
      urls.humanInputWebhookUrl === undefined
        ? before.humanInput
        : {
            strategy: human?.strategy ?? "none",
            username: human?.strategy === "basic" ? human.username : "",
          },
    streaming:
      webhooks === undefined
        ? before.streaming
        : {
            url: webhooks.url,
            events: webhooks.events.join("\n"),
            realtime: webhooks.realtime ?? false,
            strategy: webhooks.authentication?.strategy ?? "none",
          },
  };
}

/** Callbacks as members of a kickoff's body, without secrets; also events that have no address yet. */
export function writeCallbacks({
  callbacks,
  humanInput: { strategy, username },
  streaming,
}: TypedCallbacks): CallbackUrls & PlainCallbacks {
  const { humanInputWebhookUrl: url, ...urls }: CallbackUrls = Object.fromEntries(
    callbackNames
      .map((name) => [name, callbacks[name].trim()] as const)
      .filter(([, address]) => address !== ""),
  );
  const [events, streamUrl] = [eventsIn(streaming.events), streaming.url.trim()];
  return {
    ...urls,
    ...(url !== undefined && strategy === "none" && { humanInputWebhookUrl: url }),
    ...(url !== undefined &&
      strategy !== "none" && {
        humanInputWebhook: {
          url,
          authentication: strategy === "basic" ? { strategy, username } : { strategy },
        },
      }),
    ...((streamUrl !== "" || events.length > 0) && {
      webhooks: {
        events,
        url: streamUrl,
        realtime: streaming.realtime,
        ...(streaming.strategy !== "none" && {
          authentication: { strategy: streaming.strategy },
        }),
      },
    }),
  };
}

export function toCallbacks(typed: TypedCallbacks): CallbackUrls & PlainCallbacks {
  const { webhooks, ...others } = writeCallbacks(typed);
  return webhooks === undefined || webhooks.url === "" ? others : { ...others, webhooks };
}

export function requestWith(
  values: Prefill,
  { humanInput, streaming }: FormSecrets = noSecrets,
): KickoffRequest {
  const { inputs = {}, humanInputWebhook, webhooks, ...others } = values;
  const plain = defined({ humanInputWebhook, webhooks });
  return { inputs, ...others, ...withSecrets(plain, { humanInput, stream: streaming }) };
}

export type AskedCallback = ReturnType<typeof askedCallbacks>[number];

/** What callbacks ask a crew to send and where, in the order of the form. */
export function askedCallbacks(given: CallbackUrls & PlainCallbacks) {
  return [
    ...callbackNames.map((name) => ({ name, address: given[name] ?? "" })),
    { name: "humanInputWebhookUrl" as const, address: given.humanInputWebhook?.url ?? "" },
    { name: "webhooks" as const, address: given.webhooks?.url ?? "" },
  ].filter(({ address }) => address !== "");
}

export type AddressFault = { readonly kind: "notAnAddress" | "notHttp" | "credentials" };

/** Checks a callback's address: empty, or an absolute http or https address without a name and password, which would be stored. */
export function checkAddress(text: string): AddressFault | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  // "https:host" and "localhost:8080" are valid URLs, but no crew can call them.
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#]/i.test(trimmed) || !URL.canParse(trimmed))
    return { kind: "notAnAddress" };
  const { protocol, username, password } = new URL(trimmed);
  if (protocol !== "https:" && protocol !== "http:") return { kind: "notHttp" };
  return username === "" && password === "" ? undefined : { kind: "credentials" };
}

/** An address without its name and password, as it may be stored; "" if these can't be told from the rest. */
export function keptAddress(text: string): string {
  const problem = checkAddress(text);
  if (problem?.kind !== "credentials")
    return problem !== undefined && text.includes("@") ? "" : text;
  const address = new URL(text.trim());
  address.username = address.password = "";
  return address.href;
}

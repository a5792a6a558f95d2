import * as l10n from "@vscode/l10n";
import { callbackNames, forEachCallback } from "../api/callbacks.ts";
import type {
  CallbackUrls,
  KickoffRequest,
  PlainCallbacks,
  RunAgainFrom,
  SecretCallbacks,
} from "../api/types.ts";
import { defined } from "../base/json.ts";

// The browser side may import only this room.
export { callbackNames, type CallbackName, forEachCallback } from "../api/callbacks.ts";

/** How a callback authenticates (vendor's guides); event streaming only by `bearer`. */
export const strategies = ["bearer", "basic"] as const;

export const secretNames = ["humanInput", "streaming"] as const;
export type SecretName = (typeof secretNames)[number];
/** In the extension host's memory only, until sent. */
export type FormSecrets = Readonly<Partial<Record<SecretName, string>>>;

/**
 * What is typed of callbacks; "" for none. `strategy` and `username` are of the human input callback. `events` are
 * separated by spaces, commas or lines; `realtime` is "true" to send each at once, not in batches.
 */
export const callbackTexts = [
  ...callbackNames,
  "strategy",
  "username",
  "streamingUrl",
  "events",
  "realtime",
  "streamingStrategy",
] as const;
type TypedCallbacks = Readonly<Record<(typeof callbackTexts)[number], string>>;

export function blankTexts<Name extends string>(names: readonly Name[]): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, ""])) as Record<Name, string>;
}

export type Prefill = Partial<Omit<KickoffRequest, keyof SecretCallbacks | "runAgain">> &
  PlainCallbacks & { readonly from?: RunFrom };

/** An execution that runs again from a task, and the outputs of the tasks before it. */
export interface RunFrom extends Pick<RunAgainFrom, "executionId" | "taskId"> {
  readonly title: string;
  readonly outputs: readonly {
    readonly taskId: string;
    readonly text: string;
    /** Only these are sent; the service has the others. */
    readonly isEdited?: true;
  }[];
}

function eventsIn(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ""))];
}

/** Given callbacks replace those in `before`. */
export function typedCallbacks(
  given: CallbackUrls & PlainCallbacks,
  before: TypedCallbacks = blankTexts(callbackTexts),
): TypedCallbacks {
  const { humanInputWebhook: human, webhooks: stream } = given;
  const own = human?.authentication;
  // An address alone doesn't authenticate.
  const hasHuman = human !== undefined || given.humanInputWebhookUrl !== undefined;
  return {
    ...before,
    ...defined(forEachCallback((name) => given[name])),
    ...(human && { humanInputWebhookUrl: human.url }),
    ...(hasHuman && {
      strategy: own?.strategy ?? "",
      username: own?.strategy === "basic" ? own.username : "",
    }),
    ...(stream && {
      streamingUrl: stream.url,
      events: stream.events.join("\n"),
      realtime: stream.realtime === true ? "true" : "",
      streamingStrategy: stream.authentication?.strategy ?? "",
    }),
  };
}

export function toCallbacks(typed: TypedCallbacks): CallbackUrls & PlainCallbacks {
  const { humanInputWebhookUrl: url, ...urls } = forEachCallback(
    (name) => typed[name].trim() || undefined,
  );
  const { strategy, username } = typed;
  const authentication =
    strategy === "basic" ? ({ strategy, username } as const) : ({ strategy: "bearer" } as const);
  const streamingUrl = typed.streamingUrl.trim();
  return {
    ...defined(urls),
    ...(url !== undefined &&
      (strategy === ""
        ? { humanInputWebhookUrl: url }
        : { humanInputWebhook: { url, authentication } })),
    ...(streamingUrl !== "" && {
      webhooks: {
        events: eventsIn(typed.events),
        url: streamingUrl,
        realtime: typed.realtime !== "",
        ...(typed.streamingStrategy !== "" && { authentication: { strategy: "bearer" } }),
      },
    }),
  };
}

/** "https:host" and "localhost:8080" are valid URLs, but no crew can call them. */
function addressIn(text: string): URL | undefined {
  const trimmed = text.trim();
  return /^https?:\/\/[^/?#]/i.test(trimmed) && URL.canParse(trimmed)
    ? new URL(trimmed)
    : undefined;
}

function hasPassword({ username, password }: URL): boolean {
  return username !== "" || password !== "";
}

/** It is stored. None for "". */
export function addressFault(text: string): string | undefined {
  const address = addressIn(text);
  if (text.trim() === "" || (address !== undefined && !hasPassword(address))) return undefined;
  return l10n.t(
    "Enter a whole address, such as https://example.com/callback, without a name and password in it.",
  );
}

/** What is wrong with what is typed, by its part; if it `isMissing`, it may still be typed. */
export function callbackFaults(typed: TypedCallbacks) {
  const faults = new Map<keyof TypedCallbacks, { text: string; isMissing?: boolean }>();
  const { strategy, username, humanInputWebhookUrl, streamingUrl } = typed;
  const hasEvents = eventsIn(typed.events).length > 0;
  const streams = streamingUrl.trim() !== "";
  const pair = l10n.t("Event streaming needs an address and the names of events.");
  for (const name of [...callbackNames, "streamingUrl"] as const) {
    // Not only missing: the events would be dropped from what a tool saves.
    const isDropped = name === "streamingUrl" && hasEvents && !streams;
    const text = isDropped ? pair : addressFault(typed[name]);
    if (text !== undefined) faults.set(name, { text });
  }
  if (humanInputWebhookUrl.trim() !== "" && strategy === "basic" && username === "")
    faults.set("username", { text: l10n.t("Enter the user name."), isMissing: true });
  if (streams && !hasEvents) faults.set("events", { text: pair, isMissing: true });
  return faults;
}

/** An address without credentials, as it may be stored; "" if they can't be separated. */
export function keptAddress(text: string): string {
  const address = addressIn(text);
  if (address === undefined) return text.includes("@") ? "" : text;
  if (!hasPassword(address)) return text;
  address.username = address.password = "";
  return address.href;
}

/** A secret's strategy and its address's origin, empty until the address is complete. */
export function targetOf(name: SecretName, typed: TypedCallbacks): string {
  return name === "humanInput"
    ? `${typed.strategy} ${addressIn(typed.humanInputWebhookUrl)?.origin ?? ""}`
    : `${typed.streamingStrategy} ${addressIn(typed.streamingUrl)?.origin ?? ""}`;
}

import { callbackNames, type CallbackName, forEachCallback } from "../api/callbacks.ts";
import type { CallbackUrls, KickoffRequest, PlainCallbacks, RunAgainFrom } from "../api/types.ts";

// The browser side may import only this room.
export { callbackNames, type CallbackName, forEachCallback };

/** How a callback authenticates (vendor's guides). */
export const strategies = ["none", "bearer", "basic"] as const;
export type Strategy = (typeof strategies)[number];
/** Those of event streaming (vendor's webhook streaming guide). */
export const streamingStrategies = strategies.filter((one) => one !== "basic");

export const secretNames = ["humanInput", "streaming"] as const;
export type SecretName = (typeof secretNames)[number];
/** Typed secrets; "" for none. In the extension host's memory only, until sent. */
export type FormSecrets = Readonly<Record<SecretName, string>>;
export const noSecrets: FormSecrets = { humanInput: "", streaming: "" };

/** Typed callbacks without secrets; an empty address is none. */
export interface TypedCallbacks {
  readonly callbacks: Readonly<Record<CallbackName, string>>;
  readonly humanInput: { readonly strategy: Strategy; readonly username: string };
  readonly streaming: {
    readonly url: string;
    /** Separated by spaces, commas or lines. */
    readonly events: string;
    /** Send each event at once, not in batches. */
    readonly realtime: boolean;
    readonly strategy: Exclude<Strategy, "basic">;
  };
}

/** Values from a command, preset, file or earlier request, without secrets. */
export type Prefill = Partial<
  Pick<KickoffRequest, "inputs" | "meta" | "restoreFromStateId" | "extra" | CallbackName>
> &
  PlainCallbacks & { readonly from?: RunFrom };

/** An execution that runs again from a task, and the outputs of the tasks before it. */
export interface RunFrom extends Pick<RunAgainFrom, "executionId" | "taskId"> {
  /** Of the execution. */
  readonly title: string;
  readonly outputs: readonly {
    readonly taskId: string;
    readonly text: string;
    /** Only these are sent; the service has the others. */
    readonly isEdited?: true;
  }[];
}

export const noCallbacks: TypedCallbacks = {
  callbacks: forEachCallback(() => ""),
  humanInput: { strategy: "none", username: "" },
  streaming: { url: "", events: "", realtime: false, strategy: "none" },
};

export function eventsIn(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ""))];
}

/** Given callbacks replace those in `before`. */
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

/** Without secrets. */
export function toCallbacks({
  callbacks,
  humanInput: { strategy, username },
  streaming,
}: TypedCallbacks): CallbackUrls & PlainCallbacks {
  const { humanInputWebhookUrl: url, ...urls }: CallbackUrls = Object.fromEntries(
    callbackNames
      .map((name) => [name, callbacks[name].trim()] as const)
      .filter(([, address]) => address !== ""),
  );
  const streamUrl = streaming.url.trim();
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
    ...(streamUrl !== "" && {
      webhooks: {
        events: eventsIn(streaming.events),
        url: streamUrl,
        realtime: streaming.realtime,
        ...(streaming.strategy !== "none" && {
          authentication: { strategy: streaming.strategy },
        }),
      },
    }),
  };
}

export type AddressFault = { readonly kind: "notAnAddress" | "notHttp" | "credentials" };

/** Empty, or absolute http or https, without credentials, since it is stored. */
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

/** An address without credentials, as it may be stored; "" if they can't be separated. */
export function keptAddress(text: string): string {
  const problem = checkAddress(text);
  if (problem?.kind !== "credentials")
    return problem !== undefined && text.includes("@") ? "" : text;
  const address = new URL(text.trim());
  address.username = address.password = "";
  return address.href;
}

import type { JsonObject } from "../api/types.ts";
import { callbackNames, type CallbackName } from "./callback-names.ts";
import type { CallbacksReading } from "./kickoff-json.ts";
import { eventsIn, plainHumanInput } from "./callbacks.ts";
import type { FormValues } from "./form/values.ts";

type Typed = Pick<FormValues, "callbacks" | "humanInput" | "streaming">;

/** The callbacks as members of a kickoff's body, without secrets: as they are sent, and events that have no address yet. */
export function writeCallbacks({ callbacks, humanInput, streaming }: Typed): JsonObject {
  const written = callbackNames.map((name) =>
    name === "humanInputWebhookUrl"
      ? writtenHumanInput({ callbacks, humanInput })
      : writtenAddress(name, callbacks),
  );
  return Object.fromEntries(
    [...written, writtenStreaming(streaming)].flatMap((each) => Object.entries(each)),
  );
}

/** Callbacks as they were read; one that stands there as it was stays as it was typed. */
export function keepCallbacks(before: Typed, now: Pick<CallbacksReading, keyof Typed>): Typed {
  const [wasHumanInput, wasStreaming] = [
    isSame(writtenHumanInput(before), writtenHumanInput(now)),
    isSame(writtenStreaming(before.streaming), writtenStreaming(now.streaming)),
  ];
  const kept = (name: CallbackName) =>
    (before.callbacks[name].trim() === now.callbacks[name] ? before : now).callbacks[name];
  return {
    callbacks: {
      taskWebhookUrl: kept("taskWebhookUrl"),
      stepWebhookUrl: kept("stepWebhookUrl"),
      crewWebhookUrl: kept("crewWebhookUrl"),
      humanInputWebhookUrl: kept("humanInputWebhookUrl"),
    },
    humanInput: (wasHumanInput ? before : now).humanInput,
    streaming: (wasStreaming ? before : now).streaming,
  };
}

function writtenAddress(name: CallbackName, callbacks: Typed["callbacks"]): JsonObject {
  const address = callbacks[name].trim();
  return address === "" ? {} : { [name]: address };
}

function writtenHumanInput({
  callbacks,
  humanInput,
}: Pick<Typed, "callbacks" | "humanInput">): JsonObject {
  const humanInputWebhook = plainHumanInput(callbacks.humanInputWebhookUrl.trim(), humanInput);
  return humanInputWebhook === undefined
    ? writtenAddress("humanInputWebhookUrl", callbacks)
    : { humanInputWebhook };
}

function writtenStreaming({ url, events, realtime, strategy }: Typed["streaming"]): JsonObject {
  const names = eventsIn(events);
  if (url.trim() === "" && names.length === 0) return {};
  return {
    webhooks: {
      events: names,
      url: url.trim(),
      realtime,
      ...(strategy === "none" ? {} : { authentication: { strategy } }),
    },
  };
}

function isSame(one: JsonObject, other: JsonObject): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

import * as l10n from "@vscode/l10n";
import type { CallbackUrls, PlainCallbacks } from "../api/types.ts";
import { callbackNames, type CallbackName } from "./callback-names.ts";

/** Something that a crew is asked to send, by its name in the request, and where to: the address as the crew gets it. */
export interface AskedCallback {
  readonly name: CallbackName | "webhooks";
  readonly address: string;
}

/** Characters of an address that are shown; a dialog grows with its text, and would grow out of the window. */
const longest = 300;

/** What callbacks ask a crew to send, in the order of the form. */
export function askedCallbacks({
  humanInputWebhook,
  webhooks,
  ...urls
}: CallbackUrls & PlainCallbacks): readonly AskedCallback[] {
  const all: readonly {
    readonly name: AskedCallback["name"];
    readonly address: string | undefined;
  }[] = [
    ...callbackNames.map((name) => ({ name, address: urls[name] })),
    { name: "humanInputWebhookUrl", address: humanInputWebhook?.url },
    { name: "webhooks", address: webhooks?.url },
  ];
  return all.flatMap(({ name, address = "" }) => (address === "" ? [] : [{ name, address }]));
}

/** Callbacks as a person reads them in a question, one on each line. */
export function callbacksInWords(callbacks: readonly AskedCallback[]): string {
  return callbacks
    .map(
      ({ name, address }) => `• ${l10n.t("{0}, to {1}", whatInWords(name), shownAddress(address))}`,
    )
    .join("\n");
}

/** An address character by character: one that reads like another, or hides or turns others around, is shown as an escape. */
function shownAddress(address: string): string {
  const plain = address.replace(
    /[^\x21-\x7e]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return plain.length <= longest
    ? plain
    : `${plain.slice(0, longest)} … ${l10n.t("({0} more characters, not shown)", plain.length - longest)}`;
}

function whatInWords(name: AskedCallback["name"]): string {
  switch (name) {
    case "taskWebhookUrl":
      return l10n.t("the output of each task");
    case "stepWebhookUrl":
      return l10n.t("each step of an agent, with its thoughts and tools");
    case "crewWebhookUrl":
      return l10n.t("the result");
    case "humanInputWebhookUrl":
      return l10n.t("each output that waits for a person");
    case "webhooks":
      return l10n.t("the events of the execution as they happen");
  }
}

import * as l10n from "@vscode/l10n";
import type { GivenCallback } from "../api/callbacks.ts";
import type { JsonObject, JsonValue } from "../api/types.ts";
import { oneLine, shortened } from "../base/text.ts";
import type { AddressFault } from "./callbacks.ts";
import type { CallbackHint } from "./form/hints.ts";
import type { FormView } from "./form/messages.ts";

/** Of the tab and the page. */
export function formTitle(view: FormView): string {
  const { name } = view.crew;
  return view.kind === "form" && view.draft.values.from !== undefined
    ? l10n.t("Run {0} again", name)
    : l10n.t("Kick off {0}", name);
}

/** @param moved names of members that became `extra` */
export function pastedText(moved: readonly string[]): string {
  return moved.length === 0
    ? l10n.t("Filled in with the pasted kickoff.")
    : l10n.t(
        "Filled in with the pasted kickoff. Its members that Crewdeck doesn't know are now in “Extra”: {0}.",
        oneLine(moved.join(", "), 300),
      );
}

export function hintText(hint: CallbackHint): string {
  return hint === "hasWaited"
    ? l10n.t(
        "This crew has waited for a person before. It reports that only by callback, and no callback can reach this machine.",
      )
    : l10n.t(
        "If a task waits for you, this crew reports it only by callback, and no callback can reach this machine.",
      );
}

export const hintActionNames = ["setUp", "test", "hide"] as const;
export type HintAction = (typeof hintActionNames)[number];

export function hintActions(): Readonly<Record<HintAction, string>> {
  return {
    setUp: l10n.t("Set Up Callbacks…"),
    test: l10n.t("Test Callbacks"),
    hide: l10n.t("Don't Show Again"),
  };
}

export function addressFaultText(kind: AddressFault["kind"]): string {
  const texts = {
    notAnAddress: l10n.t("Enter a whole address, such as https://example.com/callback."),
    notHttp: l10n.t("The address must begin with https:// or http://."),
    credentials: l10n.t("Remove the name and password: this address is saved on disk."),
  };
  return texts[kind];
}

export function keepChangedText(): string {
  return l10n.t(
    "If you run it anyway, the outputs of changed tasks are kept, and those of tasks that no longer run before it are left out.",
  );
}

export function callbacksText(callbacks: readonly GivenCallback[]): string {
  const sent = {
    taskWebhookUrl: l10n.t("the output of each task"),
    stepWebhookUrl: l10n.t("each step of an agent, with its thoughts and tools"),
    crewWebhookUrl: l10n.t("the result"),
    humanInputWebhookUrl: l10n.t("each output that waits for a person"),
    webhooks: l10n.t("the events of the execution as they happen"),
  };
  return callbacks
    .map(({ name, address }) => `• ${l10n.t("{0}, to {1}", sent[name], shown(address))}`)
    .join("\n");
}

/** Escapes characters that look like others, or hide or reorder others. */
function shown(address: string): string {
  const plain = address.replace(
    /[^\x21-\x7e]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
  // A dialog grows with its text.
  return shortened(plain, 300);
}

/** On one line; a blank text in quotes. */
export function valueInShort(value: JsonValue, longest = 80): string {
  const line = typeof value === "string" ? oneLine(value, longest) : "";
  return line === "" ? oneLine(JSON.stringify(value), longest) : line;
}

export function inputsInShort(inputs: JsonObject, most = 12): readonly string[] {
  const lines = Object.entries(inputs).map(
    ([name, value]) => `${valueInShort(name, 40)}: ${valueInShort(value)}`,
  );
  return lines.length <= most ? lines : [...lines.slice(0, most), "…"];
}

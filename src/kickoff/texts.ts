import * as l10n from "@vscode/l10n";
import type { GivenCallback } from "../api/callbacks.ts";
import type { JsonObject, JsonValue } from "../api/types.ts";
import { oneLine, shortened, visible } from "../base/text.ts";

export function formTitle(name: string, isAgain = false): string {
  return isAgain ? l10n.t("Run {0} again", name) : l10n.t("Kick off {0}", name);
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
  // Without characters that look like others, or hide or reorder others. A dialog grows with its text.
  const shown = (address: string) => shortened(visible(address, /[^\x21-\x7e]/gu), 300);
  return callbacks
    .map(({ name, address }) => `• ${l10n.t("{0}, to {1}", sent[name], shown(address))}`)
    .join("\n");
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

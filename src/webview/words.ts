import type { FormTexts } from "../kickoff/form-texts.ts";
import type { JsonFault } from "../kickoff/json.ts";
import type { Fault } from "../kickoff/validate.ts";

/** A text with its `{0}`, `{1}` … filled in. */
export function fill(text: string, ...values: readonly (string | number)[]): string {
  return text.replace(/\{(\d)\}/g, (mark, index: string) => String(values[Number(index)] ?? mark));
}

/** What is wrong with a field, for a person. */
export function faultText(fault: Fault, texts: FormTexts): string {
  if (fault.kind !== "notJson") return texts.faults[fault.kind];
  return jsonFaultText(fault.at, texts);
}

/** Where a text stops being JSON that can be sent, for a person. */
export function jsonFaultText({ line, column, expected }: JsonFault, texts: FormTexts): string {
  return fill(expected === "exactNumber" ? texts.faultAt : texts.notJson, line, column, texts.expected[expected]);
}

/** The keys that kick off, as this system writes them. */
export function submitKeys(): string {
  return /mac/i.test(navigator.userAgent) ? "⌘Enter" : "Ctrl+Enter";
}

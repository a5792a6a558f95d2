import { fill } from "../kickoff/fill.ts";
import type { FormTexts } from "../kickoff/form-texts.ts";
import type { JsonFault } from "../kickoff/json.ts";
import type { JsonViewFault } from "../kickoff/json-view.ts";
import { quoted } from "../kickoff/secret-callbacks.ts";
import type { Fault } from "../kickoff/validate.ts";

/** What is wrong with a field, for a person. */
export function faultText(fault: Fault, texts: FormTexts): string {
  if (fault.kind !== "notJson") return texts.faults[fault.kind];
  return jsonFaultText(fault.at, texts);
}

/** Where a text stops being JSON that can be sent, for a person. */
export function jsonFaultText({ line, column, expected }: JsonFault, texts: FormTexts): string {
  return fill(
    expected === "exactNumber" ? texts.faultAt : texts.notJson,
    line,
    column,
    texts.expected[expected],
  );
}

/** What is wrong with the text of the JSON view, for a person. */
export function jsonViewFaultText(fault: JsonViewFault, texts: FormTexts): string {
  return fault.kind === "notJson"
    ? jsonFaultText(fault, texts)
    : fill(texts.faultAt, fault.line, fault.column, problemOf(fault, texts));
}

function problemOf(
  fault: Exclude<JsonViewFault, { readonly kind: "notJson" }>,
  texts: FormTexts,
): string {
  switch (fault.kind) {
    case "address":
      return texts.faults[fault.fault];
    case "wrongType":
      return fill(texts.jsonTypes[fault.wanted], fault.name);
    case "wrongStrategy":
      return fill(texts.jsonFaults.wrongStrategy, quoted(fault.wanted));
    case "noInputs":
    case "notAnObject":
    case "tooDeep":
      return texts.jsonFaults[fault.kind];
    default:
      return fill(texts.jsonFaults[fault.kind], fault.name);
  }
}

/** The keys that kick off, as this system writes them. */
export function submitKeys(): string {
  return /mac/i.test(navigator.userAgent) ? "⌘Enter" : "Ctrl+Enter";
}

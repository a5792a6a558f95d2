import * as vscode from "vscode";
import type { JsonValue } from "../../api/types.ts";
import { fill } from "../fill.ts";
import { quoted } from "../callbacks.ts";
import { formTexts } from "../texts.ts";
import type { InputFault } from "./check-inputs.ts";
import type { FileFault } from "./request-file.ts";

/** What can be wrong with a request file, its crew and inputs included. */
export type RequestFault =
  | FileFault
  | InputFault
  | { readonly kind: "unknownCrew"; readonly name: string; readonly at: FileFault["at"] };

/** A fault as a sentence for a person. */
export function faultInWords(fault: RequestFault): string {
  switch (fault.kind) {
    case "syntax":
      return vscode.l10n.t("This is not JSON: {0}", formTexts().expected[fault.expected]);
    case "tooDeep":
      return vscode.l10n.t("This is nested too deeply.");
    case "notAnObject":
      return vscode.l10n.t(
        "A request file is a JSON object, such as {0}.",
        '{"crew": "Travel", "inputs": {}}',
      );
    case "noCrew":
      return vscode.l10n.t("“crew” is missing: the name or address of a connected crew.");
    case "wrongType":
      return fill(formTexts().jsonTypes[fault.wanted], fault.name);
    case "unknownMember":
      return vscode.l10n.t(
        "A request file has no “{0}”. What the crew asks for stands in “inputs”.",
        fault.name,
      );
    case "secret":
      return vscode.l10n.t(
        "A request file holds no secrets, since it is shared: take “{0}” out. The crew's token is kept by Crewdeck, and a callback's secret is entered in the form.",
        fault.name,
      );
    case "address":
      return `“${fault.name}”: ${formTexts().faults[fault.fault]}`;
    case "otherPart":
    case "twice":
    case "sameCallback":
    case "missingPart":
      return fill(formTexts().jsonFaults[fault.kind], fault.name);
    case "wrongStrategy":
      return fill(formTexts().jsonFaults.wrongStrategy, quoted(fault.wanted));
    case "unknownCrew":
      return vscode.l10n.t("No crew named “{0}” is connected here.", fault.name);
    case "missingInput":
      return vscode.l10n.t("The input “{0}” is missing: the crew needs it.", fault.name);
    case "wrongInput":
      return vscode.l10n.t(
        "The crew describes “{0}” as {1}.",
        fault.name,
        typeInWords(fault.wanted),
      );
    case "notOneOf":
      return vscode.l10n.t(
        "The crew takes for “{0}” one of these: {1}.",
        fault.name,
        someOf(fault.values),
      );
    case "unlistedInput":
      return vscode.l10n.t("The crew names no input “{0}”. It is sent all the same.", fault.name);
  }
}

/** Whether a file with this fault can be sent all the same. */
export function isHarmless({ kind }: RequestFault): boolean {
  return kind === "unlistedInput";
}

function typeInWords(type: Extract<InputFault, { kind: "wrongInput" }>["wanted"]): string {
  switch (type) {
    case "string":
      return vscode.l10n.t("a text");
    case "number":
      return vscode.l10n.t("a number");
    case "integer":
      return vscode.l10n.t("a whole number");
    case "boolean":
      return vscode.l10n.t("true or false");
    case "object":
      return vscode.l10n.t("an object");
    case "array":
      return vscode.l10n.t("a list");
  }
}

function someOf(values: readonly JsonValue[]): string {
  const shown = values.slice(0, 10).map((value) => JSON.stringify(value));
  return [...shown, ...(values.length > shown.length ? ["…"] : [])].join(", ");
}

import * as l10n from "@vscode/l10n";
import { isRequired } from "../../api/read-inputs.ts";
import type { CrewInputs, InputField, JsonValue } from "../../api/types.ts";
import type { Crew } from "../../crews/types.ts";
import { isObject } from "../../base/json.ts";
import type { Span } from "../json.ts";
import type { Wanted } from "../kickoff-json.ts";
import { addressFaultText, expectedText, otherPartText, twiceText } from "../texts.ts";
import type { FileFault, RequestFile } from "./request-file.ts";

type InputType = NonNullable<InputField["type"]>;

type InputFault = { readonly at: Span; readonly name: string } & (
  | { readonly kind: "missingInput" }
  | { readonly kind: "wrongInput"; readonly wanted: InputType }
  | { readonly kind: "notOneOf"; readonly values: readonly JsonValue[] }
  /** Still sent: the crew may accept more than it lists. */
  | { readonly kind: "unlistedInput" }
);

export type RequestFault =
  | FileFault
  | InputFault
  | { readonly kind: "unknownCrew"; readonly name: string; readonly at: Span };

export function checkRequestFile(
  file: RequestFile,
  crew: Crew | undefined,
  inputs: CrewInputs | undefined,
): readonly RequestFault[] {
  const name = crew === undefined ? file.crew : undefined;
  return [
    ...file.faults,
    ...(name === undefined ? [] : [{ kind: "unknownCrew", name, at: file.places.crew } as const]),
    ...(inputs === undefined ? [] : checkInputs(file, inputs.fields)),
  ];
}

export function checkInputs(
  { values, places }: Pick<RequestFile, "values" | "places">,
  fields: readonly InputField[],
): readonly InputFault[] {
  const given = new Map(Object.entries(values.inputs ?? {}));
  const faults = fields.flatMap((field): InputFault[] => {
    const { name, type, enum: choices } = field;
    const value = given.get(name);
    const at = places.input.get(name) ?? places.inputs;
    if (value === undefined) return isRequired(field) ? [{ kind: "missingInput", name, at }] : [];
    if (type !== undefined && !isOfType(value, type))
      return [{ kind: "wrongInput", name, wanted: type, at }];
    const isChoice = (choice: JsonValue) => JSON.stringify(choice) === JSON.stringify(value);
    return choices === undefined || choices.some(isChoice)
      ? []
      : [{ kind: "notOneOf", name, values: choices, at }];
  });
  const listed = new Set(fields.map(({ name }) => name));
  const unlisted = [...given.keys()].filter((name) => !listed.has(name));
  return [
    ...faults,
    ...unlisted.map((name): InputFault => ({
      kind: "unlistedInput",
      name,
      at: places.inputName.get(name) ?? places.inputs,
    })),
  ];
}

function isOfType(value: JsonValue, type: InputType): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  return type === "object" ? isObject(value) : typeof value === type;
}

export const isHarmless = ({ kind }: RequestFault): boolean => kind === "unlistedInput";

export function faultText(fault: RequestFault): string {
  switch (fault.kind) {
    case "syntax":
      return l10n.t("This is not JSON: {0}", expectedText(fault.expected));
    case "tooDeep":
      return l10n.t("This is nested too deeply.");
    case "notAnObject":
      return l10n.t(
        "A request file is a JSON object, such as {0}.",
        '{"crew": "Travel", "inputs": {}}',
      );
    case "noCrew":
      return l10n.t("“crew” is missing: the name or address of a connected crew.");
    case "otherMember":
      return l10n.t(
        "A request file has no “{0}”. The crew's inputs belong in “inputs”, and members that Crewdeck doesn't know in “extra”.",
        fault.name,
      );
    case "secret":
      return l10n.t(
        "A request file holds no secrets, because it is shared: remove “{0}”. The crew's token is kept by Crewdeck, and a callback's secret is entered in the form.",
        fault.name,
      );
    case "address":
      return `“${fault.name}”: ${addressFaultText(fault.fault)}`;
    case "unknownCrew":
      return l10n.t("No crew named “{0}” is connected here.", fault.name);
    case "missingInput":
      return l10n.t("The input “{0}” is missing: the crew needs it.", fault.name);
    case "wrongInput":
      return l10n.t("The crew describes “{0}” as {1}.", fault.name, typeText(fault.wanted));
    case "notOneOf":
      return l10n.t(
        "The crew accepts only these values for “{0}”: {1}.",
        fault.name,
        someOf(fault.values),
      );
    case "unlistedInput":
      return l10n.t("The crew doesn't list the input “{0}”. It will still be sent.", fault.name);
    case "otherPart":
      return otherPartText(fault.name);
    case "missingPart":
      return l10n.t("“{0}” is missing.", fault.name);
    case "twice":
      return twiceText(fault.name);
    case "sameCallback":
      return l10n.t("keep only one of “humanInputWebhookUrl” and “humanInputWebhook”.");
    case "wrongStrategy": {
      const strategies = fault.wanted.map((strategy) => JSON.stringify(strategy));
      return l10n.t("“strategy” must be one of these: {0}.", strategies.join(", "));
    }
    case "wrongType":
      return wrongTypeText(fault.name, fault.wanted);
  }
}

function wrongTypeText(name: string, wanted: Wanted): string {
  const texts = {
    text: l10n.t("“{0}” must be a string.", name),
    object: l10n.t("“{0}” must be an object.", name),
    names: l10n.t("“{0}” must be a list of names without spaces and commas.", name),
    trueOrFalse: l10n.t("“{0}” must be true or false.", name),
  };
  return texts[wanted];
}

function typeText(type: InputType): string {
  const texts = {
    string: l10n.t("a text"),
    number: l10n.t("a number"),
    integer: l10n.t("a whole number"),
    boolean: l10n.t("true or false"),
    object: l10n.t("an object"),
    array: l10n.t("a list"),
  };
  return texts[type];
}

function someOf(values: readonly JsonValue[]): string {
  const shown = values.slice(0, 10).map((value) => JSON.stringify(value));
  return [...shown, ...(values.length > 10 ? ["…"] : [])].join(", ");
}

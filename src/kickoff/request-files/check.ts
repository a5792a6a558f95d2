import * as l10n from "@vscode/l10n";
import { isRequired } from "../../api/read-inputs.ts";
import type { CrewInputs, InputField, JsonValue } from "../../api/types.ts";
import type { Crew } from "../../crews/types.ts";
import { isObject } from "../../base/json.ts";
import type { KickoffFault } from "../kickoff-json.ts";
import type { RequestFile } from "./request-file.ts";

type InputType = NonNullable<InputField["type"]>;

export function checkRequestFile(
  file: RequestFile,
  crew: Crew | undefined,
  inputs: CrewInputs | undefined,
): readonly KickoffFault[] {
  const name = crew === undefined ? file.crew : undefined;
  return [
    ...file.faults,
    ...(name === undefined ? [] : [unknownCrew(name, file)]),
    ...(inputs === undefined ? [] : checkInputs(file, inputs.fields)),
  ];
}

function unknownCrew(name: string, { places }: RequestFile): KickoffFault {
  const text = name.startsWith(".")
    ? l10n.t("The crew in the folder “{0}” was not started here yet.", name)
    : l10n.t("No crew named “{0}” is connected here.", name);
  return { kind: "unknownCrew", name, at: places.crew, text };
}

export function checkInputs(
  { values, places }: Pick<RequestFile, "values" | "places">,
  fields: readonly InputField[],
): readonly KickoffFault[] {
  const given = new Map(Object.entries(values.inputs ?? {}));
  const faults = fields.flatMap((field): KickoffFault[] => {
    const { name } = field;
    const value = given.get(name);
    const at = places.input.get(name) ?? places.inputs;
    if (value === undefined) {
      const text = l10n.t("The input “{0}” is missing: the crew needs it.", name);
      return isRequired(field) ? [{ kind: "missingInput", name, at, text }] : [];
    }
    const text = faultOf(value, field);
    return text === undefined ? [] : [{ kind: "wrongInput", name, at, text }];
  });
  const listed = new Set(fields.map(({ name }) => name));
  const unlisted = [...given.keys()].filter((name) => !listed.has(name));
  return [
    ...faults,
    ...unlisted.map((name): KickoffFault => ({
      kind: "unlistedInput",
      name,
      at: places.inputName.get(name) ?? places.inputs,
      text: l10n.t("The crew doesn't list the input “{0}”. It will still be sent.", name),
    })),
  ];
}

function faultOf(value: JsonValue, { name, type, enum: choices }: InputField): string | undefined {
  if (type !== undefined && !isOfType(value, type))
    return l10n.t("The crew describes “{0}” as {1}.", name, typeText(type));
  const isChoice = (choice: JsonValue) => JSON.stringify(choice) === JSON.stringify(value);
  return choices === undefined || choices.some(isChoice)
    ? undefined
    : l10n.t("The crew accepts only these values for “{0}”: {1}.", name, someOf(choices));
}

function isOfType(value: JsonValue, type: InputType): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  return type === "object" ? isObject(value) : typeof value === type;
}

export const isHarmless = ({ kind }: KickoffFault): boolean => kind === "unlistedInput";

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

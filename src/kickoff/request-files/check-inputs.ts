import { isRequired } from "../../api/read-inputs.ts";
import type { InputField, JsonValue } from "../../api/types.ts";
import { isJsonObject } from "../form/values.ts";
import type { Span } from "../json-tree.ts";
import type { RequestFile } from "./request-file.ts";

/** How the inputs of a request file differ from what its crew asks for. */
export type InputFault = { readonly at: Span; readonly name: string } & (
  | { readonly kind: "missingInput" }
  | { readonly kind: "wrongInput"; readonly wanted: NonNullable<InputField["type"]> }
  | { readonly kind: "notOneOf"; readonly values: readonly JsonValue[] }
  /** Sent all the same: the crew may take more than it lists. */
  | { readonly kind: "unlistedInput" }
);

/** Holds the inputs of a request file against what the crew asks for, in the crew's order, then those it does not list. */
export function checkInputs(
  { values, places }: Pick<RequestFile, "values" | "places">,
  fields: readonly InputField[],
): readonly InputFault[] {
  const given = new Map(Object.entries(values.inputs ?? {}));
  const faults = fields.flatMap((field): InputFault[] => {
    const { name } = field;
    const value = given.get(name);
    const at = places.input.get(name) ?? places.inputs;
    if (value === undefined) return isRequired(field) ? [{ kind: "missingInput", name, at }] : [];
    if (field.type !== undefined && !isOfType(value, field.type))
      return [{ kind: "wrongInput", name, wanted: field.type, at }];
    if (
      field.enum !== undefined &&
      !field.enum.some((each) => JSON.stringify(each) === JSON.stringify(value))
    )
      return [{ kind: "notOneOf", name, values: field.enum, at }];
    return [];
  });
  const listed = new Set(fields.map(({ name }) => name));
  const unlisted = [...given.keys()]
    .filter((name) => !listed.has(name))
    .map((name): InputFault => ({
      kind: "unlistedInput",
      name,
      at: places.inputName.get(name) ?? places.inputs,
    }));
  return [...faults, ...unlisted];
}

function isOfType(value: JsonValue, type: NonNullable<InputField["type"]>): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
  }
}

import { isOdd, isRequired } from "../../api/read-inputs.ts";
import type { CrewInputs, InputField, JsonValue } from "../../api/types.ts";
import { laidOutJson, parseJson } from "../../base/json.ts";
import { filledIn } from "../../base/text.ts";

// The browser side may import only this room.
export { isOdd, isRequired };

/** The last three ignore the text; a crew may treat "", null and a missing input differently. */
export const fieldModes = ["fitting", "text", "json", "empty", "null", "omit"] as const;
export type FieldMode = (typeof fieldModes)[number];

export function hasText(mode: FieldMode): boolean {
  return mode === "fitting" || mode === "text" || mode === "json";
}

/** The text is kept in every mode; in `fitting` and `json` it is JSON. */
export interface FieldValue {
  readonly mode: FieldMode;
  readonly text: string;
}

export interface FormField extends InputField {
  /** Only a caller, a draft or a refusal named the input. */
  readonly isUnlisted?: true;
}

export function formFields({ fields }: CrewInputs): readonly FormField[] {
  const listed = fields.map(({ name }) => name);
  // A deployed crew doesn't ask for these, and fails without.
  const needed = new Set(listed.flatMap((name) => filledIn(name) ?? []));
  const unasked = [...needed].filter((name) => !listed.includes(name));
  return [...fields, ...unasked.map((name) => ({ name }))];
}

export function withUnlisted(
  fields: readonly FormField[],
  names: readonly string[],
): readonly FormField[] {
  const known = new Set(fields.map((field) => field.name));
  const others = [...new Set(names)].filter((name) => !known.has(name));
  return [
    ...fields,
    ...others.map((name) => ({ name, required: false, isUnlisted: true as const })),
  ];
}

/** What can show some values of a field: its choices as JSON texts, or a box for a number. */
export function controlOf({ type, enum: choices }: Pick<FormField, "type" | "enum">) {
  if (choices !== undefined) return [...new Set(choices.map((one) => JSON.stringify(one)))];
  if (type === "boolean") return ["true", "false"];
  return type === "number" || type === "integer" ? type : undefined;
}

/** The crew's default, or blank. */
export function initialValue(field: FormField): FieldValue {
  if (field.default !== undefined) return asTyped(field.default, field);
  if (controlOf(field) !== undefined) return { mode: "fitting", text: "" };
  if (isOdd(field)) return { mode: "empty", text: "" };
  return { mode: isText(field) ? "text" : "json", text: "" };
}

function isText({ type }: FormField): boolean {
  return type === undefined || type === "string";
}

/** Sends the same value in another mode. Text that looks like JSON stays. */
export function switchMode(value: FieldValue, mode: FieldMode): FieldValue {
  const { text } = value;
  if (mode === "json" && value.mode === "text") {
    const looksLikeJson =
      text.trim() === "" || /^\s*[[{"]/.test(text) || parseJson(text) !== undefined;
    return { mode, text: looksLikeJson ? text : JSON.stringify(text) };
  }
  if (mode === "text" && (value.mode === "json" || value.mode === "fitting")) {
    const string = parseJson(text);
    return { mode, text: typeof string === "string" ? string : text };
  }
  return { mode, text };
}

/** Whether a field's control can show a JSON text completely. */
export function canShow(field: Pick<FormField, "type" | "enum">, json: string): boolean {
  const control = controlOf(field);
  return Array.isArray(control)
    ? control.includes(json)
    : control !== undefined && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(json.trim());
}

export function asTyped(value: JsonValue, field: FormField): FieldValue {
  const json = JSON.stringify(value);
  if (canShow(field, json)) return { mode: "fitting", text: json };
  if (value === null) return { mode: "null", text: "" };
  if (value === "") return { mode: "empty", text: "" };
  const isOwn = isText(field) || controlOf(field) !== undefined;
  if (isOwn && typeof value === "string") return { mode: "text", text: value };
  return { mode: "json", text: laidOutJson(value) };
}

/** By the control if that can show the text, else as text or JSON. */
export function typedIn(text: string, field: FormField): FieldValue {
  const trimmed = text.trim();
  const fitting = [trimmed, JSON.stringify(trimmed)].find((json) => canShow(field, json));
  if (fitting !== undefined) return { mode: "fitting", text: fitting };
  if (text === "") return { mode: "empty", text };
  return { mode: initialValue(field).mode === "json" ? "json" : "text", text };
}

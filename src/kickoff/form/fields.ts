import { isOdd, isRequired } from "../../api/read-inputs.ts";
import type { CrewInputs, InputField, JsonValue } from "../../api/types.ts";
import { laidOutJson, parseJson } from "../../base/json.ts";
import { filledIn } from "../../base/text.ts";

// The browser side may import only this room.
export { isOdd, isRequired };

/** Whether a text is sent as it is, as the JSON that it is, or not at all. */
export const fieldModes = ["text", "json", "omit"] as const;
export type FieldMode = (typeof fieldModes)[number];

/** The text is kept in every mode. */
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

export function withUnlisted(fields: readonly FormField[], names: readonly string[]) {
  const known = new Set(fields.map((field) => field.name));
  const others = [...new Set(names)].filter((name) => !known.has(name));
  return [
    ...fields,
    ...others.map((name) => ({ name, required: false, isUnlisted: true as const })),
  ];
}

export function choicesOf({ type, enum: choices }: FormField): readonly string[] | undefined {
  if (choices !== undefined) return [...new Set(choices.map((one) => JSON.stringify(one)))];
  return type === "boolean" ? ["true", "false"] : undefined;
}

export function isNumber({ type, enum: choices }: FormField): boolean {
  return choices === undefined && (type === "number" || type === "integer");
}

export function usualMode({ type, enum: choices }: FormField): FieldMode {
  return choices === undefined && (type === undefined || type === "string") ? "text" : "json";
}

export function initialValue(field: FormField): FieldValue {
  if (field.default !== undefined) return asTyped(field.default, field);
  return isOdd(field) ? asTyped("", field) : { mode: usualMode(field), text: "" };
}

/** Sends the same value in another mode. Text that looks like JSON stays. */
export function switchMode({ mode: before, text }: FieldValue, mode: FieldMode): FieldValue {
  const value = parseJson(text);
  if (mode === "text" && before === "json" && typeof value === "string")
    return { mode, text: value };
  const looksLikeJson = value !== undefined || /^\s*([[{"]|$)/.test(text);
  return { mode, text: mode === "json" && !looksLikeJson ? JSON.stringify(text) : text };
}

export function asTyped(value: JsonValue, field: FormField): FieldValue {
  const json = JSON.stringify(value);
  if (choicesOf(field)?.includes(json)) return { mode: "json", text: json };
  // A blank text would not be sent.
  if (typeof value === "string" && value !== "") return { mode: "text", text: value };
  return { mode: "json", text: laidOutJson(value) };
}

export function usableExamples(fields: readonly FormField[], values: readonly FieldValue[]) {
  const usable = fields.flatMap(({ name, example }, index) => {
    const { mode, text } = values[index] ?? { mode: "omit", text: "" };
    const isEmpty = mode !== "omit" && text.trim() === "";
    return example === undefined || !isEmpty ? [] : [[name, example] as const];
  });
  return Object.fromEntries(usable);
}

export function typedIn(text: string, field: FormField): FieldValue {
  const trimmed = text.trim();
  const fitting = [trimmed, JSON.stringify(trimmed)];
  const choice = choicesOf(field)?.find((json) => fitting.includes(json));
  return { mode: usualMode(field), text: choice ?? text };
}

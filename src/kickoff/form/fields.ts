import { isRequired } from "../../api/read-inputs.ts";
import type { CrewInputs, InputField, JsonValue } from "../../api/types.ts";

/**
 * How a field becomes a value: its text as it stands, its text read as JSON, by the control that fits its type, or, whatever
 * the text is: an empty text, null, or nothing at all. The last three are different to a crew.
 */
export const fieldModes = ["fitting", "text", "json", "empty", "null", "omit"] as const;

/** One of {@link fieldModes}. */
export type FieldMode = (typeof fieldModes)[number];

/** What a field holds. The text is kept in every mode, so that switching loses nothing. In the modes `fitting` and `json` it is JSON. */
export interface FieldValue {
  readonly mode: FieldMode;
  readonly text: string;
}

/** The control that fits what the crew says of an input. Choices are JSON texts. */
export type FieldControl =
  | { readonly kind: "number" | "integer" | "boolean" }
  | { readonly kind: "choice"; readonly choices: readonly string[] };

/** One field of the kickoff form. Browser and extension host share it. */
export interface FormField {
  /** Any string at all: shown as text and compared, never an element id or an object path. */
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
  /** False for an input that the crew did not name in `GET /inputs` (a caller's value, an old draft, a refusal). */
  readonly listed: boolean;
  /** Absent where text or JSON is all that is known to fit. */
  readonly control?: FieldControl;
  /** Whether the crew says what the value is where nobody gives one; then `initial` holds it. */
  readonly hasDefault?: boolean;
  readonly initial: FieldValue;
}

/** Whether a person must be asked before a kickoff. A crew without inputs starts at once. */
export function needsForm(inputs: CrewInputs): boolean {
  return inputs.fields.length > 0;
}

/** The fields for what a crew asks, in its order. A name given twice makes one field. */
export function formFields(inputs: CrewInputs): readonly FormField[] {
  const byName = new Map<string, FormField>();
  for (const input of inputs.fields) {
    if (!byName.has(input.name)) byName.set(input.name, fieldOf(input));
  }
  return [...byName.values()];
}

/** The fields, and one more for each name that has none yet. */
export function withUnlisted(
  fields: readonly FormField[],
  names: readonly string[],
): readonly FormField[] {
  const known = new Set(fields.map((field) => field.name));
  const others = [...new Set(names)].filter((name) => !known.has(name));
  return [...fields, ...others.map(unlistedField)];
}

/**
 * A field's value in another mode. A text that is not JSON becomes a JSON string and back again, so that the crew gets
 * the same value; a text that is JSON, or begins like it, stays as typed.
 */
export function switchMode(value: FieldValue, mode: FieldMode): FieldValue {
  if (mode === "json" && value.mode === "text")
    return { mode, text: looksLikeJson(value.text) ? value.text : JSON.stringify(value.text) };
  if (mode === "text" && (value.mode === "json" || value.mode === "fitting"))
    return { mode, text: stringIn(value.text) ?? value.text };
  return { mode, text: value.text };
}

/** Whether a control can show a JSON text, so that nothing of it would be hidden. */
export function canShow(control: FieldControl, json: string): boolean {
  switch (control.kind) {
    case "choice":
      return control.choices.includes(json);
    case "boolean":
      return json === "true" || json === "false";
    case "number":
    case "integer":
      return isNumber(json);
  }
}

/** Whether a text is one JSON number. */
export function isNumber(text: string): boolean {
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim());
}

/** What a field holds, in a mode that it has: the crew may describe the input otherwise by now. */
export function withKnownMode(
  value: FieldValue,
  { control }: Pick<FormField, "control">,
): FieldValue {
  const isKnown =
    value.mode !== "fitting" ||
    (control !== undefined &&
      (value.text === "" ||
        control.kind === "number" ||
        control.kind === "integer" ||
        canShow(control, value.text)));
  return isKnown ? value : { mode: "json", text: value.text };
}

function fieldOf(input: InputField): FormField {
  const control = controlFor(input);
  return {
    name: input.name,
    ...(input.description === undefined ? {} : { description: input.description }),
    required: isRequired(input),
    listed: true,
    ...(control === undefined ? {} : { control }),
    ...(input.default === undefined ? {} : { hasDefault: true }),
    initial: initialValue(input, control),
  };
}

function unlistedField(name: string): FormField {
  return { name, required: false, listed: false, initial: { mode: "text", text: "" } };
}

function controlFor({ type, enum: choices }: InputField): FieldControl | undefined {
  if (choices !== undefined)
    return {
      kind: "choice",
      choices: [...new Set(choices.map((choice) => JSON.stringify(choice)))],
    };
  return type === "number" || type === "integer" || type === "boolean" ? { kind: type } : undefined;
}

function initialValue(
  { type, default: value }: InputField,
  control: FieldControl | undefined,
): FieldValue {
  const isText = type === undefined || type === "string";
  const mode = control !== undefined ? "fitting" : isText ? "text" : "json";
  return value === undefined ? { mode, text: "" } : typedFor(value, control, isText);
}

/** A JSON value as somebody would have typed it into a field with this control, or else into one for text or for JSON. */
export function typedFor(
  value: JsonValue,
  control: FieldControl | undefined,
  isText: boolean,
): FieldValue {
  const json = JSON.stringify(value);
  if (control !== undefined && canShow(control, json)) return { mode: "fitting", text: json };
  if (value === null) return { mode: "null", text: "" };
  if (value === "") return { mode: "empty", text: "" };
  if (isText && typeof value === "string") return { mode: "text", text: value };
  return { mode: "json", text: JSON.stringify(value, undefined, 2) };
}

/** A text as somebody would have typed it into a field: by its control where that can show it, as JSON where the field is for JSON, else as it is. */
export function typedIn(
  text: string,
  { control, initial }: Pick<FormField, "control" | "initial">,
): FieldValue {
  const trimmed = text.trim();
  const fitting =
    control && [trimmed, JSON.stringify(trimmed)].find((json) => canShow(control, json));
  if (fitting !== undefined) return { mode: "fitting", text: fitting };
  if (text === "") return { mode: "empty", text };
  return { mode: initial.mode === "json" ? "json" : "text", text };
}

function looksLikeJson(text: string): boolean {
  return text.trim() === "" || /^\s*[[{"]/.test(text) || parses(text);
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The question was only whether it can be read.
    return false;
  }
}

function stringIn(json: string): string | undefined {
  if (!parses(json)) return undefined;
  const value: unknown = JSON.parse(json);
  return typeof value === "string" ? value : undefined;
}

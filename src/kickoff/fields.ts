import type { CrewInputs, InputField } from "../api/types.ts";

/** How a field's text becomes a value: as it stands, read as JSON, or not sent at all. */
export type FieldMode = "text" | "json" | "omit";

/** What a field holds. The text is kept in every mode, so that switching loses nothing. */
export interface FieldValue {
  readonly mode: FieldMode;
  readonly text: string;
}

/** One field of the kickoff form. Browser and extension host share it. */
export interface FormField {
  /** Any string at all: shown as text and compared, never an element id or an object path. */
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
  /** False for an input that the crew did not name in `GET /inputs` (a caller's value, an old draft, a refusal). */
  readonly listed: boolean;
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
export function withUnlisted(fields: readonly FormField[], names: readonly string[]): readonly FormField[] {
  const known = new Set(fields.map((field) => field.name));
  const others = [...new Set(names)].filter((name) => !known.has(name));
  return [...fields, ...others.map(unlistedField)];
}

/**
 * A field's value in another mode. A text that is not JSON becomes a JSON string and back again, so that the crew gets
 * the same value; a text that is JSON, or begins like it, stays as typed.
 */
export function switchMode(value: FieldValue, mode: FieldMode): FieldValue {
  if (mode === "json" && value.mode === "text") return { mode, text: looksLikeJson(value.text) ? value.text : JSON.stringify(value.text) };
  if (mode === "text" && value.mode === "json") return { mode, text: stringIn(value.text) ?? value.text };
  return { mode, text: value.text };
}

function fieldOf(input: InputField): FormField {
  return {
    name: input.name,
    ...(input.description === undefined ? {} : { description: input.description }),
    // A crew needs every input it names unless it says otherwise (specification: leaving one out is refused with 422).
    required: input.required ?? true,
    listed: true,
    initial: initialValue(input),
  };
}

function unlistedField(name: string): FormField {
  return { name, required: false, listed: false, initial: { mode: "text", text: "" } };
}

function initialValue({ type, default: value }: InputField): FieldValue {
  const mode = type === undefined || type === "string" ? "text" : "json";
  if (value === undefined) return { mode, text: "" };
  if (mode === "text" && typeof value === "string") return { mode, text: value };
  return { mode: "json", text: JSON.stringify(value, undefined, 2) };
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

import { isOdd, isRequired } from "../../api/read-inputs.ts";
import type { CrewInputs, InputField, JsonValue } from "../../api/types.ts";
import { defined, parseJson, laidOutJson } from "../../base/json.ts";
import { filledIn } from "../../base/text.ts";

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

/** Choices are JSON texts. */
export type FieldControl =
  | { readonly kind: "number" | "integer" | "boolean" }
  | { readonly kind: "choice"; readonly choices: readonly string[] };

export interface FormField {
  /** Any string: never use it as an element ID or object path. */
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
  /** False if only a caller, a draft or a refusal named the input. */
  readonly listed: boolean;
  /** crewAI doesn't fill it in, so nobody needs to see it. */
  readonly isOdd?: true;
  readonly control?: FieldControl;
  /** `initial` holds the crew's default. */
  readonly hasDefault?: boolean;
  readonly initial: FieldValue;
}

export function formFields({ fields }: CrewInputs): readonly FormField[] {
  const listed = fields.map(({ name }) => name);
  // A deployed crew doesn't ask for these, and fails without.
  const needed = new Set(listed.flatMap((name) => filledIn(name) ?? []));
  const unasked = [...needed].filter((name) => !listed.includes(name));
  const all: readonly InputField[] = [...fields, ...unasked.map((name) => ({ name }))];
  return all.map((input) => {
    const { name, description, type, enum: choices, default: value } = input;
    const control: FieldControl | undefined =
      choices !== undefined
        ? { kind: "choice", choices: [...new Set(choices.map((one) => JSON.stringify(one)))] }
        : type === "number" || type === "integer" || type === "boolean"
          ? { kind: type }
          : undefined;
    const isText = type === undefined || type === "string";
    const isHidden = isOdd(input);
    const mode = control !== undefined ? "fitting" : isHidden ? "empty" : isText ? "text" : "json";
    return {
      name,
      ...(isHidden && { isOdd: true }),
      ...defined({ description, control }),
      required: isRequired(input),
      listed: true,
      ...(value !== undefined && { hasDefault: true }),
      initial: value === undefined ? { mode, text: "" } : typedFor(value, control, isText),
    };
  });
}

export function withUnlisted(
  fields: readonly FormField[],
  names: readonly string[],
): readonly FormField[] {
  const known = new Set(fields.map((field) => field.name));
  const others = [...new Set(names)].filter((name) => !known.has(name));
  const initial = { mode: "text", text: "" } as const;
  return [...fields, ...others.map((name) => ({ name, required: false, listed: false, initial }))];
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

/** Whether a control can show a JSON text completely. */
export function canShow(control: FieldControl, json: string): boolean {
  if (control.kind === "choice") return control.choices.includes(json);
  if (control.kind === "boolean") return json === "true" || json === "false";
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(json.trim());
}

export function asTyped(value: JsonValue, field: FormField | undefined): FieldValue {
  return typedFor(value, field?.control, field?.initial.mode !== "json");
}

function typedFor(
  value: JsonValue,
  control: FieldControl | undefined,
  isText: boolean,
): FieldValue {
  const json = JSON.stringify(value);
  if (control !== undefined && canShow(control, json)) return { mode: "fitting", text: json };
  if (value === null) return { mode: "null", text: "" };
  if (value === "") return { mode: "empty", text: "" };
  if (isText && typeof value === "string") return { mode: "text", text: value };
  return { mode: "json", text: laidOutJson(value) };
}

/** By the control if that can show the text, else in the field's initial mode. */
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

import type { CallbackUrls, JsonObject, JsonValue, KickoffRequest, PlainCallbacks } from "../api/types.ts";
import { withUnlisted, type FieldValue, type FormField } from "./fields.ts";
import { readJson } from "./json.ts";

/** The callback addresses of the form, in the order they are shown. */
export const callbackNames = ["taskWebhookUrl", "stepWebhookUrl", "crewWebhookUrl", "humanInputWebhookUrl"] as const satisfies readonly (keyof CallbackUrls)[];

/** Name of a callback address in the request. */
export type CallbackName = (typeof callbackNames)[number];

/** What one input's field holds. A list of these, not an object, because an input may have any name, `__proto__` included. */
export interface NamedValue extends FieldValue {
  readonly name: string;
}

/** Everything that is typed in a form, as typed: plain data that survives JSON. */
export interface FormValues {
  readonly inputs: readonly NamedValue[];
  /** JSON text; empty means none. */
  readonly meta: string;
  /** Empty means none. */
  readonly callbacks: Readonly<Record<CallbackName, string>>;
}

/** Values to begin with, as a command, a preset or an earlier request gives them. Secrets of callbacks are not among them. */
export type Prefill = Partial<Pick<KickoffRequest, "inputs" | "meta" | CallbackName>> & PlainCallbacks;

/** A form as nobody has touched it. */
export function initialValues(fields: readonly FormField[]): FormValues {
  return {
    inputs: fields.map(({ name, initial }) => ({ name, ...initial })),
    meta: "",
    callbacks: { taskWebhookUrl: "", stepWebhookUrl: "", crewWebhookUrl: "", humanInputWebhookUrl: "" },
  };
}

/** The same values for these fields: in their order, with initial values where there are none, without names that have no field. */
export function alignValues(fields: readonly FormField[], values: FormValues): FormValues {
  const known = new Map(values.inputs.map((value) => [value.name, value]));
  return { ...values, inputs: fields.map(({ name, initial }) => known.get(name) ?? { name, ...initial }) };
}

/** Fields and values with given values laid over them. A given input that the crew does not list gets a field, too. */
export function fillIn(fields: readonly FormField[], values: FormValues, given: Prefill): { fields: readonly FormField[]; values: FormValues } {
  const inputs = new Map(Object.entries(given.inputs ?? {}));
  const all = withUnlisted(fields, [...inputs.keys()]);
  const callbacks = Object.fromEntries(callbackNames.map((name) => [name, given[name] ?? values.callbacks[name]]));
  return {
    fields: all,
    values: {
      inputs: alignValues(all, values).inputs.map((old, index) => {
        const value = inputs.get(old.name);
        return value === undefined ? old : { name: old.name, ...asTyped(value, all[index]) };
      }),
      meta: given.meta === undefined ? values.meta : JSON.stringify(given.meta, undefined, 2),
      callbacks: { ...values.callbacks, ...callbacks },
    },
  };
}

/** The request that values stand for. They must be without faults; throws where a JSON text is none. */
export function toRequest(fields: readonly FormField[], values: FormValues): KickoffRequest {
  const entries = alignValues(fields, values).inputs.flatMap(({ name, mode, text }): [string, JsonValue][] => {
    if (mode === "omit" || (text === "" && mode === "text") || (text.trim() === "" && mode === "json")) return [];
    return [[name, mode === "text" ? text : parsed(text)]];
  });
  const callbacks = callbackNames.flatMap((name): [string, string][] => {
    const address = values.callbacks[name].trim();
    return address === "" ? [] : [[name, address]];
  });
  return {
    // Unlike an assignment, fromEntries makes `__proto__` a property like any other.
    inputs: Object.fromEntries(entries),
    ...(values.meta.trim() === "" ? {} : { meta: parsedObject(values.meta) }),
    ...Object.fromEntries(callbacks),
  };
}

/** What values stand for as they are, without secrets; nothing where a text that must be JSON is none. */
export function toPrefill(fields: readonly FormField[], values: FormValues): Prefill | undefined {
  const texts = [values.meta, ...values.inputs.filter(({ mode }) => mode === "json").map(({ text }) => text)];
  if (texts.some((text) => text.trim() !== "" && "fault" in readJson(text))) return undefined;
  if (values.meta.trim() !== "" && !isJsonObject(parsed(values.meta))) return undefined;
  return toRequest(fields, values);
}

/** Whether a JSON value is an object: not an array, not null. */
export function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A JSON value as somebody would have typed it into this field. */
export function asTyped(value: JsonValue, field: FormField | undefined): FieldValue {
  // An empty text in text mode would read as "nothing entered".
  if (typeof value === "string" && value !== "" && field?.initial.mode !== "json") return { mode: "text", text: value };
  return { mode: "json", text: JSON.stringify(value, undefined, 2) };
}

function parsed(text: string): JsonValue {
  const reading = readJson(text);
  if ("fault" in reading) throw new Error("A value of the form is not JSON; it is checked before it is sent.");
  return reading.value;
}

function parsedObject(text: string): JsonObject {
  const value = parsed(text);
  if (!isJsonObject(value)) throw new Error("The form's meta is not a JSON object; it is checked before it is sent.");
  return value;
}

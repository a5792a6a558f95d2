import type { FieldValue, FormField } from "./fields.ts";
import { readJson, type JsonFault } from "./json.ts";
import { alignValues, callbackNames, isJsonObject, type FormValues } from "./values.ts";

/** What is wrong with what one field holds; the form finds the words. */
export type Fault =
  | { readonly kind: "missing" }
  | { readonly kind: "notJson"; readonly at: JsonFault }
  | { readonly kind: "notAnObject" }
  | { readonly kind: "notAnAddress" }
  | { readonly kind: "notHttp" }
  | { readonly kind: "credentials" };

/** Checks an input. Only the crew knows whether the value makes sense; here is checked that there is one and that JSON is JSON. */
export function checkInput({ required }: Pick<FormField, "required">, { mode, text }: FieldValue): Fault | undefined {
  if (mode === "omit") return undefined;
  if (mode === "json" ? text.trim() === "" : text === "") return required ? { kind: "missing" } : undefined;
  return mode === "json" ? checkJson(text) : undefined;
}

/** Checks `meta`: nothing, or a JSON object (specification: a free-form object). */
export function checkMeta(text: string): Fault | undefined {
  if (text.trim() === "") return undefined;
  const reading = readJson(text);
  if ("fault" in reading) return { kind: "notJson", at: reading.fault };
  return isJsonObject(reading.value) ? undefined : { kind: "notAnObject" };
}

/** Checks a callback address: nothing, or an absolute http or https address without a name and password, which would be kept on disk. */
export function checkAddress(text: string): Fault | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  // "https:host" and "localhost:8080" parse as URLs as well, but no crew could call them.
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#]/i.test(trimmed) || !URL.canParse(trimmed)) return { kind: "notAnAddress" };
  const { protocol, username, password } = new URL(trimmed);
  if (protocol !== "https:" && protocol !== "http:") return { kind: "notHttp" };
  return username === "" && password === "" ? undefined : { kind: "credentials" };
}

/** Whether values can be sent. */
export function isValid(fields: readonly FormField[], values: FormValues): boolean {
  const inputs = alignValues(fields, values).inputs;
  return (
    fields.every((field, index) => checkInput(field, inputs[index] ?? field.initial) === undefined) &&
    checkMeta(values.meta) === undefined &&
    callbackNames.every((name) => checkAddress(values.callbacks[name]) === undefined)
  );
}

function checkJson(text: string): Fault | undefined {
  const reading = readJson(text);
  return "fault" in reading ? { kind: "notJson", at: reading.fault } : undefined;
}

import { checkAddress, type AddressFault } from "../address.ts";
import { canShow, isNumber, type FieldValue, type FormField } from "./fields.ts";
import { readJson, type JsonFault } from "../json.ts";
import { readJsonView } from "./json-view.ts";
import { eventsIn, type FormSecrets, type StreamingValues } from "../callbacks.ts";
import { callbackNames } from "../callback-names.ts";
import { alignValues, isJsonObject, type FormValues } from "./values.ts";

/** What is wrong with what one field holds; the form finds the words. */
export type Fault =
  | AddressFault
  | { readonly kind: "missing" }
  | { readonly kind: "notJson"; readonly at: JsonFault }
  | { readonly kind: "notAnObject" }
  | { readonly kind: "notANumber" }
  | { readonly kind: "notAnInteger" }
  | { readonly kind: "noAddress" }
  | { readonly kind: "noEvents" }
  | { readonly kind: "noUsername" }
  | { readonly kind: "noSecret" }
  /** One was entered, but for another host or another kind of authentication. */
  | { readonly kind: "otherSecret" };

/** Checks an input. Only the crew knows whether the value makes sense; here is checked that there is one and that it is what it is sent as. */
export function checkInput(
  { required, control }: Pick<FormField, "required" | "control">,
  { mode, text }: FieldValue,
): Fault | undefined {
  if (mode === "omit" || mode === "empty" || mode === "null") return undefined;
  if (mode === "text" ? text === "" : text.trim() === "")
    return required ? { kind: "missing" } : undefined;
  if (mode === "text") return undefined;
  if (mode === "fitting" && control?.kind === "integer" && !/^-?(0|[1-9]\d*)$/.test(text.trim()))
    return { kind: "notAnInteger" };
  if (mode === "fitting" && control?.kind === "number" && !isNumber(text))
    return { kind: "notANumber" };
  if (mode === "fitting" && control !== undefined && !canShow(control, text.trim()))
    return { kind: "missing" };
  return checkJson(text);
}

/** Checks `meta`: nothing, or a JSON object (specification: a free-form object). */
export function checkMeta(text: string): Fault | undefined {
  if (text.trim() === "") return undefined;
  const reading = readJson(text);
  if ("fault" in reading) return { kind: "notJson", at: reading.fault };
  return isJsonObject(reading.value) ? undefined : { kind: "notAnObject" };
}

/** Checks the address of event streaming, which events without one need. */
export function checkStreamingAddress({
  url,
  events,
}: Pick<StreamingValues, "url" | "events">): Fault | undefined {
  return url.trim() === "" && eventsIn(events).length > 0
    ? { kind: "noAddress" }
    : checkAddress(url);
}

/** Checks the events to be streamed, which an address needs. */
export function checkEvents({
  url,
  events,
}: Pick<StreamingValues, "url" | "events">): Fault | undefined {
  return url.trim() !== "" && eventsIn(events).length === 0 ? { kind: "noEvents" } : undefined;
}

/** Whether values can be sent. */
export function isValid(
  fields: readonly FormField[],
  values: FormValues,
  secrets: FormSecrets,
): boolean {
  const inputs = alignValues(fields, values).inputs;
  const { callbacks, humanInput, streaming } = values;
  const needsHumanInputSecret =
    callbacks.humanInputWebhookUrl.trim() !== "" && humanInput.strategy !== "none";
  return (
    (values.json === undefined || "values" in readJsonView(fields, values, values.json)) &&
    fields.every(
      (field, index) => checkInput(field, inputs[index] ?? field.initial) === undefined,
    ) &&
    checkMeta(values.meta) === undefined &&
    callbackNames.every((name) => checkAddress(callbacks[name]) === undefined) &&
    !(
      needsHumanInputSecret &&
      (secrets.humanInput === "" || (humanInput.strategy === "basic" && humanInput.username === ""))
    ) &&
    checkStreamingAddress(streaming) === undefined &&
    checkEvents(streaming) === undefined &&
    !(streaming.url.trim() !== "" && streaming.strategy !== "none" && secrets.streaming === "")
  );
}

function checkJson(text: string): Fault | undefined {
  const reading = readJson(text);
  return "fault" in reading ? { kind: "notJson", at: reading.fault } : undefined;
}

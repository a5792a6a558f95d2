import {
  callbackNames,
  checkAddress,
  eventsIn,
  type AddressFault,
  type FormSecrets,
  type TypedCallbacks,
} from "../callbacks.ts";
import { isObject } from "../../base/json.ts";
import { readJson, type JsonFault } from "../json.ts";
import { canShow, type FieldValue, type FormField } from "./fields.ts";
import { readJsonView } from "./json-view.ts";
import { alignValues, jsonOf, type FormValues } from "./values.ts";

export type Fault =
  | AddressFault
  | { readonly kind: "notJson"; readonly at: JsonFault }
  | {
      /** `otherSecret`: entered for another host or strategy. */
      readonly kind:
        | "missing"
        | "notAnObject"
        | "notANumber"
        | "notAnInteger"
        | "noAddress"
        | "noEvents"
        | "noUsername"
        | "noSecret"
        | "otherSecret";
    };

/** A required input must not be blank, and the text must be valid for its mode. */
export function checkInput(
  { required, control }: Pick<FormField, "required" | "control">,
  { mode, text }: FieldValue,
): Fault | undefined {
  if (mode === "omit") return undefined;
  if (jsonOf({ mode, text }) === undefined) return required ? { kind: "missing" } : undefined;
  if (mode !== "json" && mode !== "fitting") return undefined;
  if (mode === "fitting" && control !== undefined) {
    if (control.kind === "integer" && !/^-?(0|[1-9]\d*)$/.test(text.trim()))
      return { kind: "notAnInteger" };
    if (!canShow(control, text.trim()))
      return { kind: control.kind === "number" ? "notANumber" : "missing" };
  }
  const reading = readJson(text);
  return "fault" in reading ? { kind: "notJson", at: reading.fault } : undefined;
}

/** Blank, or a JSON object (specification: a free-form object). */
export function checkMeta(text: string): Fault | undefined {
  if (text.trim() === "") return undefined;
  const reading = readJson(text);
  if ("fault" in reading) return { kind: "notJson", at: reading.fault };
  return isObject(reading.value) ? undefined : { kind: "notAnObject" };
}

type Stream = Pick<TypedCallbacks["streaming"], "url" | "events">;

export function checkStreamingAddress({ url, events }: Stream): Fault | undefined {
  return url.trim() === "" && eventsIn(events).length > 0
    ? { kind: "noAddress" }
    : checkAddress(url);
}

export function checkEvents({ url, events }: Stream): Fault | undefined {
  return url.trim() !== "" && eventsIn(events).length === 0 ? { kind: "noEvents" } : undefined;
}

export function isValid(
  fields: readonly FormField[],
  values: FormValues,
  secrets: FormSecrets,
): boolean {
  const inputs = alignValues(fields, values).inputs;
  const { callbacks, humanInput, streaming } = values;
  const authenticates =
    callbacks.humanInputWebhookUrl.trim() !== "" && humanInput.strategy !== "none";
  const lacksUsername = humanInput.strategy === "basic" && humanInput.username === "";
  const streams = streaming.url.trim() !== "" && streaming.strategy !== "none";
  const faults = [
    ...fields.map((field, index) => checkInput(field, inputs[index] ?? field.initial)),
    ...callbackNames.map((name) => checkAddress(callbacks[name])),
    ...[checkMeta(values.meta), checkStreamingAddress(streaming), checkEvents(streaming)],
  ];
  return (
    (values.json === undefined || "values" in readJsonView(fields, values, values.json)) &&
    faults.every((fault) => fault === undefined) &&
    !(authenticates && (secrets.humanInput === "" || lacksUsername)) &&
    !(streams && secrets.streaming === "")
  );
}

import { isObject } from "../../base/json.ts";
import {
  callbackNames,
  checkAddress,
  eventsIn,
  type AddressFault,
  type CallbackName,
  type FormSecrets,
  type SecretName,
} from "../callbacks.ts";
import { readJson, type JsonFault } from "../json.ts";
import { readKickoffJson, requestFileOwn, secretWord } from "../kickoff-json.ts";
import { canShow, type FieldValue, type FormField } from "./fields.ts";
import { alignValues, jsonOf, type FormValues } from "./values.ts";

export type Fault =
  | AddressFault
  | { readonly kind: "notJson"; readonly at: JsonFault }
  | { readonly kind: "otherPart" | "twice" | "storedSecret"; readonly name: string }
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

/** What a form has a box for; inputs by their index. */
export type FormPart =
  number | "meta" | "extra" | CallbackName | "streamingUrl" | "events" | "username" | SecretName;

/** Whether something is only not there yet. */
export function isMissing({ kind }: Fault): boolean {
  const secret = kind === "noSecret" || kind === "otherSecret";
  // Not `noAddress`: the events would be dropped from what a tool saves.
  return secret || ["missing", "noEvents", "noUsername"].includes(kind);
}

/** @param secretFault is asked for the secrets of callbacks that are used and authenticate */
export function faultsIn(
  fields: readonly FormField[],
  values: FormValues,
  secretFault: (name: SecretName) => Fault | undefined,
): ReadonlyMap<FormPart, Fault> {
  const { callbacks, humanInput, streaming } = values;
  const inputs = alignValues(fields, values).inputs;
  const hasEvents = eventsIn(streaming.events).length > 0;
  const streams = streaming.url.trim() !== "";
  const authenticates =
    callbacks.humanInputWebhookUrl.trim() !== "" && humanInput.strategy !== "none";
  const lacksUsername = humanInput.strategy === "basic" && humanInput.username === "";
  const faults: readonly (readonly [FormPart, Fault | undefined])[] = [
    ...fields.map(
      (field, index) => [index, checkInput(field, inputs[index] ?? field.initial)] as const,
    ),
    ["meta", checkObject(values.meta)],
    ...callbackNames.map((name) => [name, checkAddress(callbacks[name])] as const),
    ["username", authenticates && lacksUsername ? { kind: "noUsername" } : undefined],
    ["humanInput", authenticates ? secretFault("humanInput") : undefined],
    ["streamingUrl", hasEvents && !streams ? { kind: "noAddress" } : checkAddress(streaming.url)],
    ["events", streams && !hasEvents ? { kind: "noEvents" } : undefined],
    ["streaming", streams && streaming.strategy !== "none" ? secretFault("streaming") : undefined],
    ["extra", checkObject(values.extra) ?? checkExtra(values.extra)],
  ];
  return new Map(faults.flatMap(([part, fault]) => (fault === undefined ? [] : [[part, fault]])));
}

export function isValid(
  fields: readonly FormField[],
  values: FormValues,
  secrets: FormSecrets,
): boolean {
  const lack = (name: SecretName): Fault | undefined =>
    secrets[name] === "" ? { kind: "noSecret" } : undefined;
  return faultsIn(fields, values, lack).size === 0;
}

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
function checkObject(text: string): Fault | undefined {
  if (text.trim() === "") return undefined;
  const reading = readJson(text);
  if ("fault" in reading) return { kind: "notJson", at: reading.fault };
  return isObject(reading.value) ? undefined : { kind: "notAnObject" };
}

/** Nothing that has its own place, and no secret. */
export function checkExtra(text: string): Fault | undefined {
  if (text.trim() === "") return undefined;
  const [fault] = readKickoffJson(`{"extra": ${text}}`, requestFileOwn).faults;
  if (fault === undefined || !("name" in fault)) return undefined;
  const { kind, name } = fault;
  if (kind === "twice") return { kind, name };
  return { kind: secretWord.test(name) ? "storedSecret" : "otherPart", name };
}

import * as l10n from "@vscode/l10n";
import { isObject } from "../../base/json.ts";
import {
  callbackNames,
  checkAddress,
  eventsIn,
  type CallbackName,
  type FormSecrets,
  type SecretName,
} from "../callbacks.ts";
import { readJson } from "../json.ts";
import { readKickoffJson, requestFileOwn, secretWord } from "../kickoff-json.ts";
import { addressFaultText } from "../texts.ts";
import { canShow, type FieldValue, type FormField } from "./fields.ts";
import { alignValues, jsonOf, type FormValues } from "./values.ts";

export interface Fault {
  readonly text: string;
  /** Something is only not there yet. */
  readonly isMissing?: true;
}

/** What a form has a box for; inputs by their index. */
export type FormPart =
  number | "meta" | "extra" | CallbackName | "streamingUrl" | "events" | "username" | SecretName;

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
  const addressFault = (address: string): Fault | undefined => {
    const kind = checkAddress(address)?.kind;
    return kind && { text: addressFaultText(kind) };
  };
  const faults: readonly (readonly [FormPart, Fault | undefined])[] = [
    ...fields.map(
      (field, index) => [index, checkInput(field, inputs[index] ?? field.initial)] as const,
    ),
    ["meta", checkObject(values.meta)],
    ...callbackNames.map((name) => [name, addressFault(callbacks[name])] as const),
    [
      "username",
      authenticates && lacksUsername ? missing(l10n.t("Enter the user name.")) : undefined,
    ],
    ["humanInput", authenticates ? secretFault("humanInput") : undefined],
    [
      "streamingUrl",
      hasEvents && !streams
        ? // Not only missing: the events would be dropped from what a tool saves.
          { text: l10n.t("Enter the address that receives the events, or remove the events.") }
        : addressFault(streaming.url),
    ],
    [
      "events",
      streams && !hasEvents
        ? missing(l10n.t("Enter at least one event, or remove the address."))
        : undefined,
    ],
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
    secrets[name] === "" ? missing("") : undefined;
  return faultsIn(fields, values, lack).size === 0;
}

/** A required input must not be blank, and the text must be valid for its mode. */
export function checkInput(
  { required, control }: Pick<FormField, "required" | "control">,
  { mode, text }: FieldValue,
): Fault | undefined {
  if (mode === "omit") return undefined;
  const lack = missing(
    l10n.t(
      "This input is required. Choose “Empty text”, “null” or “Leave out” to send it without a value.",
    ),
  );
  if (jsonOf({ mode, text }) === undefined) return required ? lack : undefined;
  if (mode !== "json" && mode !== "fitting") return undefined;
  if (mode === "fitting" && control !== undefined) {
    if (control.kind === "integer" && !/^-?(0|[1-9]\d*)$/.test(text.trim()))
      return { text: l10n.t("Enter a whole number, such as 12.") };
    if (!canShow(control, text.trim()))
      return control.kind === "number" ? { text: l10n.t("Enter a number, such as 12.5.") } : lack;
  }
  const reading = readJson(text);
  return "fault" in reading ? { text: reading.fault } : undefined;
}

/** Blank, or a JSON object (specification: a free-form object). */
function checkObject(text: string): Fault | undefined {
  if (text.trim() === "") return undefined;
  const reading = readJson(text);
  if ("fault" in reading) return { text: reading.fault };
  return isObject(reading.value)
    ? undefined
    : { text: l10n.t('A JSON object is expected, such as {"ticket": 7}.') };
}

/** Nothing that has its own place, and no secret. */
export function checkExtra(text: string): Fault | undefined {
  if (text.trim() === "") return undefined;
  const [fault] = readKickoffJson(`{"extra": ${text}}`, requestFileOwn).faults;
  if (fault?.name === undefined) return undefined;
  const { kind, name, text: why } = fault;
  return kind === "otherPart" && secretWord.test(name)
    ? { text: l10n.t("Remove “{0}”: this is saved on disk, and a secret must not be.", name) }
    : { text: why };
}

export function missing(text: string): Fault {
  return { text, isMissing: true };
}

import * as l10n from "@vscode/l10n";
import { withSecrets } from "../../api/callbacks.ts";
import type { JsonObject, JsonValue, KickoffRequest, RunAgainFrom } from "../../api/types.ts";
import { defined, isObject, laidOutJson } from "../../base/json.ts";
import {
  callbackNames,
  checkAddress,
  eventsIn,
  noCallbacks,
  noSecrets,
  toCallbacks,
  typedCallbacks,
  type CallbackName,
  type FormSecrets,
  type Prefill,
  type RunFrom,
  type SecretName,
  type TypedCallbacks,
} from "../callbacks.ts";
import { readJson } from "../json.ts";
import { readKickoffJson, secretWord } from "../kickoff-json.ts";
import { addressFaultText } from "../texts.ts";
import { asTyped, canShow, withUnlisted, type FieldValue, type FormField } from "./fields.ts";

/** A list, not an object: an input may be named `__proto__`. */
type NamedValue = FieldValue & { readonly name: string };

/** A form as typed, without secrets; plain JSON data. */
export interface FormValues extends TypedCallbacks {
  readonly inputs: readonly NamedValue[];
  /** JSON text, or empty. */
  readonly meta: string;
  readonly restoreFromStateId: string;
  /** JSON text, or empty. */
  readonly extra: string;
  readonly from?: RunFrom;
}

export function initialValues(fields: readonly FormField[]): FormValues {
  return {
    inputs: fields.map(({ name, initial }) => ({ name, ...initial })),
    meta: "",
    restoreFromStateId: "",
    extra: "",
    ...noCallbacks,
  };
}

/** The values in the fields' order; missing ones are initial, others are dropped. */
export function alignValues(fields: readonly FormField[], values: FormValues): FormValues {
  const known = new Map(values.inputs.map((value) => [value.name, value]));
  const aligned = (field: FormField) => {
    const { mode, text } = known.get(field.name) ?? field.initial;
    return { name: field.name, ...withKnownMode({ mode, text }, field) };
  };
  return { ...values, inputs: fields.map(aligned) };
}

/** The crew may have changed the type. */
function withKnownMode(value: FieldValue, { control }: Pick<FormField, "control">): FieldValue {
  const { mode, text } = value;
  const isNumber = control?.kind === "number" || control?.kind === "integer";
  const fits = isNumber || (control !== undefined && (text === "" || canShow(control, text)));
  return mode !== "fitting" || fits ? value : { mode: "json", text };
}

/** Given values replace earlier ones. Unlisted inputs get a field. */
export function fillIn(fields: readonly FormField[], values: FormValues, given: Prefill) {
  const inputs = new Map(Object.entries(given.inputs ?? {}));
  const all = withUnlisted(fields, [...inputs.keys()]);
  return {
    fields: all,
    values: {
      inputs: alignValues(all, values).inputs.map((old, index) => {
        const value = inputs.get(old.name);
        return value === undefined ? old : { name: old.name, ...asTyped(value, all[index]) };
      }),
      meta: given.meta === undefined ? values.meta : laidOutJson(given.meta),
      restoreFromStateId: given.restoreFromStateId ?? values.restoreFromStateId,
      extra: given.extra === undefined ? values.extra : laidOutJson(given.extra),
      ...typedCallbacks(given, values),
      ...defined({ from: given.from }),
    },
  };
}

export function toRequest(
  fields: readonly FormField[],
  values: FormValues,
  secrets: FormSecrets = noSecrets,
): KickoffRequest {
  return requestWith(readForm(fields, values).values, secrets);
}

export function requestWith(
  values: Prefill,
  { humanInput, streaming }: FormSecrets = noSecrets,
): KickoffRequest {
  const { inputs = {}, humanInputWebhook, webhooks, from, ...others } = values;
  const plain = defined({ humanInputWebhook, webhooks });
  return {
    inputs,
    ...others,
    ...withSecrets(plain, { humanInput, stream: streaming }),
    ...(from && { runAgain: toRunAgain(from) }),
  };
}

export interface Fault {
  readonly text: string;
  /** Something is only not there yet. */
  readonly isMissing?: true;
}

export function missing(text: string): Fault {
  return { text, isMissing: true };
}

/** What a form has a box for; inputs by their index. */
export type FormPart =
  number | "meta" | "extra" | CallbackName | "streamingUrl" | "events" | "username" | SecretName;

/** Neither: it is not sent. */
interface Reading<Value> {
  readonly value?: Value;
  readonly fault?: Fault | undefined;
}

/**
 * What a form sends, without secrets and without what is wrong. @param secretFault is asked for the secrets of
 * callbacks that are used and authenticate
 */
export function readForm(
  fields: readonly FormField[],
  values: FormValues,
  secretFault: (name: SecretName) => Fault | undefined = () => undefined,
): { readonly values: Prefill; readonly faults: ReadonlyMap<FormPart, Fault> } {
  const typed = alignValues(fields, values).inputs;
  const inputs = fields.map((field, index) => readInput(field, typed[index] ?? field.initial));
  const [meta, extra] = [readObject(values.meta), readObject(values.extra)];
  const faults: readonly (readonly [FormPart, Fault | undefined])[] = [
    ...inputs.map(({ fault }, index) => [index, fault] as const),
    ["meta", meta.fault],
    ...callbackFaults(values, secretFault),
    ["extra", extra.fault ?? checkExtra(values.extra)],
  ];
  return {
    faults: new Map(
      faults.flatMap(([part, fault]) => (fault === undefined ? [] : [[part, fault]])),
    ),
    values: {
      // Unlike an assignment, fromEntries accepts `__proto__`.
      inputs: Object.fromEntries(
        fields.flatMap(({ name }, index) => {
          const value = inputs[index]?.value;
          return value === undefined ? [] : [[name, value] as const];
        }),
      ),
      ...toCallbacks(values),
      ...defined({
        meta: meta.value,
        restoreFromStateId: values.restoreFromStateId.trim() || undefined,
        extra: extra.value,
        from: values.from,
      }),
    },
  };
}

function callbackFaults(
  { callbacks, humanInput, streaming }: TypedCallbacks,
  secretFault: (name: SecretName) => Fault | undefined,
): readonly (readonly [FormPart, Fault | undefined])[] {
  const hasEvents = eventsIn(streaming.events).length > 0;
  const streams = streaming.url.trim() !== "";
  const authenticates =
    callbacks.humanInputWebhookUrl.trim() !== "" && humanInput.strategy !== "none";
  const lacksUsername = humanInput.strategy === "basic" && humanInput.username === "";
  const addressFault = (address: string): Fault | undefined => {
    const kind = checkAddress(address)?.kind;
    return kind && { text: addressFaultText(kind) };
  };
  return [
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
  ];
}

/** A required input must not be blank, and the text must be valid for its mode. */
export function readInput(
  { required, control }: Pick<FormField, "required" | "control">,
  { mode, text }: FieldValue,
): Reading<JsonValue> {
  const fault = missing(
    l10n.t(
      "This input is required. Choose “Empty text”, “null” or “Leave out” to send it without a value.",
    ),
  );
  if (mode === "omit") return {};
  if (mode === "null") return { value: null };
  if (mode === "empty") return { value: "" };
  if ((mode === "text" ? text : text.trim()) === "") return required ? { fault } : {};
  if (mode === "text") return { value: text };
  if (mode === "fitting" && control !== undefined) {
    if (control.kind === "integer" && !/^-?(0|[1-9]\d*)$/.test(text.trim()))
      return { fault: { text: l10n.t("Enter a whole number, such as 12.") } };
    if (!canShow(control, text.trim()))
      return control.kind === "number"
        ? { fault: { text: l10n.t("Enter a number, such as 12.5.") } }
        : { fault };
  }
  return readTyped(text);
}

function readTyped(text: string): Reading<JsonValue> {
  const reading = readJson(text);
  return "fault" in reading ? { fault: { text: reading.fault } } : reading;
}

/** Blank, or a JSON object (specification: a free-form object). */
function readObject(text: string): Reading<JsonObject> {
  if (text.trim() === "") return {};
  const { value, fault } = readTyped(text);
  if (fault !== undefined) return { fault };
  return isObject(value)
    ? { value }
    : { fault: { text: l10n.t('A JSON object is expected, such as {"ticket": 7}.') } };
}

/** Nothing that has its own place, and no secret. */
export function checkExtra(text: string): Fault | undefined {
  if (text.trim() === "") return undefined;
  const [fault] = readKickoffJson(`{"extra": ${text}}`).faults;
  if (fault?.name === undefined) return undefined;
  const { kind, name, text: why } = fault;
  return kind === "otherPart" && secretWord.test(name)
    ? { text: l10n.t("Remove “{0}”: this is saved on disk, and a secret must not be.", name) }
    : { text: why };
}

function toRunAgain({ executionId, taskId, outputs }: RunFrom): RunAgainFrom {
  const edited = outputs.filter(({ isEdited }) => isEdited);
  return {
    executionId,
    taskId,
    ...(edited.length > 0 && {
      outputs: Object.fromEntries(edited.map(({ taskId: of, text }) => [of, text])),
    }),
  };
}

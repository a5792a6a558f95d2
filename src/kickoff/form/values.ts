import type {
  CallbackUrls,
  JsonObject,
  JsonValue,
  KickoffRequest,
  PlainCallbacks,
} from "../../api/types.ts";
import { callbackNames, type CallbackName } from "../callback-names.ts";
import {
  typedFor,
  withKnownMode,
  withUnlisted,
  type FieldValue,
  type FormField,
} from "./fields.ts";
import { readJson } from "../json.ts";
import {
  noSecrets,
  plainHumanInput,
  plainStreaming,
  typedCallbacks,
  withSecrets,
  type FormSecrets,
  type HumanInputValues,
  type StreamingValues,
} from "../callbacks.ts";

/** What one input's field holds. A list of these, not an object, because an input may have any name, `__proto__` included. */
export interface NamedValue extends FieldValue {
  readonly name: string;
}

/** Everything that is typed in a form, as typed, but for secrets: plain data that survives JSON. */
export interface FormValues {
  readonly inputs: readonly NamedValue[];
  /** JSON text; empty means none. */
  readonly meta: string;
  /** Empty means none. */
  readonly callbacks: Readonly<Record<CallbackName, string>>;
  /** How the human-input callback authenticates; its address is among `callbacks`. */
  readonly humanInput: HumanInputValues;
  readonly streaming: StreamingValues;
  /** Set while the whole kickoff is shown as JSON: the text as typed, readable or not. All else holds what could be read last. */
  readonly json?: string;
}

/** Values to begin with, as a command, a preset or an earlier request gives them. Secrets of callbacks are not among them. */
export type Prefill = Partial<Pick<KickoffRequest, "inputs" | "meta" | CallbackName>> &
  PlainCallbacks;

/** A form as nobody has touched it. */
export function initialValues(fields: readonly FormField[]): FormValues {
  return {
    inputs: fields.map(({ name, initial }) => ({ name, ...initial })),
    meta: "",
    callbacks: {
      taskWebhookUrl: "",
      stepWebhookUrl: "",
      crewWebhookUrl: "",
      humanInputWebhookUrl: "",
    },
    ...typedCallbacks({}),
  };
}

/** The same values for these fields: in their order, with initial values where there are none, without names that have no field. */
export function alignValues(fields: readonly FormField[], values: FormValues): FormValues {
  const known = new Map(values.inputs.map((value) => [value.name, value]));
  const aligned = (field: FormField) => {
    const { name, ...value } = known.get(field.name) ?? { name: field.name, ...field.initial };
    return { name, ...withKnownMode(value, field) };
  };
  return { ...values, inputs: fields.map(aligned) };
}

/** Fields and values with given values laid over them. A given input that the crew does not list gets a field, too. */
export function fillIn(
  fields: readonly FormField[],
  values: FormValues,
  given: Prefill,
): { fields: readonly FormField[]; values: FormValues } {
  const inputs = new Map(Object.entries(given.inputs ?? {}));
  const all = withUnlisted(fields, [...inputs.keys()]);
  const typed = typedCallbacks(given);
  const callbacks = Object.fromEntries(
    callbackNames.map((name) => [name, given[name] ?? values.callbacks[name]]),
  );
  return {
    fields: all,
    values: {
      inputs: alignValues(all, values).inputs.map((old, index) => {
        const value = inputs.get(old.name);
        return value === undefined ? old : { name: old.name, ...asTyped(value, all[index]) };
      }),
      meta: given.meta === undefined ? values.meta : JSON.stringify(given.meta, undefined, 2),
      callbacks: {
        ...values.callbacks,
        ...callbacks,
        ...(given.humanInputWebhook && { humanInputWebhookUrl: given.humanInputWebhook.url }),
      },
      // An address without more is given as one that needs no authentication.
      humanInput:
        given.humanInputWebhook === undefined && given.humanInputWebhookUrl === undefined
          ? values.humanInput
          : typed.humanInput,
      streaming: given.webhooks === undefined ? values.streaming : typed.streaming,
    },
  };
}

/** The request that values stand for. They must be without faults; throws where a JSON text is none. */
export function toRequest(
  fields: readonly FormField[],
  values: FormValues,
  secrets: FormSecrets = noSecrets,
): KickoffRequest {
  const { humanInputWebhook, webhooks, inputs = {}, ...rest } = plainRequest(fields, values);
  return {
    inputs,
    ...rest,
    ...withSecrets(
      { ...(humanInputWebhook && { humanInputWebhook }), ...(webhooks && { webhooks }) },
      secrets,
    ),
  };
}

/** What values stand for as they are, without secrets; nothing where an input or meta must be JSON and is none. */
export function toPrefill(fields: readonly FormField[], values: FormValues): Prefill | undefined {
  const isReadable = (text: string) => text.trim() === "" || "value" in readJson(text);
  const texts = values.inputs.filter(isJsonText).map(({ text }) => text);
  if (![...texts, values.meta].every(isReadable)) return undefined;
  if (values.meta.trim() !== "" && !isJsonObject(parsed(values.meta))) return undefined;
  return plainRequest(fields, values);
}

/** The JSON text of an input as it will be sent; nothing where it will not be. */
export function jsonOf({ mode, text }: FieldValue): string | undefined {
  switch (mode) {
    case "omit":
      return undefined;
    case "null":
      return "null";
    case "empty":
      return '""';
    case "text":
      return text === "" ? undefined : JSON.stringify(text);
    case "json":
    case "fitting":
      return text.trim() === "" ? undefined : text.trim();
  }
}

/** Whether a JSON value is an object: not an array, not null. */
export function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A JSON value as somebody would have typed it into this field. */
export function asTyped(value: JsonValue, field: FormField | undefined): FieldValue {
  return typedFor(value, field?.control, field?.initial.mode !== "json");
}

function isJsonText({ mode }: FieldValue): boolean {
  return mode === "json" || mode === "fitting";
}

function plainRequest(fields: readonly FormField[], values: FormValues): Prefill {
  const entries = alignValues(fields, values).inputs.flatMap((value): [string, JsonValue][] => {
    const json = jsonOf(value);
    return json === undefined ? [] : [[value.name, parsed(json)]];
  });
  return {
    // Unlike an assignment, fromEntries makes `__proto__` a property like any other.
    inputs: Object.fromEntries(entries),
    ...(values.meta.trim() === "" ? {} : { meta: parsedObject(values.meta) }),
    ...toCallbacks(values),
  };
}

/** The callbacks that values stand for, without secrets. */
export function toCallbacks({
  callbacks,
  humanInput,
  streaming,
}: Pick<FormValues, "callbacks" | "humanInput" | "streaming">): CallbackUrls & PlainCallbacks {
  const address = (name: CallbackName) => callbacks[name].trim();
  const humanInputWebhook = plainHumanInput(address("humanInputWebhookUrl"), humanInput);
  const webhooks = plainStreaming(streaming);
  const urls = callbackNames.filter(
    (name) =>
      address(name) !== "" && !(name === "humanInputWebhookUrl" && humanInputWebhook !== undefined),
  );
  return {
    ...Object.fromEntries(urls.map((name) => [name, address(name)])),
    ...(humanInputWebhook && { humanInputWebhook }),
    ...(webhooks && { webhooks }),
  };
}

function parsed(text: string): JsonValue {
  const reading = readJson(text);
  if ("fault" in reading)
    throw new Error("A value of the form is not JSON; it is checked before it is sent.");
  return reading.value;
}

function parsedObject(text: string): JsonObject {
  const value = parsed(text);
  if (!isJsonObject(value))
    throw new Error("The form's meta is not a JSON object; it is checked before it is sent.");
  return value;
}

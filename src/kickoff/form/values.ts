import * as l10n from "@vscode/l10n";
import * as v from "valibot";
import { withSecrets } from "../../api/callbacks.ts";
import type { CallRules, JsonObject, JsonValue, KickoffRequest } from "../../api/types.ts";
import { asObject, defined, isObject, laidOutJson, parseJson } from "../../base/json.ts";
import {
  blankTexts,
  callbackFaults,
  callbackNames,
  callbackTexts,
  type FormSecrets,
  keptAddress,
  type Prefill,
  type RunFrom,
  type SecretName,
  toCallbacks,
  typedCallbacks,
} from "../callbacks.ts";
import { readJson } from "../json.ts";
import { extraFault } from "../request-files/request-file.ts";
import {
  asTyped,
  fieldModes,
  type FieldValue,
  type FormField,
  initialValue,
  isNumber,
  isRequired,
  withUnlisted,
} from "./fields.ts";

/** What is typed besides inputs; `meta` and `extra` are JSON. */
export const textNames = ["meta", ...callbackTexts, "restoreFromStateId", "extra"] as const;
export type TextName = (typeof textNames)[number];

/** A form as typed, without secrets; plain JSON data. */
export interface FormValues extends Readonly<Record<TextName, string>> {
  /** A list, not an object: an input may be named `__proto__`. */
  readonly inputs: readonly (FieldValue & { readonly name: string })[];
  readonly from?: RunFrom;
  readonly rules?: CallRules;
}

const output = v.object({
  taskId: v.string(),
  text: v.string(),
  isEdited: v.exactOptional(v.literal(true)),
});

/** Drafts of earlier versions have these modes, too. */
const earlierModes = ["fitting", "empty", "null"] as const;
const input = v.pipe(
  v.object({
    name: v.string(),
    mode: v.picklist([...fieldModes, ...earlierModes]),
    text: v.string(),
  }),
  v.transform(({ name, mode, text }) => {
    if (mode === "empty") return { name, mode: "json" as const, text: '""' };
    if (mode === "null") return { name, mode: "json" as const, text: "null" };
    return { name, mode: mode === "fitting" ? ("json" as const) : mode, text };
  }),
);

/** From the webview or disk. Only these members are read, so that a stray secret is dropped. */
export const formValues: v.GenericSchema<unknown, FormValues> = v.pipe(
  v.unknown(),
  v.transform(flattened),
  v.object({
    inputs: v.array(input),
    ...v.entriesFromList(textNames, v.optional(v.string(), "")),
    rules: v.exactOptional(v.custom<CallRules>(isObject)),
    from: v.exactOptional(
      v.object({
        executionId: v.string(),
        taskId: v.string(),
        title: v.string(),
        outputs: v.array(output),
      }),
    ),
  }),
);

/** Drafts of earlier versions have objects for callbacks, and "none" if one doesn't authenticate. */
function flattened(raw: unknown): unknown {
  if (!isObject(raw) || !isObject(raw["callbacks"])) return raw;
  const { callbacks, humanInput, streaming, ...others } = raw;
  const [human, stream] = [asObject(humanInput), asObject(streaming)];
  const [strategy, streamingStrategy] = [human, stream].map((each) =>
    each["strategy"] === "none" ? "" : each["strategy"],
  );
  const { url: streamingUrl, events } = stream;
  const realtime = stream["realtime"] === true ? "true" : "";
  const texts = { username: human["username"], streamingUrl, events, realtime };
  return { ...others, ...asObject(callbacks), strategy, streamingStrategy, ...texts };
}

/** As they may be stored: without credentials in addresses. */
export function keptValues(values: FormValues): FormValues {
  const addresses = [...callbackNames, "streamingUrl"] as const;
  const kept = addresses.map((name) => [name, keptAddress(values[name])] as const);
  return { ...values, ...Object.fromEntries(kept) };
}

export function initialValues(fields: readonly FormField[]): FormValues {
  return {
    inputs: fields.map((field) => ({ name: field.name, ...initialValue(field) })),
    ...blankTexts(textNames),
  };
}

/** The values in the fields' order; missing ones are initial, others are dropped. */
export function alignValues(fields: readonly FormField[], values: FormValues): FormValues {
  const known = new Map(values.inputs.map((value) => [value.name, value]));
  const aligned = (field: FormField) =>
    known.get(field.name) ?? { name: field.name, ...initialValue(field) };
  return { ...values, inputs: fields.map(aligned) };
}

/** Given values replace earlier ones. Unlisted inputs get a field. */
export function fillIn(fields: readonly FormField[], values: FormValues, given: Prefill) {
  const inputs = new Map(Object.entries(given.inputs ?? {}));
  const all = withUnlisted(fields, [...inputs.keys()]);
  const { meta, restoreFromStateId = values.restoreFromStateId, extra, from, rules } = given;
  const filled = {
    ...values,
    ...typedCallbacks(given, values),
    inputs: alignValues(all, values).inputs.map((old, index) => {
      const [value, field] = [inputs.get(old.name), all[index]];
      return value === undefined || !field ? old : { name: old.name, ...asTyped(value, field) };
    }),
    meta: meta ? laidOutJson(meta) : values.meta,
    extra: extra ? laidOutJson(extra) : values.extra,
    ...{ restoreFromStateId, from, rules },
  };
  return { fields: all, values: defined(filled) };
}

export function requestOf(values: Prefill, secrets: FormSecrets = {}): KickoffRequest {
  const { inputs = {}, humanInputWebhook, webhooks, from, ...others } = values;
  const { humanInput, streaming: stream } = secrets;
  const edited = from?.outputs.filter(({ isEdited }) => isEdited) ?? [];
  const outputs = Object.fromEntries(edited.map(({ taskId, text }) => [taskId, text]));
  const runAgain = from && {
    executionId: from.executionId,
    taskId: from.taskId,
    ...(edited.length > 0 && { outputs }),
  };
  return {
    inputs,
    ...others,
    ...withSecrets(defined({ humanInputWebhook, webhooks }), defined({ humanInput, stream })),
    ...defined({ runAgain }),
  };
}

export interface Fault {
  readonly text: string;
  readonly isMissing?: boolean;
}

/** What a form has a box for; inputs by their index. */
export type FormPart = number | TextName | SecretName;

/** With neither, it is not sent. */
interface Reading {
  readonly value?: JsonValue;
  readonly fault?: Fault;
}

/**
 * What a form sends, without secrets and without what is wrong. @param lacksSecret is asked for the secrets of
 * callbacks that are used and authenticate
 */
export function readForm(
  fields: readonly FormField[],
  values: FormValues,
  lacksSecret: (name: SecretName) => boolean = () => false,
): { readonly values: Prefill; readonly faults: ReadonlyMap<FormPart, Fault> } {
  const faults = new Map<FormPart, Fault>();
  const typed = alignValues(fields, values).inputs;
  const sent = fields.flatMap((field, index) => {
    const { value, fault } = readInput(field, typed[index]);
    if (fault !== undefined) faults.set(index, fault);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  const objectIn = (name: "meta" | "extra"): JsonObject | undefined => {
    const { value, fault } = values[name].trim() === "" ? {} : readTyped(values[name]);
    const isWrong = value !== undefined && !isObject(value);
    const text = l10n.t('A JSON object is expected, such as {"ticket": 7}.');
    if (fault !== undefined || isWrong) faults.set(name, fault ?? { text });
    return isObject(value) ? value : undefined;
  };
  const meta = objectIn("meta");
  for (const [part, fault] of callbackFaults(values)) faults.set(part, fault);
  const { strategy, streamingStrategy, humanInputWebhookUrl, streamingUrl } = values;
  const uses = (url: string, how: string) => url.trim() !== "" && how !== "";
  for (const [name, isUsed] of [
    ["humanInput", uses(humanInputWebhookUrl, strategy)],
    ["streaming", uses(streamingUrl, streamingStrategy)],
  ] as const)
    if (isUsed && lacksSecret(name)) {
      const text = l10n.t(
        "Enter it. It isn't saved here, and is sent only to the host that it was entered for.",
      );
      faults.set(name, { text, isMissing: true });
    }
  const extra = objectIn("extra");
  const misplaced = extra && extraFault(extra);
  if (misplaced !== undefined) faults.set("extra", { text: misplaced });
  const restoreFromStateId = values.restoreFromStateId.trim() || undefined;
  const others = { meta, restoreFromStateId, extra, from: values.from, rules: values.rules };
  // Unlike an assignment, fromEntries accepts `__proto__`.
  const inputs = Object.fromEntries(sent);
  return { faults, values: { inputs, ...toCallbacks(values), ...defined(others) } };
}

/** A required input must not be blank, and the text must be valid for its mode. */
export function readInput(field: FormField, { mode, text } = initialValue(field)): Reading {
  if (mode === "omit") return {};
  if ((mode === "text" ? text : text.trim()) === "")
    return isRequired(field)
      ? { fault: { text: l10n.t("This input is required."), isMissing: true } }
      : {};
  if (mode === "text") return { value: text };
  const value = parseJson(text);
  const isPart = typeof value === "number" && field.type === "integer" && !Number.isInteger(value);
  return isNumber(field) && (value === undefined || isPart)
    ? { fault: { text: l10n.t("Enter a number, such as 12.") } }
    : readTyped(text);
}

function readTyped(text: string): Reading {
  const reading = readJson(text);
  return "fault" in reading ? { fault: { text: reading.fault } } : reading;
}

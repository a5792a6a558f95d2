import { withSecrets } from "../../api/callbacks.ts";
import type { KickoffRequest, RunAgainFrom } from "../../api/types.ts";
import { defined, isObject, laidOutJson } from "../../base/json.ts";
import {
  noCallbacks,
  noSecrets,
  toCallbacks,
  typedCallbacks,
  type FormSecrets,
  type Prefill,
  type RunFrom,
  type TypedCallbacks,
} from "../callbacks.ts";
import { readJson } from "../json.ts";
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
  const plain = toPrefill(fields, values);
  if (plain === undefined)
    throw new Error("The form is not valid; it is checked before it is sent.");
  return requestWith(plain, secrets);
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

/** Without secrets; undefined if an input, `meta` or `extra` is invalid JSON. */
export function toPrefill(fields: readonly FormField[], values: FormValues): Prefill | undefined {
  const inputs = alignValues(fields, values).inputs.flatMap(({ name, ...value }) => {
    const json = jsonOf(value);
    return json === undefined ? [] : [{ name, reading: readJson(json) }];
  });
  const [meta, extra] = [values.meta, values.extra].map((text) =>
    text.trim() === "" ? undefined : readJson(text),
  );
  if (inputs.some(({ reading }) => "fault" in reading)) return undefined;
  for (const part of [meta, extra])
    if (part !== undefined && ("fault" in part || !isObject(part.value))) return undefined;
  const objectIn = (part: typeof meta) =>
    part !== undefined && "value" in part && isObject(part.value) ? part.value : undefined;
  return {
    // Unlike an assignment, fromEntries accepts `__proto__`.
    inputs: Object.fromEntries(
      inputs.flatMap(({ name, reading }) =>
        "value" in reading ? [[name, reading.value] as const] : [],
      ),
    ),
    ...toCallbacks(values),
    ...defined({
      meta: objectIn(meta),
      restoreFromStateId: values.restoreFromStateId.trim() || undefined,
      extra: objectIn(extra),
      from: values.from,
    }),
  };
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

export function jsonOf({ mode, text }: FieldValue): string | undefined {
  if (mode === "omit") return undefined;
  if (mode === "null") return "null";
  if (mode === "empty") return '""';
  if (mode === "text") return text === "" ? undefined : JSON.stringify(text);
  return text.trim() === "" ? undefined : text.trim();
}

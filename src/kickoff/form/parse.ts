import * as v from "valibot";
import {
  forEachCallback,
  noCallbacks,
  secretNames,
  strategies,
  streamingStrategies,
} from "../callbacks.ts";
import { fieldModes, type FieldControl, type FormField } from "./fields.ts";
import { formToolNames } from "./messages.ts";
import type { FormValues } from "./values.ts";

const fieldValue = v.object({ mode: v.picklist(fieldModes), text: v.string() });
const control: v.GenericSchema<unknown, FieldControl> = v.variant("kind", [
  v.object({ kind: v.picklist(["number", "integer", "boolean"]) }),
  v.object({ kind: v.literal("choice"), choices: v.array(v.string()) }),
]);
const formField: v.GenericSchema<unknown, FormField> = v.object({
  name: v.string(),
  description: v.exactOptional(v.string()),
  required: v.boolean(),
  listed: v.boolean(),
  control: v.exactOptional(control),
  hasDefault: v.exactOptional(v.boolean()),
  initial: fieldValue,
});

/** Values from the webview or from disk. Only what is named here is read: a stray secret is dropped. */
export const formValues: v.GenericSchema<unknown, FormValues> = v.object({
  inputs: v.array(v.object({ name: v.string(), ...fieldValue.entries })),
  meta: v.string(),
  callbacks: v.object(forEachCallback(() => v.string())),
  // Drafts of an earlier version have neither of these.
  humanInput: v.optional(
    v.object({ strategy: v.picklist(strategies), username: v.string() }),
    noCallbacks.humanInput,
  ),
  streaming: v.optional(
    v.object({
      url: v.string(),
      events: v.string(),
      realtime: v.boolean(),
      strategy: v.picklist(streamingStrategies),
    }),
    noCallbacks.streaming,
  ),
  json: v.exactOptional(v.string()),
});

export const draftSchema = v.object({
  id: v.pipe(v.string(), v.uuid()),
  values: formValues,
  /** Set in a stored draft without its last JSON text, which was invalid and may have had a secret. */
  isCut: v.exactOptional(v.literal(true)),
});

/** Values that were typed and not sent. The id becomes the execution's local id, so that a draft is sent at most once. */
export type Draft = Readonly<v.InferOutput<typeof draftSchema>>;

const savedState = v.object({
  crew: v.string(),
  name: v.string(),
  fields: v.exactOptional(v.pipe(v.array(formField), v.readonly())),
  draft: v.exactOptional(draftSchema),
});

/** The page's state, which VS Code keeps: enough to restore the form after a window reload. */
export type SavedState = v.InferOutput<typeof savedState>;

/** The state that VS Code kept; undefined if it is invalid (another version wrote it). */
export function parseSavedState(raw: unknown): SavedState | undefined {
  const result = v.safeParse(savedState, raw);
  return result.success ? result.output : undefined;
}

const fromForm = v.variant("type", [
  /** The script runs. The draft is what the page had before it was hidden. */
  v.object({ type: v.literal("ready"), draft: v.optional(draftSchema) }),
  v.object({ type: v.literal("changed"), draft: draftSchema }),
  v.object({ type: v.literal("submit"), draft: draftSchema }),
  v.object({
    type: v.literal("secret"),
    name: v.picklist(secretNames),
    target: v.string(),
    text: v.string(),
  }),
  v.object({ type: v.picklist(["tryAgain", "clear", "undo", "openExecution", "sendAgain"]) }),
  v.object({ type: v.literal("tool"), tool: v.picklist(formToolNames) }),
  v.object({ type: v.literal("take"), input: v.string() }),
  v.object({ type: v.literal("act"), index: v.pipe(v.number(), v.integer(), v.minValue(0)) }),
]);

export type FromForm = v.InferOutput<typeof fromForm>;

/** A message of the webview, which isn't trusted; undefined if it is invalid. */
export function parseFromForm(raw: unknown): FromForm | undefined {
  const result = v.safeParse(fromForm, raw);
  return result.success ? result.output : undefined;
}

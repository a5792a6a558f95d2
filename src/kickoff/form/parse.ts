import * as v from "valibot";
import { fieldModes, type FieldControl, type FormField } from "./fields.ts";
import { formToolNames } from "../form-tools.ts";
import { secretNames, strategies, typedCallbacks } from "../callbacks.ts";
import type { FormValues } from "./values.ts";

const fieldValue = v.object({ mode: v.picklist(fieldModes), text: v.string() });
const namedValue = v.object({ name: v.string(), ...fieldValue.entries });
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

/** Drafts of the version that knew no secrets have neither of these. */
const { humanInput, streaming } = typedCallbacks({});
/** What follows is only what is named here: a secret that strays among the values is dropped. */
const humanInputValues = v.object({ strategy: v.picklist(strategies), username: v.string() });
const streamingValues = v.object({
  url: v.string(),
  events: v.string(),
  realtime: v.boolean(),
  strategy: v.picklist(["none", "bearer"]),
});

/** Schema of {@link FormValues}, for values that come from the webview or from disk. */
export const formValues: v.GenericSchema<unknown, FormValues> = v.object({
  inputs: v.array(namedValue),
  meta: v.string(),
  callbacks: v.object({
    taskWebhookUrl: v.string(),
    stepWebhookUrl: v.string(),
    crewWebhookUrl: v.string(),
    humanInputWebhookUrl: v.string(),
  }),
  humanInput: v.optional(humanInputValues, humanInput),
  streaming: v.optional(streamingValues, streaming),
  json: v.exactOptional(v.string()),
});

/** Something typed and not sent yet. Its id becomes the local id of the execution, so that one draft is sent once at most. */
export interface Draft {
  readonly id: string;
  readonly values: FormValues;
  /** Set in what is kept where the JSON text as it was typed last is not: it could not be read and may have held a secret. */
  readonly isCut?: true;
}

/** Schema of {@link Draft}. */
export const draftSchema: v.GenericSchema<unknown, Draft> = v.object({
  id: v.pipe(v.string(), v.uuid()),
  values: formValues,
  isCut: v.exactOptional(v.literal(true)),
});

/** What the webview keeps through `setState`: enough to bring the form back after the window was reloaded. */
export interface SavedState {
  /** The crew's id. */
  readonly crew: string;
  /** The crew's name, for the time until it is known again. */
  readonly name: string;
  /** What the crew asked for; absent while that is not known. */
  readonly fields?: readonly FormField[];
  /** Absent where nobody typed anything. */
  readonly draft?: Draft;
}

const savedState: v.GenericSchema<unknown, SavedState> = v.object({
  crew: v.string(),
  name: v.string(),
  fields: v.exactOptional(v.array(formField)),
  draft: v.exactOptional(draftSchema),
});

/** What VS Code kept of a form, or nothing where it is not readable (another version wrote it). */
export function parseSavedState(raw: unknown): SavedState | undefined {
  const result = v.safeParse(savedState, raw);
  return result.success ? result.output : undefined;
}

const fromForm = v.variant("type", [
  /** The script runs; with what it kept while it was hidden. */
  v.object({ type: v.literal("ready"), draft: v.optional(draftSchema) }),
  v.object({ type: v.literal("changed"), draft: draftSchema }),
  v.object({ type: v.literal("submit"), draft: draftSchema }),
  /** A secret as it is typed, and the target that it is typed for: never part of a draft. */
  v.object({
    type: v.literal("secret"),
    name: v.picklist(secretNames),
    target: v.string(),
    text: v.string(),
  }),
  v.object({ type: v.literal("tryAgain") }),
  v.object({ type: v.literal("clear") }),
  v.object({ type: v.literal("undo") }),
  v.object({ type: v.literal("openExecution") }),
  v.object({ type: v.literal("sendAgain") }),
  /** One of the buttons of the whole form. What it holds has been told by `changed`. */
  v.object({ type: v.literal("tool"), tool: v.picklist(formToolNames) }),
  /** Another value for the input of this name, from where the person chooses. */
  v.object({ type: v.literal("take"), input: v.string() }),
  /** One of the buttons that the extension host put beside an error, by its place. */
  v.object({ type: v.literal("act"), index: v.pipe(v.number(), v.integer(), v.minValue(0)) }),
]);

/** A message of the webview to the extension host. */
export type FromForm = v.InferOutput<typeof fromForm>;

/** Reads a message of the webview. Nothing in it is trusted; what does not parse is no message. */
export function parseFromForm(raw: unknown): FromForm | undefined {
  const result = v.safeParse(fromForm, raw);
  return result.success ? result.output : undefined;
}

import * as v from "valibot";
import { forEachCallback } from "../../api/callbacks.ts";
import type { JsonValue } from "../../api/types.ts";
import {
  noCallbacks,
  type SecretName,
  secretNames,
  strategies,
  streamingStrategies,
} from "../callbacks.ts";
import { fieldModes, type FieldControl, type FormField } from "./fields.ts";
import type { Advice, CallbackHint } from "./hints.ts";
import { hintActionNames } from "../texts.ts";
import type { FormPart, FormValues } from "./values.ts";

export interface FormCrew {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** That no model is called, and why; undefined for other engines. */
  readonly rehearsal?: string;
  readonly advice?: Advice;
}

export interface Explanation {
  readonly message: string;
  readonly remedy?: string;
  readonly actions: readonly string[];
}

export type Outcome = { readonly kind: "refused" | "maybeStarted" } & Explanation;

/** Where the form's values are from. */
export type Origin =
  | { readonly kind: "draft" | "started" | "last" | "given" | "cleared" }
  | { readonly kind: "pasted"; readonly moved: readonly string[] }
  | { readonly kind: "taken"; readonly input: string; readonly from: string };

/** A value, or text for the field; `from` completes "Filled in from …". */
export type Taken = { readonly from: string } & (
  { readonly value: JsonValue } | { readonly text: string }
);

export const formToolNames = ["fillIn", "saveValues", "openAsRequestFile", "copyAsCurl"] as const;
export type FormToolName = (typeof formToolNames)[number];

/** A part, the button that sends, what the crew answered, or the first part with a problem. */
export type FormFocus = FormPart | "submit" | "outcome" | "invalid";

export type FormView =
  | { readonly kind: "loading"; readonly crew: FormCrew }
  | ({ readonly kind: "unavailable"; readonly crew: FormCrew } & Explanation)
  | {
      readonly kind: "form";
      readonly crew: FormCrew;
      readonly fields: readonly FormField[];
      /** With another ID, its values replace those of the page. */
      readonly draft: Draft;
      /** What is wrong, by part. */
      readonly problems: Readonly<Partial<Record<FormPart, string>>>;
      /** Why nothing was sent or used, until that is solved. */
      readonly blocked?: string;
      readonly isNotKept?: true;
      readonly origin?: Origin;
      readonly canUndo: boolean;
      readonly canClear: boolean;
      readonly hint?: CallbackHint;
      readonly isSending: boolean;
      /** Targets of the secrets held by the extension host. */
      readonly secrets: Readonly<Partial<Record<SecretName, string>>>;
      readonly outcome?: Outcome;
      readonly focus?: FormFocus;
    };

export interface ToForm {
  readonly type: "show";
  readonly view: FormView;
}

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
  isOdd: v.exactOptional(v.literal(true)),
  control: v.exactOptional(control),
  hasDefault: v.exactOptional(v.boolean()),
  initial: fieldValue,
});

/** From the webview or disk. Only these members are read, so that a stray secret is dropped. */
export const formValues: v.GenericSchema<unknown, FormValues> = v.object({
  inputs: v.array(v.object({ name: v.string(), ...fieldValue.entries })),
  meta: v.string(),
  callbacks: v.object(forEachCallback(() => v.string())),
  // Missing in drafts of an earlier version.
  restoreFromStateId: v.optional(v.string(), ""),
  extra: v.optional(v.string(), ""),
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
  from: v.exactOptional(
    v.object({
      executionId: v.string(),
      taskId: v.string(),
      title: v.string(),
      outputs: v.array(
        v.object({
          taskId: v.string(),
          text: v.string(),
          isEdited: v.exactOptional(v.literal(true)),
        }),
      ),
    }),
  ),
});

export const draftSchema = v.object({
  id: v.pipe(v.string(), v.uuid()),
  values: formValues,
});

/** Unsent values. The ID becomes the execution's local ID, so that a draft is sent at most once. */
export type Draft = Readonly<v.InferOutput<typeof draftSchema>>;

const savedState = v.object({
  crew: v.string(),
  name: v.string(),
  fields: v.exactOptional(v.pipe(v.array(formField), v.readonly())),
});

/** VS Code keeps it: with the stored draft, enough to restore the form after a window reload. */
export type SavedState = v.InferOutput<typeof savedState>;

/** Undefined if invalid, perhaps from another version. */
export function parseSavedState(raw: unknown): SavedState | undefined {
  const result = v.safeParse(savedState, raw);
  return result.success ? result.output : undefined;
}

/** What the page sends: it isn't trusted. */
export const fromForm = v.variant("type", [
  /** The script runs. */
  v.object({ type: v.literal("ready") }),
  v.object({ type: v.literal("changed"), draft: draftSchema }),
  v.object({ type: v.literal("submit"), draft: draftSchema }),
  v.object({
    type: v.literal("secret"),
    name: v.picklist(secretNames),
    target: v.string(),
    text: v.string(),
  }),
  v.object({
    type: v.picklist(["tryAgain", "clear", "undo", "openExecution", "sendAgain", "showAdvice"]),
  }),
  v.object({ type: v.literal("hint"), action: v.picklist(hintActionNames) }),
  v.object({ type: v.literal("tool"), tool: v.picklist(formToolNames) }),
  v.object({ type: v.literal("take"), input: v.string() }),
  /** The body of a kickoff. It may have secrets. */
  v.object({ type: v.literal("paste"), text: v.string() }),
  v.object({ type: v.literal("act"), index: v.pipe(v.number(), v.integer(), v.minValue(0)) }),
]);

export type FromForm = v.InferOutput<typeof fromForm>;

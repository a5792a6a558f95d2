import * as v from "valibot";
import { readInputs } from "../../api/read-inputs.ts";
import type { JsonValue } from "../../api/types.ts";
import { type SecretName, secretNames } from "../callbacks.ts";
import type { FormField } from "./fields.ts";
import { type FormPart, formValues } from "./values.ts";

/**
 * What a form says beside its fields. Above them: that crewAI is being installed (`setUp`), that no model is called (`rehearsal`), what its project's files should
 * say better (`advice`), that no callback can come (`hint`) and that nothing is stored (`notKept`). In place of them: why
 * the inputs are unavailable, unless crewAI is being installed. Below them: what the crew answered, and why nothing was sent or used (`blocked`).
 */
export const noteKinds = [
  "setUp",
  "rehearsal",
  "advice",
  "hint",
  "notKept",
  "unavailable",
  "refused",
  "maybeStarted",
  "blocked",
] as const;
export type NoteKind = (typeof noteKinds)[number];

export interface Note {
  readonly kind: NoteKind;
  readonly text: string;
  readonly remedy?: string;
  readonly actions: readonly string[];
}

/** A value, or text for the field, and where it is from. */
export type Taken = { readonly from: string } & (
  { readonly value: JsonValue } | { readonly text: string }
);

/** Tools that get the form's values, without secrets. */
export const valueToolNames = ["saveValues", "openAsRequestFile", "copyAsCurl"] as const;
export type ValueTool = (typeof valueToolNames)[number];
const toolNames = ["clear", "undo", "useExamples", "fillIn", ...valueToolNames] as const;
export type ToolName = (typeof toolNames)[number];

/** A part, the button that sends, what the crew answered, or the first part with a problem. */
export type FormFocus = FormPart | "submit" | "outcome" | "invalid";

export interface FormView {
  readonly crew: {
    readonly id: string;
    readonly name: string;
    readonly url: string;
    readonly canDebug?: boolean;
  };
  readonly title: string;
  readonly notes: readonly Note[];
  /** Undefined while the crew is asked for its inputs, and if they are unavailable. */
  readonly form?: ShownForm;
}

export interface ShownForm {
  readonly fields: readonly FormField[];
  /** With another ID, its values replace those of the page. */
  readonly draft: Draft;
  readonly problems: Readonly<Partial<Record<FormPart, string>>>;
  readonly origin?: string;
  readonly canUndo: boolean;
  readonly canClear: boolean;
  readonly isSending: boolean;
  readonly secrets: readonly SecretName[];
  readonly focus?: FormFocus;
}

export interface ToForm {
  readonly type: "show";
  readonly view: FormView;
}

const draftId = v.pipe(v.string(), v.uuid());

/** Unsent values. The ID becomes the execution's local ID. */
export const draftSchema = v.object({ id: draftId, values: formValues });
export type Draft = Readonly<v.InferOutput<typeof draftSchema>>;

/** What VS Code keeps: with the stored draft, enough to restore the form after a window reload. */
const savedState = v.object({
  crew: v.string(),
  name: v.string(),
  fields: v.optional(
    v.pipe(
      v.unknown(),
      v.transform((raw) => (Array.isArray(raw) ? readInputs({ inputs: raw })?.fields : undefined)),
    ),
  ),
});
export type SavedState = Readonly<v.InferOutput<typeof savedState>>;

/** Undefined if invalid, perhaps from another version. */
export function parseSavedState(raw: unknown): SavedState | undefined {
  const { success, output } = v.safeParse(savedState, raw);
  return success ? output : undefined;
}

/** What the page sends: it isn't trusted. */
export const fromForm = v.variant("type", [
  v.object({ type: v.literal("ready") }),
  v.object({ type: v.literal("changed"), draft: draftSchema }),
  v.object({
    type: v.literal("submit"),
    draft: draftSchema,
    isDebugged: v.exactOptional(v.boolean()),
  }),
  v.object({
    type: v.literal("secret"),
    id: draftId,
    name: v.picklist(secretNames),
    text: v.string(),
  }),
  v.object({ type: v.picklist(toolNames) }),
  v.object({ type: v.literal("take"), input: v.string() }),
  /** The body of a kickoff. It may have secrets. */
  v.object({ type: v.literal("paste"), text: v.string() }),
  v.object({ type: v.literal("act"), kind: v.picklist(noteKinds), title: v.string() }),
]);

export type FromForm = v.InferOutput<typeof fromForm>;

import type { JsonValue } from "../../api/types.ts";
import type { SecretName } from "../callbacks.ts";
import type { Advice } from "./advice.ts";
import type { CallbackHint } from "./callback-hint.ts";
import type { FormField } from "./fields.ts";
import type { Draft, FromForm, SavedState } from "./parse.ts";

export type { Draft, FromForm, SavedState };

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

export type Outcome =
  | ({ readonly kind: "refused"; readonly missing: readonly string[] } & Explanation)
  | ({ readonly kind: "maybeStarted" } & Explanation);

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

/** The first field to fill in, the button that sends, what the crew answered, or an input. */
export type FormFocus = "first" | "submit" | "outcome" | { readonly input: string };

export type FormView =
  | { readonly kind: "loading"; readonly crew: FormCrew }
  | ({ readonly kind: "unavailable"; readonly crew: FormCrew } & Explanation)
  | {
      readonly kind: "form";
      readonly crew: FormCrew;
      readonly fields: readonly FormField[];
      /** With another ID, its values replace those of the page. */
      readonly draft: Draft;
      /** Restore the draft after a window reload. */
      readonly isEdited: boolean;
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

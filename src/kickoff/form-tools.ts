import type { JsonValue } from "../api/types.ts";
import type { FormCrew } from "./form/messages.ts";
import type { Prefill } from "./form/values.ts";

/** A value for one input, or a text as somebody would have typed it into its field; and where it came from, in words that end the sentence "Filled in from …". */
export type Taken = { readonly from: string } & (
  { readonly value: JsonValue } | { readonly text: string }
);

/**
 * What the form's buttons do beyond filling it in and sending it. A request is what the form holds at that moment, never with
 * a secret; an input that is blank or left out is not in it, and required ones may be missing. What these throw is shown to
 * the person as an error.
 */
export interface FormTools {
  /**
   * "Presets…": lets the person choose, save, rename or delete a named set of values. What it resolves to takes the place of
   * everything in the form (Undo brings that back); nothing where the person only saved, or cancelled.
   * @param request absent while the form holds what cannot be read as JSON: then there is nothing to save.
   */
  presets(crew: FormCrew, request: Prefill | undefined): Promise<Prefill | undefined>;
  /** "Save as Request File…". */
  saveAsRequestFile(crew: FormCrew, request: Prefill): Promise<void>;
  /** "Copy as cURL". */
  copyAsCurl(crew: FormCrew, request: Prefill): Promise<void>;
  /** Whether an earlier execution had a value for an input of this name (any string). */
  hasEarlierValue(crew: FormCrew, input: string): Promise<boolean>;
  /** "Value of an earlier execution…": lets the person choose one for an input of this name (any string). Nothing where there is none or the person cancels. */
  earlierValue(crew: FormCrew, input: string): Promise<Taken | undefined>;
}

/** The buttons of a whole form, as its page names them. */
export const formToolNames = ["presets", "saveAsRequestFile", "copyAsCurl"] as const;

/** Name of one of them. */
export type FormToolName = (typeof formToolNames)[number];

import type { Expected } from "./json.ts";
import type { FormToolName } from "./form-tools.ts";
import type { Fault } from "./validate.ts";
import type { CallbackName } from "./values.ts";

/** The words of the form. The extension host translates them; `{0}` and `{1}` are filled in by the form. */
export interface FormTexts {
  /** {0}: the crew's name. */
  readonly title: string;
  readonly loading: string;
  readonly tryAgain: string;
  readonly noInputs: string;
  readonly rehearsal: string;
  readonly required: string;
  readonly optional: string;
  readonly unlisted: string;
  readonly unnamed: string;
  /** {0}: the input's name. */
  readonly sendAs: string;
  readonly modes: { readonly text: string; readonly json: string; readonly omit: string };
  readonly leftOut: string;
  readonly advanced: string;
  readonly meta: Labelled;
  readonly callbacks: Readonly<Record<CallbackName, Labelled>>;
  readonly kickOff: string;
  readonly sending: string;
  /** {0}: the keys. */
  readonly shortcut: string;
  readonly clear: string;
  readonly undo: string;
  /** `taken`: {0}: the input's name, {1}: where its value came from. */
  readonly notices: { readonly draft: string; readonly last: string; readonly given: string; readonly cleared: string; readonly taken: string };
  /** Buttons of the whole form. */
  readonly tools: Readonly<Record<FormToolName, string>>;
  /** A field's button that offers values from elsewhere, and its label: {0}: the input's name. */
  readonly take: string;
  readonly takeFor: string;
  /** {0}: line, {1}: column, {2}: what is expected. */
  readonly notJson: string;
  readonly expected: Readonly<Record<Expected, string>>;
  readonly faults: Readonly<Record<Exclude<Fault["kind"], "notJson">, string>>;
  /** An input that the crew's answer named as missing. */
  readonly refusedAsMissing: string;
  readonly checkFields: string;
  readonly openExecution: string;
  readonly kickOffAgain: string;
}

/** A field's label and the sentence below it. */
export interface Labelled {
  readonly label: string;
  readonly hint: string;
}

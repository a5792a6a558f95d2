import type { FieldControl, FieldMode } from "./form/fields.ts";
import type { Expected } from "./json.ts";
import type { FormToolName } from "./form-tools.ts";
import type { JsonViewFault } from "./form/json-view.ts";
import type { Wanted } from "./kickoff-json.ts";
import type { Strategy } from "./callbacks.ts";
import type { Fault } from "./form/validate.ts";
import type { CallbackName } from "./callback-names.ts";

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
  readonly modes: Readonly<Record<Exclude<FieldMode, "fitting">, string>>;
  /** The mode of a field whose type the crew says. */
  readonly controls: Readonly<Record<FieldControl["kind"], string>>;
  /** What is sent where the mode says it and not the text; `blank`: an optional field without a text; `blankDefault`: one for which the crew has a default. */
  readonly sentAs: Readonly<Record<"empty" | "null" | "omit" | "blank" | "blankDefault", string>>;
  /** The first entry of a list of choices, of which none is chosen. */
  readonly choose: string;
  /** Brings back what the crew says is the value where nobody gives one; and its label: {0}: the input's name. */
  readonly reset: string;
  readonly resetFor: string;
  /** The two views of one value. */
  readonly view: string;
  readonly views: { readonly form: string; readonly json: string };
  readonly jsonView: Labelled;
  /** A secret stood in the JSON text. */
  readonly secretsMoved: string;
  /** Leaves a JSON text that can't be read for the last one that could. */
  readonly discardJson: string;
  /** {0}: line, {1}: column, {2}: what is wrong. */
  readonly faultAt: string;
  /** {0}: the member's name; of `wrongStrategy`: those that may stand there. */
  readonly jsonFaults: Readonly<
    Record<Exclude<JsonViewFault["kind"], "notJson" | "wrongType" | "address">, string>
  >;
  /** What a member must be. {0}: its name. */
  readonly jsonTypes: Readonly<Record<Wanted, string>>;
  /** {0}: names. */
  readonly jsonMissing: string;
  readonly advanced: string;
  /** What is left of Advanced while all else is in the JSON text. */
  readonly secrets: string;
  readonly meta: Labelled;
  readonly callbacks: Readonly<Record<CallbackName, Labelled>>;
  readonly authentication: AuthenticationTexts;
  readonly streaming: {
    readonly heading: string;
    readonly hint: string;
    readonly url: string;
    readonly events: Labelled;
    readonly realtime: string;
  };
  readonly kickOff: string;
  readonly sending: string;
  /** {0}: the keys. */
  readonly shortcut: string;
  /** Above the form, where what is typed can't be kept on disk. */
  readonly notKept: string;
  readonly clear: string;
  readonly undo: string;
  /** `cutDraft`: without a JSON text that could not be read. `taken`: {0}: the input's name, {1}: where its value came from. */
  readonly notices: {
    readonly draft: string;
    readonly cutDraft: string;
    readonly started: string;
    readonly last: string;
    readonly given: string;
    readonly cleared: string;
    readonly taken: string;
  };
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
  /** What can't be read keeps the form from being shown otherwise, saved or copied. */
  readonly mendFirst: string;
  readonly openExecution: string;
  readonly kickOffAgain: string;
}

/** The words for how a callback authenticates. {0} in labels: which callback. */
export interface AuthenticationTexts {
  /** Which callback, in labels. */
  readonly ofHumanInput: string;
  readonly strategy: string;
  readonly strategies: Readonly<Record<Strategy, string>>;
  readonly username: string;
  readonly token: string;
  readonly password: string;
  readonly secretHint: string;
  /** In the place of a secret that was typed before and need not be shown. */
  readonly held: string;
}

/** A field's label and the sentence below it. */
export interface Labelled {
  readonly label: string;
  readonly hint: string;
}

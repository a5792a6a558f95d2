import type { JsonValue } from "../../api/types.ts";
import type { SecretName } from "../callbacks.ts";
import type { KickoffFault } from "../kickoff-json.ts";
import type { FormTexts } from "../texts.ts";
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

/** `changed`: sent last and edited since; not shown. */
export interface Notice {
  readonly kind:
    "draft" | "cutDraft" | "started" | "last" | "changed" | "given" | "cleared" | "taken";
  readonly canUndo: boolean;
  /** For `taken`. */
  readonly taken?: { readonly input: string; readonly from: string };
}

/** A value, or text for the field; `from` completes "Filled in from …". */
export type Taken = { readonly from: string } & (
  { readonly value: JsonValue } | { readonly text: string }
);

export const formToolNames = ["presets", "saveAsRequestFile", "copyAsCurl"] as const;
export type FormToolName = (typeof formToolNames)[number];

/** The first field to fill in, the button that sends, or an input. */
export type FormFocus = "first" | "submit" | { readonly input: string };

export type FormView =
  | { readonly kind: "loading"; readonly crew: FormCrew }
  | ({ readonly kind: "unavailable"; readonly crew: FormCrew } & Explanation)
  | {
      readonly kind: "form";
      readonly crew: FormCrew;
      readonly fields: readonly FormField[];
      readonly draft: Draft;
      /** Restore the draft after a window reload. */
      readonly isEdited: boolean;
      readonly isNotKept?: true;
      readonly notice?: Notice;
      readonly hint?: CallbackHint;
      readonly isSending: boolean;
      /** Targets of the secrets held by the extension host. */
      readonly secrets: Readonly<Partial<Record<SecretName, string>>>;
      readonly outcome?: Outcome;
      readonly focus?: FormFocus;
    };

export type ToForm =
  | { readonly type: "texts"; readonly texts: FormTexts }
  | { readonly type: "show"; readonly view: FormView }
  | { readonly type: "sending" }
  /** Nothing started. There may be more fields; the draft's ID is new if it can be sent again. */
  | {
      readonly type: "outcome";
      readonly outcome: Outcome;
      readonly fields: readonly FormField[];
      readonly draftId: string;
    };

export function fill(text: string, ...values: readonly (string | number)[]): string {
  return text.replace(/\{(\d)\}/g, (mark, index: string) => String(values[Number(index)] ?? mark));
}

/** Of the tab and the page. */
export function formTitle(view: FormView, { title, from }: FormTexts): string {
  const isRunAgain = view.kind === "form" && view.draft.values.from !== undefined;
  return fill(isRunAgain ? from.title : title, view.crew.name);
}

type WithoutPlace<Fault> = Fault extends unknown ? Omit<Fault, "at"> : never;

export function kickoffFaultText(
  fault: WithoutPlace<KickoffFault> | { readonly kind: "noInputs" },
  texts: FormTexts,
): string {
  switch (fault.kind) {
    case "noInputs":
    case "notAnObject":
    case "tooDeep":
      return texts.jsonFaults[fault.kind];
    case "address":
      return texts.faults[fault.fault];
    case "wrongType":
      return fill(texts.jsonTypes[fault.wanted], fault.name);
    case "wrongStrategy": {
      const strategies = fault.wanted.map((strategy) => JSON.stringify(strategy));
      return fill(texts.jsonFaults.wrongStrategy, strategies.join(", "));
    }
    default:
      return fill(texts.jsonFaults[fault.kind], fault.name);
  }
}

import type { JsonValue } from "../../api/types.ts";
import type { SecretName } from "../callbacks.ts";
import type { FormTexts } from "../texts.ts";
import type { FormField } from "./fields.ts";
import type { Draft, FromForm, SavedState } from "./parse.ts";

export type { Draft, FromForm, SavedState };

export interface FormCrew {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** Whether its engine calls no model. */
  readonly isRehearsal: boolean;
}

export interface Explanation {
  readonly message: string;
  readonly remedy?: string;
  /** Titles of buttons beside it. */
  readonly actions: readonly string[];
}

/** How the last attempt to send ended, unless it started. */
export type Outcome =
  | ({ readonly kind: "refused"; readonly missing: readonly string[] } & Explanation)
  | ({ readonly kind: "maybeStarted" } & Explanation);

/** Where a form's values came from. `changed`: sent last and changed since, which isn't shown. */
export interface Notice {
  readonly kind:
    "draft" | "cutDraft" | "started" | "last" | "changed" | "given" | "cleared" | "taken";
  /** Whether the values before can be restored. */
  readonly canUndo: boolean;
  /** For `taken`: the input, and where its value came from. */
  readonly taken?: { readonly input: string; readonly from: string };
}

/** A value for an input, or a text to be typed into its field; and its source, for the sentence "Filled in from …". */
export type Taken = { readonly from: string } & (
  { readonly value: JsonValue } | { readonly text: string }
);

export const formToolNames = ["presets", "saveAsRequestFile", "copyAsCurl"] as const;

export type FormToolName = (typeof formToolNames)[number];

/** What gets focus: the first field to fill in, the button that sends, or an input. */
export type FormFocus = "first" | "submit" | { readonly input: string };

export type FormView =
  | { readonly kind: "loading"; readonly crew: FormCrew }
  | ({ readonly kind: "unavailable"; readonly crew: FormCrew } & Explanation)
  | {
      readonly kind: "form";
      readonly crew: FormCrew;
      readonly fields: readonly FormField[];
      readonly draft: Draft;
      /** Whether the draft is to be restored after a window reload. */
      readonly isEdited: boolean;
      /** Set if the draft can't be stored. */
      readonly isNotKept?: true;
      readonly notice?: Notice;
      readonly isSending: boolean;
      /** The targets of the secrets that the extension host holds. */
      readonly secrets: Readonly<Partial<Record<SecretName, string>>>;
      readonly outcome?: Outcome;
      /** Undefined while the person may be working elsewhere. */
      readonly focus?: FormFocus;
    };

export type ToForm =
  | { readonly type: "texts"; readonly texts: FormTexts }
  | { readonly type: "show"; readonly view: FormView }
  | { readonly type: "sending" }
  /** Sending ended without a start. There may be more fields; the draft's id is new if it can be sent again. */
  | {
      readonly type: "outcome";
      readonly outcome: Outcome;
      readonly fields: readonly FormField[];
      readonly draftId: string;
    };

export type Handlers<Message extends { readonly type: string }> = {
  readonly [Type in Message["type"]]: (message: Extract<Message, { readonly type: Type }>) => void;
};

export function dispatch<Message extends { readonly type: string }>(
  handlers: Handlers<Message>,
  message: Message,
): void {
  // TypeScript can't see that `message` has the type that its own `type` names; Handlers makes it so.
  const handle: (message: never) => void = handlers[message.type as Message["type"]];
  handle(message as never);
}

/** A text with its `{0}`, `{1}` … filled in. */
export function fill(text: string, ...values: readonly (string | number)[]): string {
  return text.replace(/\{(\d)\}/g, (mark, index: string) => String(values[Number(index)] ?? mark));
}

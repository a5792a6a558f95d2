import type { FormField } from "./fields.ts";
import type { FormTexts } from "../form-texts.ts";
import type { Draft, FromForm, SavedState } from "./parse.ts";
import type { SecretName } from "../callbacks.ts";

export type { Draft, FromForm, SavedState };

/** The crew as the form shows it. */
export interface FormCrew {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** Set for a crew whose engine calls no model, which is said wherever it shows. */
  readonly isRehearsal: boolean;
}

/** An error for a person. */
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

/** Where the values of a form came from, where they were not typed just now. `changed`: as sent last, and changed since, of which nothing is said. */
export interface Notice {
  readonly kind:
    "draft" | "cutDraft" | "started" | "last" | "changed" | "given" | "cleared" | "taken";
  /** Whether the values before can be brought back. */
  readonly canUndo: boolean;
  /** Set for `taken`: one input's value came from elsewhere. */
  readonly taken?: { readonly input: string; readonly from: string };
}

/** What the panel shows. */
export type FormView =
  | { readonly kind: "loading"; readonly crew: FormCrew }
  | ({ readonly kind: "unavailable"; readonly crew: FormCrew } & Explanation)
  | {
      readonly kind: "form";
      readonly crew: FormCrew;
      readonly fields: readonly FormField[];
      readonly draft: Draft;
      /** Whether the draft is to be kept when the window is reloaded. */
      readonly isEdited: boolean;
      /** Set where what is typed can't be kept on disk. */
      readonly isNotKept?: true;
      readonly notice?: Notice;
      readonly isSending: boolean;
      /** Which secrets are held for it, and what each was entered for; the page need not know them. */
      readonly secrets: Readonly<Partial<Record<SecretName, string>>>;
      readonly outcome?: Outcome;
      /** Where the keyboard's focus goes; absent where the person may be at work elsewhere. */
      readonly focus?: FormFocus;
    };

/** Where the keyboard's focus goes: where the person goes on, the button that sends, or one input. */
export type FormFocus = "first" | "submit" | { readonly input: string };

/** A message of the extension host to the webview. `texts` comes first. */
export type ToForm =
  | { readonly type: "texts"; readonly texts: FormTexts }
  | { readonly type: "show"; readonly view: FormView }
  | { readonly type: "sending" }
  /** Sending ended without a start. The fields may be more than before; the draft's id is another when it may be sent again. */
  | {
      readonly type: "outcome";
      readonly outcome: Outcome;
      readonly fields: readonly FormField[];
      readonly draftId: string;
    };

/** One handler for each type of message: a missing one does not compile. */
export type Handlers<Message extends { readonly type: string }> = {
  readonly [Type in Message["type"]]: (message: Extract<Message, { readonly type: Type }>) => void;
};

/** Hands a message to its handler. */
export function dispatch<Message extends { readonly type: string }>(
  handlers: Handlers<Message>,
  message: Message,
): void {
  // TypeScript cannot see that `message` is of the very type that its own `type` names; Handlers makes it so.
  const handle: (message: never) => void = handlers[message.type as Message["type"]];
  handle(message as never);
}

import { make } from "./dom.ts";

/** What a value is entered in. */
export type BoxKind =
  | { readonly kind: "lines"; readonly isCode: boolean }
  | { readonly kind: "line"; readonly inputmode: "url" | "decimal" | "numeric" | "text" }
  /** Shows dots. `placeholder` says that a secret is held already. */
  | { readonly kind: "secret"; readonly placeholder: string }
  | { readonly kind: "choice"; readonly choices: readonly Choice[] };

/** One entry of a list. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** The element that a value is entered in. */
export type Box = HTMLTextAreaElement | HTMLInputElement | HTMLSelectElement;

/** Makes one. */
export function makeBox(kind: BoxKind, attributes: Readonly<Record<string, string>>): Box {
  switch (kind.kind) {
    case "lines": {
      const box = make("textarea", {
        ...attributes,
        rows: "1",
        ...(kind.isCode ? { class: "code" } : {}),
      });
      box.spellcheck = !kind.isCode;
      return box;
    }
    case "line":
      return make("input", {
        ...attributes,
        type: "text",
        inputmode: kind.inputmode,
        spellcheck: "false",
        autocomplete: "off",
      });
    case "secret":
      return make("input", {
        ...attributes,
        type: "password",
        spellcheck: "false",
        autocomplete: "off",
        placeholder: kind.placeholder,
      });
    case "choice":
      return make(
        "select",
        attributes,
        ...kind.choices.map(({ value, label }) => make("option", { value }, label)),
      );
  }
}

/** Where the style sheet cannot let a text area grow with its text (Firefox), its rows do. */
export function grow(box: Box): void {
  if (box instanceof HTMLTextAreaElement && !CSS.supports("field-sizing", "content"))
    box.rows = Math.min(box.value.split("\n").length, 20);
}

import { switchMode, type FieldMode, type FormField } from "../kickoff/fields.ts";
import type { FormTexts } from "../kickoff/form-texts.ts";
import { checkInput } from "../kickoff/validate.ts";
import type { NamedValue } from "../kickoff/values.ts";
import { Control } from "./control.ts";
import { button, make } from "./dom.ts";
import { fill } from "./words.ts";

const modes: readonly FieldMode[] = ["text", "json", "omit"];

/** One input of the crew: its text, and how the text is sent. */
export class InputField {
  readonly name: string;
  readonly control: Control;
  readonly #select: HTMLSelectElement;
  readonly #leftOut: HTMLElement;
  #mode: FieldMode;

  constructor(field: FormField, value: NamedValue, texts: FormTexts, { onInput, onTake }: { readonly onInput: () => void; readonly onTake: () => void }) {
    this.name = field.name;
    this.#mode = value.mode;
    const label = field.name.trim() === "" ? texts.unnamed : field.name;
    this.control = new Control(
      {
        label,
        mark: field.listed ? (field.required ? texts.required : texts.optional) : texts.unlisted,
        ...(field.description === undefined ? {} : { hint: field.description }),
        isRequired: field.required,
        kind: "lines",
        text: value.text,
        check: (text) => checkInput(field, { mode: this.#mode, text }),
        onInput,
      },
      texts,
    );
    this.#select = make("select", { "aria-label": fill(texts.sendAs, label) });
    this.#select.append(...modes.map((mode) => make("option", { value: mode }, texts.modes[mode])));
    this.#select.value = value.mode;
    this.#select.addEventListener("change", () => {
      this.#switch(modes.find((mode) => mode === this.#select.value) ?? "text");
      onInput();
    });
    this.#leftOut = make("p", { class: "left-out" }, texts.leftOut);
    // After the text, so that Tab comes to the text first; the style sheet puts it on the label's line.
    const take = button(texts.take, "link", onTake);
    take.setAttribute("aria-label", fill(texts.takeFor, label));
    this.control.element.append(this.#select, take, this.#leftOut);
    this.#showMode();
  }

  /** What the field holds. */
  get value(): NamedValue {
    return { name: this.name, mode: this.#mode, text: this.control.text };
  }

  /** Whether it waits for a value. */
  get isEmpty(): boolean {
    return this.#mode !== "omit" && this.control.isEmpty;
  }

  set isReadOnly(isReadOnly: boolean) {
    this.control.isReadOnly = isReadOnly;
    this.#select.disabled = isReadOnly;
  }

  /** Moves the focus to the text, or to the choice where there is none. */
  focus(): void {
    if (this.#mode === "omit") this.#select.focus();
    else this.control.focus();
  }

  #switch(mode: FieldMode): void {
    const { text } = switchMode({ mode: this.#mode, text: this.control.text }, mode);
    this.#mode = mode;
    this.control.text = text;
    this.#showMode();
    this.control.recheck();
  }

  #showMode(): void {
    this.control.isCode = this.#mode === "json";
    this.control.isHidden = this.#mode === "omit";
    this.#leftOut.hidden = this.#mode !== "omit";
  }
}

import { fill } from "../kickoff/fill.ts";
import { fieldModes, switchMode, type FieldMode, type FormField } from "../kickoff/fields.ts";
import type { FormTexts } from "../kickoff/form-texts.ts";
import { checkInput } from "../kickoff/validate.ts";
import type { NamedValue } from "../kickoff/values.ts";
import type { BoxKind } from "./box.ts";
import { Control } from "./control.ts";
import { button, make } from "./dom.ts";

/** What a field tells. */
export interface FieldEvents {
  readonly onInput: () => void;
  /** The person wants a value from elsewhere. */
  readonly onTake: () => void;
}

/** One input of the crew: its value, how it is sent, and where it may come from. */
export class InputField {
  readonly name: string;
  readonly control: Control;
  readonly #field: FormField;
  readonly #texts: FormTexts;
  readonly #select: HTMLSelectElement;
  readonly #take: HTMLButtonElement;
  readonly #reset: HTMLButtonElement;
  #mode: FieldMode;

  constructor(
    field: FormField,
    value: NamedValue,
    texts: FormTexts,
    { onInput, onTake }: FieldEvents,
  ) {
    this.name = field.name;
    this.#field = field;
    this.#texts = texts;
    this.#mode = value.mode;
    const label = field.name.trim() === "" ? texts.unnamed : field.name;
    const changed = () => {
      this.#showNote();
      onInput();
    };
    this.control = new Control(
      {
        label,
        mark: field.listed ? (field.required ? texts.required : texts.optional) : texts.unlisted,
        ...(field.description === undefined ? {} : { hint: field.description }),
        isRequired: field.required,
        box: this.#box(),
        text: value.text,
        check: (text) => checkInput(field, { mode: this.#mode, text }),
        onInput: changed,
      },
      texts,
    );
    this.#select = make("select", { class: "mode", "aria-label": fill(texts.sendAs, label) });
    const { control } = field;
    const labelOf = (mode: FieldMode) =>
      mode !== "fitting" ? texts.modes[mode] : control && texts.controls[control.kind];
    this.#select.append(
      ...fieldModes.flatMap((mode) => {
        const text = labelOf(mode);
        return text === undefined ? [] : [make("option", { value: mode }, text)];
      }),
    );
    this.#select.value = value.mode;
    this.#select.addEventListener("change", () => {
      const mode = fieldModes.find((one) => one === this.#select.value) ?? "text";
      this.#show(switchMode({ mode: this.#mode, text: this.control.text }, mode));
      changed();
    });
    this.#take = button(texts.take, "link", onTake);
    this.#take.setAttribute("aria-label", fill(texts.takeFor, label));
    this.#reset = button(texts.reset, "link", () => {
      this.#show(field.initial);
      changed();
      this.focus();
    });
    this.#reset.setAttribute("aria-label", fill(texts.resetFor, label));
    // After the value, so that Tab comes to it first; the style sheet puts the choice on the label's line.
    this.control.element.append(
      this.#select,
      make("div", { class: "actions" }, this.#take, this.#reset),
    );
    this.#show(value);
  }

  /** What the field holds. */
  get value(): NamedValue {
    return { name: this.name, mode: this.#mode, text: this.control.text };
  }

  /** Whether it waits for a value. */
  get isEmpty(): boolean {
    return this.#hasBox && this.control.isEmpty;
  }

  /** Whether it waits for a value that the crew needs. */
  get isMissing(): boolean {
    return this.isEmpty && this.#field.required;
  }

  set isReadOnly(isReadOnly: boolean) {
    this.control.isReadOnly = isReadOnly;
    this.#select.disabled = isReadOnly;
    for (const action of [this.#take, this.#reset]) action.disabled = isReadOnly;
  }

  /** Moves the focus to the value, or to the choice where there is none. */
  focus(): void {
    if (this.#hasBox) this.control.focus();
    else this.#select.focus();
  }

  get #hasBox(): boolean {
    return this.#mode === "text" || this.#mode === "json" || this.#mode === "fitting";
  }

  #show({ mode, text }: { readonly mode: FieldMode; readonly text: string }): void {
    this.#mode = mode;
    this.#select.value = mode;
    this.control.use(this.#box(), text);
    this.control.isHidden = !this.#hasBox;
    this.control.recheck();
    this.#showNote();
  }

  #showNote(): void {
    const { sentAs } = this.#texts;
    const { mode, text } = this.value;
    const isBlank = mode === "text" ? text === "" : text.trim() === "";
    const { initial, hasDefault, required } = this.#field;
    const ifBlank = hasDefault === true ? sentAs.blankDefault : sentAs.blank;
    this.control.note =
      mode === "empty" || mode === "null" || mode === "omit"
        ? sentAs[mode]
        : isBlank && !required
          ? ifBlank
          : "";
    this.#reset.hidden = hasDefault !== true || (mode === initial.mode && text === initial.text);
  }

  /** What the value is entered in. A field that has no value just now keeps its text in a box that does not show. */
  #box(): BoxKind {
    const { control } = this.#field;
    if (this.#mode !== "fitting" || control === undefined)
      return { kind: "lines", isCode: this.#mode === "json" };
    switch (control.kind) {
      case "number":
        return { kind: "line", inputmode: "decimal" };
      case "integer":
        return { kind: "line", inputmode: "numeric" };
      case "boolean":
        return {
          kind: "choice",
          choices: [
            { value: "", label: this.#texts.choose },
            { value: "true", label: "true" },
            { value: "false", label: "false" },
          ],
        };
      case "choice":
        return {
          kind: "choice",
          choices: [
            { value: "", label: this.#texts.choose },
            ...control.choices.map((json) => ({ value: json, label: labelOfChoice(json) })),
          ],
        };
    }
  }
}

/** A text as it is, all else as JSON; a text that could be taken for something else keeps its quotes. */
function labelOfChoice(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === "string" && value.trim() !== "" ? value : json;
}

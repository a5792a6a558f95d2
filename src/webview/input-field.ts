import { fill } from "../kickoff/form/messages.ts";
import { type FieldMode, fieldModes, type FormField, switchMode } from "../kickoff/form/fields.ts";
import type { FormTexts } from "../kickoff/texts.ts";
import { checkInput } from "../kickoff/form/validate.ts";
import type { NamedValue } from "../kickoff/form/values.ts";
import { Control, type BoxKind } from "./control.ts";
import { button, make } from "./dom.ts";

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
    onInput: () => void,
    onTake: () => void,
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
        hint: field.description,
        isRequired: field.required,
        box: this.#box(),
        text: value.text,
        check: (text) => checkInput(field, { mode: this.#mode, text }),
        onInput: changed,
      },
      texts,
    );
    const { control } = field;
    const modes = fieldModes.map((mode) => {
      const text = mode === "fitting" ? control && texts.controls[control.kind] : texts.modes[mode];
      return text === undefined ? text : make("option", { value: mode }, text);
    });
    const sendAs = fill(texts.sendAs, label);
    this.#select = make("select", { class: "mode", "aria-label": sendAs }, ...modes);
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
    // After the value in the Tab order; the style sheet puts it on the label's line.
    this.control.element.append(
      this.#select,
      make("div", { class: "actions" }, this.#take, this.#reset),
    );
    this.#show(value);
  }

  get value(): NamedValue {
    return { name: this.name, mode: this.#mode, text: this.control.text };
  }

  get isOdd(): boolean {
    return this.#field.isOdd === true;
  }

  get isEmpty(): boolean {
    return this.#hasBox && this.control.isEmpty;
  }

  get isMissing(): boolean {
    return this.isEmpty && this.#field.required;
  }

  set isReadOnly(isReadOnly: boolean) {
    this.control.isReadOnly = isReadOnly;
    this.#select.disabled = isReadOnly;
    for (const action of [this.#take, this.#reset]) action.disabled = isReadOnly;
  }

  focus(): void {
    // What is folded away can't get focus.
    const folded = this.control.element.closest("details");
    if (folded) folded.open = true;
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
    if (mode === "empty" || mode === "null" || mode === "omit") this.control.note = sentAs[mode];
    else if (!isBlank || required) this.control.note = "";
    else this.control.note = hasDefault === true ? sentAs.blankDefault : sentAs.blank;
    this.#reset.hidden = hasDefault !== true || (mode === initial.mode && text === initial.text);
  }

  /** Without a value, a hidden box keeps the text. */
  #box(): BoxKind {
    const { control } = this.#field;
    if (this.#mode !== "fitting" || control === undefined)
      return { kind: "lines", isCode: this.#mode === "json" };
    if (control.kind === "number") return { kind: "line", inputmode: "decimal" };
    if (control.kind === "integer") return { kind: "line", inputmode: "numeric" };
    const values = control.kind === "choice" ? control.choices : ["true", "false"];
    const choices = values.map((json) => ({ value: json, label: labelOf(json) }));
    return { kind: "choice", choices: [{ value: "", label: this.#texts.choose }, ...choices] };
  }
}

function labelOf(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === "string" && value.trim() !== "" ? value : json;
}

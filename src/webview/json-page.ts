import type { FormField } from "../kickoff/fields.ts";
import type { FormTexts } from "../kickoff/form-texts.ts";
import { readJsonView, type JsonViewFault } from "../kickoff/json-view.ts";
import { checkInput } from "../kickoff/validate.ts";
import type { FormValues } from "../kickoff/values.ts";
import { Control } from "./control.ts";
import { button, make } from "./dom.ts";
import { fill, jsonFaultText } from "./words.ts";

/** Milliseconds without typing before a fault is shown, as in the fields. */
const patience = 600;

/** Fields and what they hold. */
export interface Filled {
  readonly fields: readonly FormField[];
  readonly values: FormValues;
}

/** Inputs and meta as one JSON text. */
export class JsonPage {
  readonly element: HTMLElement;
  readonly #control: Control;
  readonly #discard: HTMLButtonElement;
  readonly #texts: FormTexts;
  readonly #onInput: () => void;
  /** What the text was made of: what is no longer in it is left out. */
  readonly #base: Filled;
  /** What could be read last. */
  #filled: Filled;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Shows a text that stands for values, or once did: what can't be read is kept as it is. */
  constructor(filled: Filled, text: string, texts: FormTexts, events: { readonly onInput: () => void; readonly onDiscard: () => void }) {
    this.#texts = texts;
    this.#base = filled;
    this.#filled = filled;
    this.#onInput = events.onInput;
    this.#control = new Control({ ...texts.jsonView, box: { kind: "lines", isCode: true }, text, check: () => undefined, onInput: () => this.#changed() }, texts);
    this.#discard = button(texts.discardJson, "link", events.onDiscard);
    this.#control.element.append(this.#discard);
    this.element = this.#control.element;
    this.element.classList.add("whole");
    this.#read();
    this.check();
  }

  get text(): string {
    return this.#control.text;
  }

  /** What could be read last, and now, unless {@link check} says otherwise. */
  get filled(): Filled {
    return this.#filled;
  }

  /** Whether the text can't be read, or is shown to lack something. */
  get isWrong(): boolean {
    return this.#control.isMarked || this.#read() !== undefined;
  }

  set isReadOnly(isReadOnly: boolean) {
    this.#control.isReadOnly = isReadOnly;
  }

  focus(): void {
    this.#control.focusAt(0);
  }

  /** Shows what is wrong with the text, if anything is. True if it can be read. */
  check(): boolean {
    clearTimeout(this.#timer);
    const fault = this.#read();
    this.#discard.hidden = fault === undefined;
    if (fault === undefined) this.#control.clear();
    else this.#control.mark(faultText(fault, this.#texts));
    return fault === undefined;
  }

  /** The same, and whether what the crew needs is there; moves the focus to what is wrong. */
  demand(): boolean {
    if (!this.check()) {
      this.#focusFault();
      return false;
    }
    const { fields, values } = this.#filled;
    const missing = fields.filter((field, index) => checkInput(field, values.inputs[index] ?? field.initial) !== undefined);
    if (missing.length === 0) return true;
    this.#control.mark(fill(this.#texts.jsonMissing, missing.map(({ name }) => name).join(", ")));
    this.#control.focus();
    return false;
  }

  /** Whether the text can be read; moves the focus to where it can't. */
  isReadable(): boolean {
    const isReadable = this.check();
    if (!isReadable) this.#focusFault();
    return isReadable;
  }

  #read(): JsonViewFault | undefined {
    const reading = readJsonView(this.#base.fields, this.#base.values, this.text);
    if ("fault" in reading) return reading.fault;
    this.#filled = reading;
    return undefined;
  }

  #focusFault(): void {
    const fault = this.#read();
    if (fault === undefined) return;
    const lines = this.text.split("\n").slice(0, fault.line - 1);
    this.#control.focusAt(lines.join("\n").length + (lines.length === 0 ? 0 : 1) + fault.column - 1);
  }

  #changed(): void {
    clearTimeout(this.#timer);
    if (this.#read() === undefined) this.check();
    else this.#timer = setTimeout(() => this.check(), patience);
    this.#onInput();
  }
}

function faultText(fault: JsonViewFault, texts: FormTexts): string {
  if (fault.kind === "notJson") return jsonFaultText(fault, texts);
  const problem = texts.jsonFaults[fault.kind];
  return fill(texts.faultAt, fault.line, fault.column, "name" in fault ? fill(problem, fault.name) : problem);
}

/** The two buttons that choose between fields and JSON. */
export function viewToggle(texts: FormTexts, isJson: boolean, onChange: (isJson: boolean) => void): HTMLElement {
  const choice = (text: string, json: boolean) => {
    const element = button(text, "secondary", () => {
      if (json !== isJson) onChange(json);
    });
    element.setAttribute("aria-pressed", String(json === isJson));
    return element;
  };
  return make("div", { class: "views", role: "group", "aria-label": texts.view }, choice(texts.views.form, false), choice(texts.views.json, true));
}

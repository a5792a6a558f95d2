import { fill } from "../kickoff/form/messages.ts";
import type { FormTexts } from "../kickoff/texts.ts";
import type { JsonFault } from "../kickoff/json.ts";
import type { Fault } from "../kickoff/form/validate.ts";
import { make, newId } from "./dom.ts";

/** After typing, not when focus is lost, which would move a button away from the mouse (ms). */
export const problemDelayMs = 600;

export type BoxKind =
  | { readonly kind: "lines"; readonly isCode: boolean }
  | { readonly kind: "line"; readonly inputmode: "url" | "decimal" | "numeric" | "text" }
  /** `placeholder` shows that a secret is stored. */
  | { readonly kind: "secret"; readonly placeholder: string }
  | {
      readonly kind: "choice";
      readonly choices: readonly { readonly value: string; readonly label: string }[];
    };

type Box = HTMLTextAreaElement | HTMLInputElement | HTMLSelectElement;

export interface ControlOptions {
  readonly label: string;
  readonly mark?: string;
  readonly hint?: string | undefined;
  readonly isRequired?: boolean;
  readonly box: BoxKind;
  readonly text: string;
  readonly check: (text: string) => Fault | undefined;
  readonly onInput?: () => void;
}

export class Control {
  readonly element: HTMLElement;
  #box: Box;
  readonly #attributes: Readonly<Record<string, string>>;
  readonly #label: HTMLElement;
  readonly #note: HTMLElement;
  readonly #problem: HTMLElement;
  readonly #options: ControlOptions;
  readonly #texts: FormTexts;
  #isStrict = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ControlOptions, texts: FormTexts) {
    this.#options = options;
    this.#texts = texts;
    const { label, hint } = options;
    const mark = options.mark && make("span", { class: "mark" }, options.mark);
    const [id, hintId, noteId, problemId] = [newId(), newId(), newId(), newId()];
    this.#attributes = {
      id,
      "aria-describedby": `${hint === undefined ? "" : `${hintId} `}${noteId} ${problemId}`,
      ...(options.isRequired === true && { "aria-required": "true" }),
    };
    this.#label = make("label", { for: id }, label);
    this.#note = make("p", { class: "note", id: noteId });
    this.#problem = make("p", { class: "problem", id: problemId });
    this.#box = this.#make(options.box, options.text);
    this.element = make(
      "div",
      { class: "field" },
      make("div", { class: "heading" }, this.#label, mark),
      hint === undefined ? hint : make("p", { class: "hint", id: hintId }, hint),
      this.#box,
      this.#problem,
      this.#note,
    );
  }

  get text(): string {
    return this.#box.value;
  }

  set text(text: string) {
    this.#box.value = text;
    grow(this.#box);
  }

  get caret(): number {
    return this.#box instanceof HTMLSelectElement ? 0 : (this.#box.selectionStart ?? 0);
  }

  set caret(offset: number) {
    if (!(this.#box instanceof HTMLSelectElement)) this.#box.setSelectionRange(offset, offset);
  }

  set label(label: string) {
    this.#label.textContent = label;
  }

  set note(note: string) {
    this.#note.textContent = note;
  }

  set isHidden(isHidden: boolean) {
    this.#box.hidden = isHidden;
  }

  set isReadOnly(isReadOnly: boolean) {
    if (this.#box instanceof HTMLSelectElement) this.#box.disabled = isReadOnly;
    else this.#box.readOnly = isReadOnly;
  }

  get isEmpty(): boolean {
    return this.#box.value === "";
  }

  focus(): void {
    this.#box.focus();
  }

  use(kind: BoxKind, text: string): void {
    const isFocused = this.#box === document.activeElement;
    const box = this.#make(kind, text);
    this.#box.replaceWith(box);
    this.#box = box;
    if (isFocused) box.focus();
  }

  validate(): boolean {
    this.#isStrict = true;
    this.recheck();
    return this.isComplete;
  }

  mark(problem: string): void {
    clearTimeout(this.#timer);
    this.#problem.textContent = problem;
    this.#box.setAttribute("aria-invalid", "true");
  }

  /** Returns whether the value is valid or missing. */
  recheck(): boolean {
    const fault = this.#fault;
    if (fault === undefined || (isMissing(fault) && !this.#isStrict)) this.clear();
    else {
      const texts = this.#texts;
      this.mark(
        fault.kind === "notJson" ? jsonFaultText(fault.at, texts) : texts.faults[fault.kind],
      );
    }
    return this.isReadable;
  }

  /** Clears a solved problem. Returns whether none is shown. */
  clearIfValid(): boolean {
    if (this.isComplete) this.clear();
    return this.isComplete || (this.isReadable && !this.#isStrict);
  }

  get isReadable(): boolean {
    const fault = this.#fault;
    return fault === undefined || isMissing(fault);
  }

  get isComplete(): boolean {
    return this.#fault === undefined;
  }

  get isMarked(): boolean {
    return this.#box.hasAttribute("aria-invalid");
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#problem.textContent = "";
    this.#box.removeAttribute("aria-invalid");
  }

  get #fault(): Fault | undefined {
    return this.#options.check(this.text);
  }

  #make(kind: BoxKind, text: string): Box {
    const box = makeBox(kind, this.#attributes);
    box.value = text;
    box.addEventListener("input", () => this.#changed());
    grow(box);
    return box;
  }

  #changed(): void {
    grow(this.#box);
    clearTimeout(this.#timer);
    // It may only be incomplete.
    if (this.isComplete) this.clear();
    else this.#timer = setTimeout(() => this.recheck(), problemDelayMs);
    this.#options.onInput?.();
  }
}

function isMissing({ kind }: Fault): boolean {
  const secret = kind === "noSecret" || kind === "otherSecret";
  return secret || ["missing", "noAddress", "noEvents", "noUsername"].includes(kind);
}

export function jsonFaultText({ line, column, expected }: JsonFault, texts: FormTexts): string {
  const text = expected === "exactNumber" ? texts.faultAt : texts.notJson;
  return fill(text, line, column, texts.expected[expected]);
}

function makeBox(kind: BoxKind, attributes: Readonly<Record<string, string>>): Box {
  const line = { ...attributes, spellcheck: "false", autocomplete: "off" };
  switch (kind.kind) {
    case "lines":
      return make("textarea", {
        ...attributes,
        rows: "1",
        spellcheck: String(!kind.isCode),
        ...(kind.isCode && { class: "code" }),
      });
    case "line":
      return make("input", { ...line, type: "text", inputmode: kind.inputmode });
    case "secret":
      return make("input", { ...line, type: "password", placeholder: kind.placeholder });
    case "choice": {
      const options = kind.choices.map(({ value, label }) => make("option", { value }, label));
      return make("select", attributes, ...options);
    }
  }
}

/** For browsers whose style sheet can't resize a text area (Firefox). */
function grow(box: Box): void {
  if (box instanceof HTMLTextAreaElement && !CSS.supports("field-sizing", "content"))
    box.rows = Math.min(box.value.split("\n").length, 20);
}

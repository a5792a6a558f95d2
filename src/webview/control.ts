import type { FormTexts } from "../kickoff/form-texts.ts";
import type { Fault } from "../kickoff/validate.ts";
import { make, newId } from "./dom.ts";
import { faultText } from "./words.ts";

/**
 * Milliseconds without typing before a fault is shown: half a JSON object is not yet a mistake. Leaving the field shows
 * nothing by itself: what appears while the mouse goes down on a button moves the button away from under it.
 */
const patience = 600;

/** What a labelled text control is made of. */
export interface ControlOptions {
  readonly label: string;
  /** Small words behind the label, such as "required". */
  readonly mark?: string;
  readonly hint?: string;
  /** Whether it cannot be sent without a value. */
  readonly isRequired?: boolean;
  readonly kind: "lines" | "address";
  readonly text: string;
  readonly check: (text: string) => Fault | undefined;
  readonly onInput: () => void;
}

/** A label, a text control that grows, a hint, and what is wrong with its text: tied together for screen readers. */
export class Control {
  readonly element: HTMLElement;
  readonly #box: HTMLTextAreaElement | HTMLInputElement;
  readonly #problem: HTMLElement;
  readonly #options: ControlOptions;
  readonly #texts: FormTexts;
  #isStrict = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ControlOptions, texts: FormTexts) {
    this.#options = options;
    this.#texts = texts;
    const [id, hintId, problemId] = [newId(), newId(), newId()];
    const common = { id, "aria-describedby": options.hint === undefined ? problemId : `${hintId} ${problemId}`, ...(options.isRequired === true ? { "aria-required": "true" } : {}) };
    this.#box =
      options.kind === "lines"
        ? make("textarea", { ...common, rows: "1" })
        : make("input", { ...common, type: "text", inputmode: "url", spellcheck: "false", autocomplete: "off" });
    this.#box.value = options.text;
    this.#problem = make("p", { class: "problem", id: problemId });
    const heading = make("div", { class: "heading" }, make("label", { for: id }, options.label));
    if (options.mark !== undefined) heading.append(make("span", { class: "mark" }, options.mark));
    this.element = make("div", { class: "field" }, heading);
    if (options.hint !== undefined) this.element.append(make("p", { class: "hint", id: hintId }, options.hint));
    this.element.append(this.#box, this.#problem);
    this.#box.addEventListener("input", () => this.#changed());
    this.#grow();
  }

  get text(): string {
    return this.#box.value;
  }

  set text(text: string) {
    this.#box.value = text;
    this.#grow();
  }

  /** Shows text as code, and does not check its spelling. */
  set isCode(isCode: boolean) {
    this.#box.classList.toggle("code", isCode);
    this.#box.spellcheck = !isCode;
  }

  /** Takes the text control away, or brings it back. */
  set isHidden(isHidden: boolean) {
    this.#box.hidden = isHidden;
  }

  set isReadOnly(isReadOnly: boolean) {
    this.#box.readOnly = isReadOnly;
  }

  /** Whether it holds nothing. */
  get isEmpty(): boolean {
    return this.#box.value === "";
  }

  focus(): void {
    this.#box.focus();
  }

  /** Shows what is wrong now, if anything is; from now on a missing value counts, too. True if nothing is wrong. */
  demand(): boolean {
    this.#isStrict = true;
    this.recheck();
    return this.#fault() === undefined;
  }

  /** Shows a problem that only the crew could know. It goes with the next change. */
  mark(problem: string): void {
    clearTimeout(this.#timer);
    this.#problem.textContent = problem;
    this.#box.setAttribute("aria-invalid", "true");
  }

  /** Shows what is wrong now, or that nothing is. True unless what is there is wrong; missing is not. */
  recheck(): boolean {
    const fault = this.#fault();
    if (fault === undefined || (fault.kind === "missing" && !this.#isStrict)) this.#clear();
    else this.mark(faultText(fault, this.#texts));
    return fault === undefined || fault.kind === "missing";
  }

  #fault(): Fault | undefined {
    return this.#options.check(this.text);
  }

  #changed(): void {
    this.#grow();
    clearTimeout(this.#timer);
    // What is right again is shown at once; what is wrong may only be unfinished.
    if (this.#fault() === undefined) this.#clear();
    else this.#timer = setTimeout(() => this.recheck(), patience);
    this.#options.onInput();
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#problem.textContent = "";
    this.#box.removeAttribute("aria-invalid");
  }

  /** Where the style sheet cannot let a text area grow with its text (Firefox), its rows do. */
  #grow(): void {
    if (this.#box instanceof HTMLTextAreaElement && !CSS.supports("field-sizing", "content")) {
      this.#box.rows = Math.min(this.#box.value.split("\n").length, 20);
    }
  }
}

import type { FormTexts } from "../kickoff/form-texts.ts";
import type { Fault } from "../kickoff/validate.ts";
import { grow, makeBox, type Box, type BoxKind } from "./box.ts";
import { make, newId } from "./dom.ts";
import { faultText } from "./words.ts";

/**
 * Milliseconds without typing before a fault is shown: half a JSON object is not yet a mistake. Leaving the field shows
 * nothing by itself: what appears while the mouse goes down on a button moves the button away from under it.
 */
const patience = 600;

/** What a labelled control is made of. */
export interface ControlOptions {
  readonly label: string;
  /** Small words behind the label, such as "required". */
  readonly mark?: string;
  readonly hint?: string;
  /** Whether it cannot be sent without a value. */
  readonly isRequired?: boolean;
  readonly box: BoxKind;
  readonly text: string;
  readonly check: (text: string) => Fault | undefined;
  readonly onInput: () => void;
}

/** A label, something to enter a value in, a hint, a note, and what is wrong with the value: tied together for screen readers. */
export class Control {
  readonly element: HTMLElement;
  #box: Box;
  readonly #attributes: Readonly<Record<string, string>>;
  readonly #note: HTMLElement;
  readonly #problem: HTMLElement;
  readonly #options: ControlOptions;
  readonly #texts: FormTexts;
  #isStrict = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ControlOptions, texts: FormTexts) {
    this.#options = options;
    this.#texts = texts;
    const [id, hintId, noteId, problemId] = [newId(), newId(), newId(), newId()];
    const described = [...(options.hint === undefined ? [] : [hintId]), noteId, problemId].join(
      " ",
    );
    this.#attributes = {
      id,
      "aria-describedby": described,
      ...(options.isRequired === true ? { "aria-required": "true" } : {}),
    };
    this.#note = make("p", { class: "note", id: noteId });
    this.#problem = make("p", { class: "problem", id: problemId });
    const heading = make("div", { class: "heading" }, make("label", { for: id }, options.label));
    if (options.mark !== undefined) heading.append(make("span", { class: "mark" }, options.mark));
    this.element = make("div", { class: "field" }, heading);
    if (options.hint !== undefined)
      this.element.append(make("p", { class: "hint", id: hintId }, options.hint));
    this.#box = this.#make(options.box, options.text);
    this.element.append(this.#box, this.#problem, this.#note);
  }

  get text(): string {
    return this.#box.value;
  }

  set text(text: string) {
    this.#box.value = text;
    grow(this.#box);
  }

  /** Where the cursor is in the text, counted from 0. */
  get caret(): number {
    return this.#box instanceof HTMLSelectElement ? 0 : (this.#box.selectionStart ?? 0);
  }

  /** Puts another text in the place of the one that is there, with the cursor at a place in it; the focus stays where it is. */
  rewrite(text: string, caret: number): void {
    this.text = text;
    if (!(this.#box instanceof HTMLSelectElement)) this.#box.setSelectionRange(caret, caret);
  }

  /** Says what is sent where the value does not; nothing takes it away. */
  set note(note: string) {
    this.#note.textContent = note;
  }

  /** Takes the box away, or brings it back. */
  set isHidden(isHidden: boolean) {
    this.#box.hidden = isHidden;
  }

  set isReadOnly(isReadOnly: boolean) {
    if (this.#box instanceof HTMLSelectElement) this.#box.disabled = isReadOnly;
    else this.#box.readOnly = isReadOnly;
  }

  /** Whether it holds nothing. */
  get isEmpty(): boolean {
    return this.#box.value === "";
  }

  focus(): void {
    this.#box.focus();
  }

  /** Moves the focus to a place in the text, counted from 0. */
  focusAt(offset: number): void {
    this.#box.focus();
    if (!(this.#box instanceof HTMLSelectElement)) this.#box.setSelectionRange(offset, offset);
  }

  /** Puts another box in the place of the one before, with this text. */
  use(kind: BoxKind, text: string): void {
    const isFocused = this.#box === document.activeElement;
    const box = this.#make(kind, text);
    this.#box.replaceWith(box);
    this.#box = box;
    if (isFocused) box.focus();
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
    if (fault === undefined || (isMissing(fault) && !this.#isStrict)) this.clear();
    else this.mark(faultText(fault, this.#texts));
    return this.isReadable;
  }

  /** Takes away what is no longer wrong, also where that lay in another field. True unless something wrong is shown still. */
  settle(): boolean {
    const fault = this.#fault();
    if (fault === undefined) this.clear();
    return fault === undefined || (isMissing(fault) && !this.#isStrict);
  }

  /** Whether what is there can be read; missing is not wrong. Shows nothing. */
  get isReadable(): boolean {
    const fault = this.#fault();
    return fault === undefined || isMissing(fault);
  }

  /** Whether what is there can be sent: neither wrong nor missing. Shows nothing. */
  get isComplete(): boolean {
    return this.#fault() === undefined;
  }

  /** Whether something is shown to be wrong. */
  get isMarked(): boolean {
    return this.#box.hasAttribute("aria-invalid");
  }

  /** Shows that nothing is wrong. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#problem.textContent = "";
    this.#box.removeAttribute("aria-invalid");
  }

  #make(kind: BoxKind, text: string): Box {
    const box = makeBox(kind, this.#attributes);
    box.value = text;
    box.addEventListener("input", () => this.#changed());
    grow(box);
    return box;
  }

  #fault(): Fault | undefined {
    return this.#options.check(this.text);
  }

  #changed(): void {
    grow(this.#box);
    clearTimeout(this.#timer);
    // What is right again is shown at once; what is wrong may only be unfinished.
    if (this.#fault() === undefined) this.clear();
    else this.#timer = setTimeout(() => this.recheck(), patience);
    this.#options.onInput();
  }
}

/** Whether something is only not there yet. */
function isMissing({ kind }: Fault): boolean {
  return (
    kind === "missing" ||
    kind === "noAddress" ||
    kind === "noEvents" ||
    kind === "noUsername" ||
    kind === "noSecret" ||
    kind === "otherSecret"
  );
}

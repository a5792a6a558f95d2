import { fill, kickoffFaultText } from "../kickoff/form/messages.ts";
import type { FormTexts } from "../kickoff/texts.ts";
import type { Filled, JsonViewFault, JsonViewValues } from "../kickoff/form/json-view.ts";
import { movedToExtra, readJsonView } from "../kickoff/form/json-view.ts";
import { targetOf } from "../kickoff/form/secrets.ts";
import { type SecretName, secretNames } from "../kickoff/callbacks.ts";
import { edited, placeAfterCuts, type Span } from "../kickoff/json.ts";
import { checkInput } from "../kickoff/form/validate.ts";
import type { FormValues } from "../kickoff/form/values.ts";
import { Control, jsonFaultText, problemDelayMs } from "./control.ts";
import { button, make } from "./dom.ts";

interface JsonPageEvents {
  readonly onInput: () => void;
  readonly onDiscard: () => void;
  /** "" if the secret was removed. */
  readonly onSecret: (name: SecretName, text: string, target: string) => void;
}

export class JsonPage {
  readonly element: HTMLElement;
  readonly #control: Control;
  readonly #discard: HTMLButtonElement;
  readonly #moved = make("p", { class: "note", role: "status" });
  readonly #texts: FormTexts;
  readonly #events: JsonPageEvents;
  readonly #base: Filled;
  #filled: Filled & Pick<JsonViewValues, "secrets" | "wrong">;
  /** With their targets. */
  readonly #reported = new Map<SecretName, { readonly text: string; readonly target: string }>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isPasted = false;

  constructor(filled: Filled, text: string, texts: FormTexts, events: JsonPageEvents) {
    this.#texts = texts;
    this.#base = filled;
    this.#filled = { ...filled, secrets: [], wrong: [] };
    this.#events = events;
    const [check, onInput] = [() => undefined, () => this.#changed()];
    const box = { kind: "lines", isCode: true } as const;
    this.#control = new Control({ ...texts.jsonView, box, text, check, onInput }, texts);
    this.#discard = button(texts.discardJson, "link", events.onDiscard);
    this.#control.element.append(this.#moved, this.#discard);
    this.element = this.#control.element;
    this.element.classList.add("whole");
    this.element.addEventListener("keydown", () => (this.#isPasted = false));
    this.element.addEventListener("paste", () => (this.#isPasted = true));
    this.check();
    // An earlier page reported the secrets in the text.
    for (const { of, text: secret } of this.#filled.secrets)
      this.#reported.set(of, { text: secret, target: targetOf(of, this.#filled.values) });
  }

  get filled(): Filled {
    return this.#filled;
  }

  get values(): FormValues {
    return { ...this.#filled.values, json: this.#control.text };
  }

  get isWrong(): boolean {
    return this.#control.isMarked || this.#read() !== undefined;
  }

  set isReadOnly(isReadOnly: boolean) {
    this.#control.isReadOnly = isReadOnly;
  }

  focus(): void {
    this.#control.focus();
    this.#control.caret = 0;
  }

  /** Ignores missing values. Returns whether the text is readable. */
  check(): boolean {
    clearTimeout(this.#timer);
    const fault = this.#read();
    this.#discard.hidden = fault === undefined;
    const shown = fault ?? this.#wrongAddress;
    if (shown === undefined) this.#control.clear();
    else this.#control.mark(jsonViewFaultText(shown, this.#texts));
    return fault === undefined;
  }

  /** Focuses any problem. Returns whether the text is valid and complete. */
  validate(): boolean {
    if (!this.isReadable({ isWhole: true })) return false;
    const [lack] = this.#filled.wrong;
    if (lack !== undefined) {
      this.#control.mark(jsonViewFaultText(lack, this.#texts));
      this.#focusAt(lack);
      return false;
    }
    const { fields, values } = this.#filled;
    const missing = fields
      .filter((field, index) => checkInput(field, values.inputs[index] ?? field.initial))
      .map(({ name }) => name);
    if (missing.length === 0) return true;
    this.#control.mark(fill(this.#texts.jsonMissing, missing.join(", ")));
    this.#control.focus();
    return false;
  }

  /** With `isWhole`, also without invalid addresses. Focuses the problem. */
  isReadable({ isWhole }: { readonly isWhole: boolean }): boolean {
    if (this.#read() === undefined) this.#moveSecrets(() => true);
    const isRead = this.check();
    const fault = isRead ? this.#wrongAddress : this.#read();
    if (fault === undefined || (isRead && !isWhole)) return true;
    this.#focusAt(fault);
    return false;
  }

  get #wrongAddress(): JsonViewFault | undefined {
    return this.#filled.wrong.find(({ kind }) => kind !== "missingPart");
  }

  #read(): JsonViewFault | undefined {
    const reading = readJsonView(this.#base.fields, this.#base.values, this.#control.text);
    if ("fault" in reading) return reading.fault;
    this.#filled = reading;
    return undefined;
  }

  #focusAt({ line, column }: JsonViewFault): void {
    const before = this.#control.text.split("\n").slice(0, line - 1);
    this.#control.focus();
    this.#control.caret = before.reduce((sum, text) => sum + text.length + 1, column - 1);
  }

  #changed(): void {
    clearTimeout(this.#timer);
    // Pasting several lines fires several events.
    if (this.#control.text !== this.#filled.values.json) this.#moved.textContent = "";
    if (this.#isPasted) this.#moveUnknown();
    const isRead = this.#read() === undefined;
    if (isRead) {
      this.#reportSecrets();
      // A secret isn't removed while the cursor is in it.
      const { caret } = this.#control;
      this.#moveSecrets(({ start, end }) => caret <= start || end <= caret);
    }
    if (isRead && this.#wrongAddress === undefined) this.check();
    else this.#timer = setTimeout(() => this.check(), problemDelayMs);
    this.#events.onInput();
  }

  /** Only what is pasted: a member that is typed may be a typing error, which must not be sent. */
  #moveUnknown(): void {
    const text = movedToExtra(this.#control.text);
    if (text === undefined) return;
    this.#isPasted = false;
    this.#control.text = text;
    this.#moved.textContent = this.#texts.extraMoved;
  }

  #reportSecrets(): void {
    for (const name of secretNames) {
      const text = this.#filled.secrets.find(({ of }) => of === name)?.text ?? "";
      const target = targetOf(name, this.#filled.values);
      const reported = this.#reported.get(name);
      if (text === (reported?.text ?? "") && (text === "" || target === reported?.target)) continue;
      this.#reported.set(name, { text, target });
      this.#events.onSecret(name, text, target);
    }
  }

  /** The extension host has them. */
  #moveSecrets(isMoved: (value: Span) => boolean): void {
    const moved = this.#filled.secrets.filter(({ value }) => isMoved(value));
    if (moved.length === 0) return;
    const cuts = moved.map(({ cut }) => cut);
    const edits = cuts.map((at) => ({ at, text: "" }));
    const caret = placeAfterCuts(this.#control.caret, cuts);
    this.#control.text = edited(this.#control.text, edits);
    this.#control.caret = caret;
    for (const { of } of moved) this.#reported.delete(of);
    this.#moved.textContent = this.#texts.secretsMoved;
    this.#read();
  }
}

function jsonViewFaultText(fault: JsonViewFault, texts: FormTexts): string {
  if (fault.kind === "notJson") return jsonFaultText(fault, texts);
  return fill(texts.faultAt, fault.line, fault.column, kickoffFaultText(fault, texts));
}

import { fill } from "../kickoff/fill.ts";
import type { FormField } from "../kickoff/fields.ts";
import type { FormTexts } from "../kickoff/form-texts.ts";
import { readJsonView, type JsonViewFault, type JsonViewValues } from "../kickoff/json-view.ts";
import { targetOf } from "../kickoff/held-secrets.ts";
import { secretNames, type SecretName } from "../kickoff/secret-callbacks.ts";
import { edited, placeAfterCuts } from "../kickoff/text-edits.ts";
import { checkInput } from "../kickoff/validate.ts";
import type { FormValues } from "../kickoff/values.ts";
import { Control } from "./control.ts";
import { button, make } from "./dom.ts";
import { jsonViewFaultText } from "./words.ts";

/** Milliseconds without typing before a fault is shown, as in the fields. */
const patience = 600;

/** Fields and what they hold. */
export interface Filled {
  readonly fields: readonly FormField[];
  readonly values: FormValues;
}

/** What the text tells. */
export interface JsonPageEvents {
  readonly onInput: () => void;
  readonly onDiscard: () => void;
  /** A secret stands in the text, or no longer does: it is held as if it had been typed in its box. */
  readonly onSecret: (name: SecretName, text: string, target: string) => void;
}

/** A whole kickoff as one JSON text, but for the secrets of its callbacks. */
export class JsonPage {
  readonly element: HTMLElement;
  readonly #control: Control;
  readonly #discard: HTMLButtonElement;
  /** Says that a secret was taken out. */
  readonly #moved = make("p", { class: "note", role: "status" });
  readonly #texts: FormTexts;
  readonly #events: JsonPageEvents;
  /** What the text was made of: what is no longer in it is left out. */
  readonly #base: Filled;
  /** What could be read last. */
  #filled: Filled & Pick<JsonViewValues, "secrets" | "wrong">;
  /** Secrets that stand in the text, as they were told, with what they are for. */
  readonly #told = new Map<SecretName, { readonly text: string; readonly target: string }>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Shows a text that stands for values, or once did: what can't be read is kept as it is. */
  constructor(filled: Filled, text: string, texts: FormTexts, events: JsonPageEvents) {
    this.#texts = texts;
    this.#base = filled;
    this.#filled = { ...filled, secrets: [], wrong: [] };
    this.#events = events;
    this.#control = new Control(
      {
        ...texts.jsonView,
        box: { kind: "lines", isCode: true },
        text,
        check: () => undefined,
        onInput: () => this.#changed(),
      },
      texts,
    );
    this.#discard = button(texts.discardJson, "link", events.onDiscard);
    this.#control.element.append(this.#moved, this.#discard);
    this.element = this.#control.element;
    this.element.classList.add("whole");
    this.check();
    // Those that stand there were told by the page before this one.
    for (const { of, text: secret } of this.#filled.secrets)
      this.#told.set(of, { text: secret, target: targetOf(of, this.#filled.values) });
  }

  /** What could be read last, and now, unless {@link check} says otherwise. */
  get filled(): Filled {
    return this.#filled;
  }

  /** The same with the text as typed. */
  get values(): FormValues {
    return { ...this.#filled.values, json: this.#control.text };
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

  /** Shows what is wrong with the text, if anything is; what is missing is not. True if it can be read. */
  check(): boolean {
    clearTimeout(this.#timer);
    const fault = this.#read();
    this.#discard.hidden = fault === undefined;
    const shown = fault ?? this.#wrongAddress;
    if (shown === undefined) this.#control.clear();
    else this.#control.mark(jsonViewFaultText(shown, this.#texts));
    return fault === undefined;
  }

  /** The same, and whether what the crew and the callbacks need is there; moves the focus to what is wrong. */
  demand(): boolean {
    if (!this.isReadable({ isWhole: true })) return false;
    const [lack] = this.#filled.wrong;
    if (lack !== undefined) {
      this.#control.mark(jsonViewFaultText(lack, this.#texts));
      this.#focusAt(lack);
      return false;
    }
    const { fields, values } = this.#filled;
    const missing = fields.filter(
      (field, index) => checkInput(field, values.inputs[index] ?? field.initial) !== undefined,
    );
    if (missing.length === 0) return true;
    this.#control.mark(fill(this.#texts.jsonMissing, missing.map(({ name }) => name).join(", ")));
    this.#control.focus();
    return false;
  }

  /** Whether the text can be read, and, where it is to be used as a whole, without a wrong address; moves the focus to where that is not so. */
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
    const lines = this.#control.text.split("\n").slice(0, line - 1);
    this.#control.focusAt(lines.join("\n").length + (lines.length === 0 ? 0 : 1) + column - 1);
  }

  #changed(): void {
    clearTimeout(this.#timer);
    // A paste of several lines tells several times of one change.
    if (this.#control.text !== this.#filled.values.json) this.#moved.textContent = "";
    const isRead = this.#read() === undefined;
    if (isRead) this.#tellSecrets();
    // One that is being typed is not taken from under the person's hands.
    if (isRead)
      this.#moveSecrets(
        ({ start, end }) => this.#control.caret <= start || end <= this.#control.caret,
      );
    if (isRead && this.#wrongAddress === undefined) this.check();
    else this.#timer = setTimeout(() => this.check(), patience);
    this.#events.onInput();
  }

  #tellSecrets(): void {
    for (const name of secretNames) {
      const text = this.#filled.secrets.find(({ of }) => of === name)?.text ?? "";
      const target = targetOf(name, this.#filled.values);
      const told = this.#told.get(name);
      if (text === (told?.text ?? "") && (text === "" || target === told?.target)) continue;
      this.#told.set(name, { text, target });
      this.#events.onSecret(name, text, target);
    }
  }

  /** Takes secrets out of a text that can be read; they are held already. */
  #moveSecrets(
    isMoved: (value: { readonly start: number; readonly end: number }) => boolean,
  ): void {
    const moved = this.#filled.secrets.filter(({ value }) => isMoved(value));
    if (moved.length === 0) return;
    const cuts = moved.map(({ cut }) => cut);
    this.#control.rewrite(
      edited(
        this.#control.text,
        cuts.map((at) => ({ at, text: "" })),
      ),
      placeAfterCuts(this.#control.caret, cuts),
    );
    for (const { of } of moved) this.#told.delete(of);
    this.#moved.textContent = this.#texts.secretsMoved;
    this.#read();
  }
}

/** The two buttons that choose between fields and JSON. */
export function viewToggle(
  texts: FormTexts,
  isJson: boolean,
  onChange: (isJson: boolean) => void,
): HTMLElement {
  const choice = (text: string, json: boolean) => {
    const element = button(text, "secondary", () => {
      if (json !== isJson) onChange(json);
    });
    element.setAttribute("aria-pressed", String(json === isJson));
    return element;
  };
  return make(
    "div",
    { class: "views", role: "group", "aria-label": texts.view },
    choice(texts.views.form, false),
    choice(texts.views.json, true),
  );
}

import type { FormField } from "../kickoff/fields.ts";
import { formToolNames, type FormToolName } from "../kickoff/form-tools.ts";
import type { FormTexts } from "../kickoff/form-texts.ts";
import type { Draft, FormFocus, FormView, Outcome } from "../kickoff/messages.ts";
import { initialValues, type FormValues } from "../kickoff/values.ts";
import { Advanced } from "./advanced.ts";
import { button, make } from "./dom.ts";
import { InputField } from "./input-field.ts";
import { outcomeBox } from "./outcome.ts";
import type { Outside } from "./state.ts";
import { fill, submitKeys } from "./words.ts";

type View = Extract<FormView, { readonly kind: "form" }>;

/** The form itself: its fields, what is typed in them, and the button that sends it once. */
export class FormPage {
  readonly element: HTMLElement;
  readonly #view: View;
  readonly #texts: FormTexts;
  readonly #outside: Outside;
  #draftId: string;
  #fields: readonly FormField[] = [];
  #inputs: readonly InputField[] = [];
  readonly #list = make("div", { class: "inputs" });
  readonly #advanced: Advanced;
  readonly #outcome = make("div", { class: "outcome", role: "alert" });
  /** Heard, not seen: the button says the same to the eye. */
  readonly #status = make("p", { class: "unseen", role: "status" });
  readonly #submit: HTMLButtonElement;
  #isSending = false;
  #isBlocked = false;

  constructor(view: View, texts: FormTexts, outside: Outside) {
    this.#view = view;
    this.#texts = texts;
    this.#outside = outside;
    this.#draftId = view.draft.id;
    this.#submit = button(texts.kickOff, "primary", () => this.submit());
    this.#advanced = new Advanced(view.draft.values, texts, () => this.#changed());
    this.#addFields(view.fields, view.draft.values);
    if (this.#inputs.length === 0) this.#list.append(make("p", { class: "nothing" }, texts.noInputs));
    this.element = make("div", {}, this.#tools(), ...this.#notice(), this.#list, this.#advanced.element, this.#footer());
    if (view.outcome !== undefined) this.ended(view.outcome, view.fields, view.draft.id);
    if (view.isSending) this.sending();
  }

  /** What is typed now, with the id under which it is sent. */
  get draft(): Draft {
    return { id: this.#draftId, values: { inputs: this.#inputs.map((field) => field.value), ...this.#advanced.values } };
  }

  /** Moves the focus to where the person goes on: the first input without a value, else the first, else the button. */
  focus(where: FormFocus): void {
    const named = typeof where === "object" ? this.#inputs.find((input) => input.name === where.input) : undefined;
    const field = named ?? this.#inputs.find((input) => input.isEmpty) ?? this.#inputs[0];
    if (where === "submit" || field === undefined) this.#submit.focus();
    else field.focus();
  }

  /** Sends what is typed, unless something is wrong with it, it is being sent, or it may have been sent. */
  submit(): void {
    if (this.#isSending || this.#isBlocked) return;
    if (!this.#demand()) return;
    this.sending();
    this.#outside.post({ type: "submit", draft: this.draft });
  }

  /** What is typed is on its way. */
  sending(): void {
    this.#outcome.replaceChildren();
    this.#setSending(true);
  }

  /** Sending ended without a start. Nothing that was typed is lost. */
  ended(outcome: Outcome, fields: readonly FormField[], draftId: string): void {
    this.#draftId = draftId;
    this.#setSending(false);
    this.#setBlocked(outcome.kind === "maybeStarted");
    this.#outcome.replaceChildren(outcomeBox(outcome, this.#texts, (message) => this.#outside.post(message)));
    this.#addFields(fields, initialValues(fields));
    const names = outcome.kind === "refused" ? outcome.missing : [];
    const missing = this.#inputs.filter((field) => names.includes(field.name));
    for (const field of missing) field.control.mark(this.#texts.refusedAsMissing);
    if (missing[0] === undefined) this.#outcome.scrollIntoView({ block: "nearest" });
    else missing[0].focus();
  }

  #demand(): boolean {
    const wrong = this.#inputs.filter((field) => !field.control.demand());
    const wrongAdvanced = this.#advanced.controls.filter((control) => !control.demand());
    if (wrongAdvanced.length > 0) this.#advanced.unfold();
    const first = wrong[0] ?? wrongAdvanced[0];
    first?.focus();
    this.#outcome.replaceChildren(...(first === undefined ? [] : [make("p", { class: "error" }, this.#texts.checkFields)]));
    return first === undefined;
  }

  #addFields(fields: readonly FormField[], values: FormValues): void {
    const known = new Set(this.#inputs.map((field) => field.name));
    const added = fields.flatMap((field, index) => {
      const value = values.inputs[index];
      return known.has(field.name) || value === undefined ? [] : [new InputField(field, value, this.#texts, { onInput: () => this.#changed(), onTake: () => this.#outside.post({ type: "take", input: field.name }) })];
    });
    this.#fields = fields;
    this.#inputs = [...this.#inputs, ...added];
    this.#list.append(...added.map((field) => field.control.element));
  }

  /** The buttons that take the form as it stands. What can't be read is marked first: it would be lost. */
  #tools(): HTMLElement {
    const use = (tool: FormToolName) => {
      if (tool === "presets" || this.#isReadable()) this.#outside.post({ type: "tool", tool });
    };
    return make("div", { class: "tools", role: "group" }, ...formToolNames.map((tool) => button(this.#texts.tools[tool], "secondary", () => use(tool))));
  }

  #isReadable(): boolean {
    const first = [...this.#inputs, ...this.#advanced.controls].find((part) => !(part instanceof InputField ? part.control : part).recheck());
    if (first !== undefined && this.#advanced.controls.some((control) => control === first)) this.#advanced.unfold();
    first?.focus();
    return first === undefined;
  }

  #notice(): readonly HTMLElement[] {
    const { notice } = this.#view;
    if (notice === undefined) return [];
    const { input = "", from = "" } = notice.taken ?? {};
    const line = make("p", { class: "notice", role: "status" }, fill(this.#texts.notices[notice.kind], input, from));
    if (notice.canUndo) line.append(" ", button(this.#texts.undo, "link", () => this.#outside.post({ type: "undo" })));
    else if (notice.kind !== "cleared") line.append(" ", button(this.#texts.clear, "link", () => this.#outside.post({ type: "clear" })));
    return [line];
  }

  #footer(): HTMLElement {
    const keys = make("span", { class: "keys" }, fill(this.#texts.shortcut, submitKeys()));
    const footer = make("footer", {}, this.#outcome, make("div", { class: "buttons" }, this.#submit, keys), this.#status);
    // The footer stays in view; a field that gets the focus must not end up behind it.
    new ResizeObserver(() => {
      document.documentElement.style.scrollPaddingBottom = `${footer.offsetHeight + 8}px`;
    }).observe(footer);
    return footer;
  }

  #changed(): void {
    this.#outside.keep(this.#view.crew, this.#fields, this.draft);
    this.#outside.post({ type: "changed", draft: this.draft });
  }

  #setSending(isSending: boolean): void {
    this.#isSending = isSending;
    this.#submit.textContent = isSending ? this.#texts.sending : this.#texts.kickOff;
    this.#status.textContent = isSending ? this.#texts.sending : "";
    this.#showButton();
    for (const field of [...this.#inputs, ...this.#advanced.controls]) field.isReadOnly = isSending;
  }

  #setBlocked(isBlocked: boolean): void {
    this.#isBlocked = isBlocked;
    this.#showButton();
  }

  /** Not `disabled`, which would throw the keyboard's focus away. */
  #showButton(): void {
    this.#submit.setAttribute("aria-disabled", String(this.#isSending || this.#isBlocked));
  }
}

import type { FormField } from "../kickoff/fields.ts";
import { formToolNames, type FormToolName } from "../kickoff/form-tools.ts";
import type { FormTexts } from "../kickoff/form-texts.ts";
import { writeJsonView } from "../kickoff/json-view.ts";
import type { Draft, FormFocus, FormView, Notice, Outcome } from "../kickoff/messages.ts";
import type { SecretName } from "../kickoff/secret-callbacks.ts";
import { initialValues, type FormValues } from "../kickoff/values.ts";
import { Advanced } from "./advanced.ts";
import type { Control } from "./control.ts";
import { button, make } from "./dom.ts";
import { Footer } from "./footer.ts";
import { InputField } from "./input-field.ts";
import { JsonPage, viewToggle } from "./json-page.ts";
import { noticeLine } from "./notice.ts";
import { outcomeBox } from "./outcome.ts";
import type { Outside } from "./state.ts";

type View = Extract<FormView, { readonly kind: "form" }>;

/** The form itself: its fields or its JSON, what is typed in them, and the button that sends it once. */
export class FormPage {
  readonly element: HTMLElement;
  readonly #view: View;
  readonly #texts: FormTexts;
  readonly #outside: Outside;
  #draftId: string;
  #fields: readonly FormField[] = [];
  #inputs: readonly InputField[] = [];
  /** Set while the whole kickoff is shown as JSON. */
  #json: JsonPage | undefined;
  readonly #head = make("div", { class: "head" });
  readonly #notice = make("div", {});
  readonly #list = make("div", { class: "inputs" });
  readonly #advanced: Advanced;
  readonly #footer: Footer;
  /** Set while the footer complains: whether what it complains of is so still. */
  #isStillWrong: (() => boolean) | undefined;
  #isSending = false;
  #isBlocked = false;

  constructor(view: View, texts: FormTexts, outside: Outside) {
    const { values } = view.draft;
    this.#view = view;
    this.#texts = texts;
    this.#outside = outside;
    this.#draftId = view.draft.id;
    this.#footer = new Footer(texts, () => this.submit());
    this.#advanced = new Advanced(
      {
        values,
        secrets: view.secrets,
        onInput: () => this.#changed(),
        onSecret: (name, text, target) => this.#secretTyped(name, text, target),
      },
      texts,
    );
    if (values.json === undefined) this.#showFields(view.fields, values);
    else this.#showJson(view.fields, values, values.json);
    this.notice = view.notice;
    this.element = make(
      "div",
      {},
      this.#head,
      this.#notice,
      this.#list,
      this.#advanced.element,
      this.#footer.element,
    );
    if (view.outcome !== undefined) this.ended(view.outcome, view.fields, view.draft.id);
    if (view.isSending) this.sending();
  }

  /** Says where the values came from. */
  set notice(notice: Notice | undefined) {
    this.#notice.replaceChildren(...noticeLine(notice, this.#texts, this.#outside));
  }

  /** What is typed now, with the id under which it is sent. A secret is in it only where it stands in the JSON text. */
  get draft(): Draft {
    const values = this.#json?.values ?? {
      inputs: this.#inputs.map((field) => field.value),
      ...this.#advanced.values,
    };
    return { id: this.#draftId, values };
  }

  /**
   * Moves the focus to where the person goes on: an input, else the first one without a value, else the first, else the button. Given
   * values, which come without secrets, lack no more than those where the inputs are there.
   */
  focus(where: FormFocus): void {
    const named =
      typeof where === "object"
        ? this.#inputs.find((input) => input.name === where.input)
        : undefined;
    const field = named ?? this.#inputs.find((input) => input.isEmpty) ?? this.#inputs[0];
    const isGiven =
      where === "first" &&
      this.#view.notice?.kind === "given" &&
      !this.#inputs.some((input) => input.isMissing);
    const secret = isGiven ? this.#advanced.missingSecret : undefined;
    if (where === "submit") this.#footer.focus();
    else (secret ?? this.#json ?? field ?? this.#footer).focus();
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
    this.#show();
    this.#setSending(true);
  }

  /** Sending ended without a start. Nothing that was typed is lost. */
  ended(outcome: Outcome, fields: readonly FormField[], draftId: string): void {
    this.#draftId = draftId;
    this.#setSending(false);
    this.#isBlocked = outcome.kind === "maybeStarted";
    this.#footer.isOff = this.#isBlocked;
    this.#show(outcomeBox(outcome, this.#texts, (message) => this.#outside.post(message)));
    if (this.#json === undefined) this.#addFields(fields, initialValues(fields));
    const names = outcome.kind === "refused" ? outcome.missing : [];
    const missing = this.#inputs.filter((field) => names.includes(field.name));
    for (const field of missing) field.control.mark(this.#texts.refusedAsMissing);
    if (missing[0] === undefined) this.#footer.scrollToOutcome();
    else missing[0].focus();
  }

  #demand(): boolean {
    const isJsonWrong = this.#json?.demand() === false;
    const wrong = this.#inputs.filter((field) => !field.control.demand());
    const wrongAdvanced = this.#advanced.controls.filter((control) => !control.demand());
    if (wrongAdvanced.length > 0) this.#advanced.unfold();
    if (!isJsonWrong) (wrong[0] ?? wrongAdvanced[0])?.focus();
    const isRight = !isJsonWrong && wrong.length + wrongAdvanced.length === 0;
    this.#show();
    if (!isRight)
      this.#complain(this.#texts.checkFields, () => this.#json?.isWrong === true || this.#settle());
    return isRight;
  }

  /** Whether all can be read, complete or not; moves the focus to what can't, and says that it is in the way. */
  #isReadable(advanced: readonly Control[], isWhole = false): boolean {
    const isJsonReadable = this.#json?.isReadable({ isWhole }) !== false;
    const wrong = this.#inputs.find((field) => !field.control.recheck());
    const wrongAdvanced = advanced.find((control) => !control.recheck());
    const isReadable = isJsonReadable && wrong === undefined && wrongAdvanced === undefined;
    if (isReadable) return true;
    if (isJsonReadable) {
      if (wrong === undefined) this.#advanced.unfold();
      (wrong ?? wrongAdvanced)?.focus();
    }
    const unreadable = () =>
      this.#json?.isWrong === true ||
      [...this.#inputs.map((field) => field.control), ...advanced].some(
        (control) => !control.isReadable,
      );
    this.#complain(this.#texts.mendFirst, unreadable);
    return false;
  }

  #show(...outcome: readonly HTMLElement[]): void {
    this.#isStillWrong = undefined;
    this.#footer.show(...outcome);
  }

  /** Says what is in the way, until that is so no longer. */
  #complain(text: string, isStillWrong: () => boolean): void {
    this.#footer.complain(text);
    this.#isStillWrong = isStillWrong;
  }

  /** Takes away the marks of what is right by now. True if others are left. */
  #settle(): boolean {
    return (
      [...this.#inputs.map((field) => field.control), ...this.#advanced.controls].filter(
        (control) => !control.settle(),
      ).length > 0
    );
  }

  #showFields(fields: readonly FormField[], values: FormValues): void {
    this.#json = undefined;
    this.#inputs = [];
    this.#list.replaceChildren();
    this.#addFields(fields, values);
    if (this.#inputs.length === 0)
      this.#list.append(make("p", { class: "nothing" }, this.#texts.noInputs));
    this.#advanced.isInText = false;
    this.#showHead();
  }

  #showJson(fields: readonly FormField[], values: FormValues, text: string): void {
    this.#inputs = [];
    this.#json = new JsonPage({ fields, values }, text, this.#texts, {
      onInput: () => this.#jsonTyped(),
      onDiscard: () => this.#backToFields(),
      onSecret: (name, secret, target) => {
        this.#advanced.hold(name, secret === "" ? undefined : target);
        this.#secretTyped(name, secret, target);
      },
    });
    this.#fields = fields;
    this.#list.replaceChildren(this.#json.element);
    this.#advanced.isInText = true;
    this.#showHead();
  }

  /** The other view of the same value, unless what is typed cannot be read: then it stays, with what is wrong. */
  #switch(toJson: boolean): void {
    if (this.#isSending || !this.#isReadable(toJson ? [this.#advanced.meta] : [])) return;
    if (!toJson) {
      this.#backToFields();
      return;
    }
    const { values } = this.draft;
    this.#showJson(this.#fields, values, writeJsonView(values));
    this.#json?.focus();
    this.#changed();
  }

  #backToFields(): void {
    if (this.#json === undefined) return;
    const { fields, values } = this.#json.filled;
    this.#advanced.set(values);
    this.#showFields(fields, values);
    this.focus("first");
    this.#changed();
  }

  #addFields(fields: readonly FormField[], values: FormValues): void {
    const known = new Set(this.#inputs.map((field) => field.name));
    const added = fields.flatMap((field, index) => {
      const value = values.inputs[index];
      const events = {
        onInput: () => this.#changed(),
        onTake: () => this.#outside.post({ type: "take", input: field.name }),
      };
      return known.has(field.name) || value === undefined
        ? []
        : [new InputField(field, value, this.#texts, events)];
    });
    this.#fields = fields;
    this.#inputs = [...this.#inputs, ...added];
    this.#list.append(...added.map((field) => field.control.element));
  }

  /** The choice of the view, and the buttons that take the form as it stands; what can't be read is marked first: it would be lost. */
  #showHead(): void {
    const use = (tool: FormToolName) => {
      if (
        !this.#isSending &&
        (tool === "presets" || this.#isReadable(this.#advanced.controls, true))
      )
        this.#outside.post({ type: "tool", tool });
    };
    const tools = formToolNames.map((tool) =>
      button(this.#texts.tools[tool], "secondary", () => use(tool)),
    );
    this.#head.replaceChildren(
      viewToggle(this.#texts, this.#json !== undefined, (toJson) => this.#switch(toJson)),
      make("div", { class: "tools" }, ...tools),
    );
  }

  /** The boxes for secrets are those that the text asks for. */
  #jsonTyped(): void {
    if (this.#json !== undefined) this.#advanced.set(this.#json.filled.values);
    this.#changed();
  }

  #secretTyped(name: SecretName, text: string, target: string): void {
    this.#outside.post({ type: "secret", name, target, text });
    this.#withdrawComplaint();
  }

  #withdrawComplaint(): void {
    if (this.#isStillWrong?.() !== false) return;
    this.#isStillWrong = undefined;
    this.#footer.complain("");
  }

  #changed(): void {
    this.#withdrawComplaint();
    this.#outside.keep(this.#view.crew, this.#json?.filled.fields ?? this.#fields, this.draft);
    this.#outside.post({ type: "changed", draft: this.draft });
  }

  #setSending(isSending: boolean): void {
    this.#isSending = isSending;
    this.#footer.isSending = isSending;
    // Not `disabled`, which would throw the keyboard's focus away.
    for (const one of this.#head.querySelectorAll("button"))
      one.setAttribute("aria-disabled", String(isSending));
    for (const part of [
      ...this.#inputs,
      this.#advanced,
      ...(this.#json === undefined ? [] : [this.#json]),
    ])
      part.isReadOnly = isSending;
  }
}

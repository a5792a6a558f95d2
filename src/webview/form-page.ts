import type { FormField } from "../kickoff/form/fields.ts";
import {
  type Draft,
  fill,
  type FormFocus,
  type FormToolName,
  type FormCrew,
  formToolNames,
  type FormView,
  type FromForm,
  type Notice,
  type Outcome,
  type SavedState,
} from "../kickoff/form/messages.ts";
import type { FormTexts } from "../kickoff/texts.ts";
import { writeJsonView } from "../kickoff/form/json-view.ts";
import type { SecretName } from "../kickoff/callbacks.ts";
import { keptDraft } from "../kickoff/form/secrets.ts";
import { type FormValues, initialValues } from "../kickoff/form/values.ts";
import { Advanced } from "./advanced.ts";
import type { Control } from "./control.ts";
import { button, make } from "./dom.ts";
import { Footer, outcomeBox } from "./footer.ts";
import { InputField } from "./input-field.ts";
import { KeptOutputs } from "./kept-outputs.ts";
import { JsonPage } from "./json-page.ts";

declare function acquireVsCodeApi(): {
  postMessage(message: FromForm): void;
  /** VS Code keeps the state while the page is hidden or moved, and when the window reloads. */
  setState(state: SavedState): void;
  getState(): SavedState | undefined;
};

export class Host {
  readonly #api = acquireVsCodeApi();

  readonly post = (message: FromForm): void => this.#api.postMessage(message);

  /** The draft of an earlier page of this panel. The extension host validates it. */
  get keptDraft(): Draft | undefined {
    return this.#api.getState()?.draft;
  }

  keepCrew({ id, name }: FormCrew): void {
    this.#api.setState({ ...this.#api.getState(), crew: id, name });
  }

  /** Keeps the form without its secrets, because VS Code writes the state to disk. No draft: nothing was typed. */
  keep({ id, name }: FormCrew, fields: readonly FormField[], draft?: Draft): void {
    this.#api.setState({ crew: id, name, fields, ...(draft && { draft: keptDraft(draft) }) });
  }
}

type View = Extract<FormView, { readonly kind: "form" }>;

export class FormPage {
  readonly element: HTMLElement;
  readonly #view: View;
  readonly #texts: FormTexts;
  readonly #host: Host;
  #draftId: string;
  #fields: readonly FormField[] = [];
  #inputs: readonly InputField[] = [];
  #json: JsonPage | undefined;
  readonly #head = make("div", { class: "head" });
  readonly #notice = make("div", {});
  readonly #list = make("div", { class: "inputs" });
  readonly #advanced: Advanced;
  readonly #footer: Footer;
  readonly #kept: KeptOutputs | undefined;
  /** Whether the action shown as blocked still is. */
  #isStillBlocked: (() => boolean) | undefined;
  #isSending = false;
  #mayHaveStarted = false;

  constructor(view: View, texts: FormTexts, host: Host) {
    const { values } = view.draft;
    this.#view = view;
    this.#texts = texts;
    this.#host = host;
    this.#draftId = view.draft.id;
    const { from } = values;
    this.#footer = new Footer(texts, from ? texts.from.runAgain : texts.kickOff, () =>
      this.submit(),
    );
    this.#kept = from && new KeptOutputs(from, texts, () => this.#changed());
    this.#advanced = new Advanced(values, view.secrets, texts, (name, text, target) =>
      this.#secretTyped(name, text, target),
    );
    this.#advanced.element.addEventListener("input", () => this.#changed());
    if (values.json === undefined) this.#showFields(view.fields, values);
    else this.#showJson(view.fields, values, values.json);
    this.notice = view.notice;
    this.element = make(
      "div",
      {},
      this.#kept?.intro,
      this.#head,
      this.#notice,
      this.#list,
      this.#kept?.element,
      this.#advanced.element,
      this.#footer.element,
    );
    if (view.outcome !== undefined) this.ended(view.outcome, view.fields, view.draft.id);
    if (view.isSending) this.sending();
  }

  set notice(notice: Notice | undefined) {
    this.#notice.replaceChildren();
    if (notice === undefined) return;
    const { input = "", from = "" } = notice.taken ?? {};
    const text =
      notice.kind === "changed" ? "" : fill(this.#texts.notices[notice.kind], input, from);
    const type = notice.canUndo ? "undo" : notice.kind === "cleared" ? undefined : "clear";
    const link = type && button(this.#texts[type], "link", () => this.#host.post({ type }));
    this.#notice.append(make("p", { class: "notice", role: "status" }, text, link && " ", link));
  }

  /** Contains secrets only in the JSON text. */
  get draft(): Draft {
    const values = this.#json?.values ?? {
      inputs: this.#inputs.map((field) => field.value),
      ...this.#advanced.values,
    };
    const from = this.#kept && { from: this.#kept.value };
    return { id: this.#draftId, values: { ...values, ...from } };
  }

  /**
   * An input, else the first empty one, the first, or the button. If a command gave all inputs,
   * only a secret can be missing.
   */
  focus(where: FormFocus): void {
    const name = typeof where === "object" ? where.input : undefined;
    const seen = this.#inputs.filter((input) => !input.isOdd);
    const field =
      this.#inputs.find((input) => input.name === name) ??
      seen.find((input) => input.isEmpty) ??
      seen[0];
    const isGiven =
      where === "first" &&
      this.#view.notice?.kind === "given" &&
      !this.#inputs.some((input) => input.isMissing);
    const secret = isGiven ? this.#advanced.missingSecret : undefined;
    if (where === "submit") this.#footer.focus();
    else (secret ?? this.#json ?? field ?? this.#footer).focus();
  }

  submit(): void {
    if (this.#isSending || this.#mayHaveStarted || !this.#validate()) return;
    this.sending();
    this.#host.post({ type: "submit", draft: this.draft });
  }

  sending(): void {
    this.#show();
    this.#setSending(true);
  }

  ended(outcome: Outcome, fields: readonly FormField[], draftId: string): void {
    this.#draftId = draftId;
    this.#setSending(false);
    this.#mayHaveStarted = outcome.kind === "maybeStarted";
    this.#footer.isOff = this.#mayHaveStarted;
    this.#show(outcomeBox(outcome, this.#texts, this.#host.post));
    if (this.#json === undefined) this.#addFields(fields, initialValues(fields));
    const names = outcome.kind === "refused" ? outcome.missing : [];
    const missing = this.#inputs.filter((field) => names.includes(field.name));
    for (const field of missing) field.control.mark(this.#texts.refusedAsMissing);
    if (missing[0] === undefined) this.#footer.scrollToOutcome();
    else missing[0].focus();
  }

  #validate(): boolean {
    const isJsonWrong = this.#json?.validate() === false;
    const wrong = this.#inputs.filter((field) => !field.control.validate());
    const wrongAdvanced = this.#advanced.controls.filter((control) => !control.validate());
    // A collapsed control can't get focus.
    if (wrongAdvanced.length > 0) this.#advanced.element.open = true;
    if (!isJsonWrong) (wrong[0] ?? wrongAdvanced[0])?.focus();
    this.#show();
    if (!isJsonWrong && wrong.length + wrongAdvanced.length === 0) return true;
    const isStillWrong = () => this.#json?.isWrong === true || this.#hasProblem();
    this.#showBlocked(this.#texts.checkFields, isStillWrong);
    return false;
  }

  /** Whether all values are readable, complete or not. Focuses the first that isn't. */
  #isReadable(advanced: readonly Control[], isWhole = false): boolean {
    const isJsonReadable = this.#json?.isReadable({ isWhole }) !== false;
    const wrong = this.#inputs.find((field) => !field.control.recheck());
    const wrongAdvanced = advanced.find((control) => !control.recheck());
    if (isJsonReadable && wrong === undefined && wrongAdvanced === undefined) return true;
    if (isJsonReadable) {
      if (wrong === undefined) this.#advanced.element.open = true;
      (wrong ?? wrongAdvanced)?.focus();
    }
    const isStillWrong = () =>
      this.#json?.isWrong === true ||
      this.#inputs.some((field) => !field.control.isReadable) ||
      advanced.some((control) => !control.isReadable);
    this.#showBlocked(this.#texts.fixFirst, isStillWrong);
    return false;
  }

  #show(...outcome: readonly HTMLElement[]): void {
    this.#isStillBlocked = undefined;
    this.#footer.show(...outcome);
  }

  #showBlocked(text: string, isStillBlocked: () => boolean): void {
    this.#footer.showBlocked(text);
    this.#isStillBlocked = isStillBlocked;
  }

  #hasProblem(): boolean {
    const controls = [...this.#inputs.map((field) => field.control), ...this.#advanced.controls];
    return controls.filter((control) => !control.clearIfValid()).length > 0;
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
    const json = new JsonPage({ fields, values }, text, this.#texts, {
      onInput: () => {
        this.#advanced.set(json.filled.values);
        this.#changed();
      },
      onDiscard: () => this.#backToFields(),
      onSecret: (name, secret, target) => {
        this.#advanced.hold(name, secret === "" ? undefined : target);
        this.#secretTyped(name, secret, target);
      },
    });
    this.#json = json;
    this.#fields = fields;
    this.#list.replaceChildren(json.element);
    this.#advanced.isInText = true;
    this.#showHead();
  }

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
      if (known.has(field.name) || value === undefined) return [];
      const onInput = () => this.#changed();
      const onTake = () => this.#host.post({ type: "take", input: field.name });
      return [new InputField(field, value, this.#texts, onInput, onTake)];
    });
    this.#fields = fields;
    this.#inputs = [...this.#inputs, ...added];
    const odd = added.filter((field) => field.isOdd);
    const usual = added.filter((field) => !field.isOdd);
    this.#list.append(...usual.map((field) => field.control.element));
    if (odd.length > 0) this.#list.append(oddInputs(odd, this.#texts));
  }

  /** The view switch, and the tools, which need readable values. */
  #showHead(): void {
    const use = (tool: FormToolName) => {
      if (this.#isSending) return;
      if (tool === "presets" || this.#isReadable(this.#advanced.controls, true))
        this.#host.post({ type: "tool", tool });
    };
    const tools = formToolNames.map((tool) =>
      button(this.#texts.tools[tool], "secondary", () => use(tool)),
    );
    const isJson = this.#json !== undefined;
    const views = (["form", "json"] as const).map((view) => {
      const isShown = isJson === (view === "json");
      const element = button(this.#texts.views[view], "secondary", () => {
        if (!isShown) this.#switch(!isJson);
      });
      element.setAttribute("aria-pressed", String(isShown));
      return element;
    });
    const group = { class: "views", role: "group", "aria-label": this.#texts.view };
    const toolbar = make("div", { class: "tools" }, ...tools);
    this.#head.replaceChildren(make("div", group, ...views), toolbar);
  }

  #secretTyped(name: SecretName, text: string, target: string): void {
    this.#host.post({ type: "secret", name, target, text });
    this.#clearBlocked();
  }

  #clearBlocked(): void {
    if (this.#isStillBlocked?.() !== false) return;
    this.#isStillBlocked = undefined;
    this.#footer.showBlocked("");
  }

  #changed(): void {
    this.#clearBlocked();
    this.#host.keep(this.#view.crew, this.#json?.filled.fields ?? this.#fields, this.draft);
    this.#host.post({ type: "changed", draft: this.draft });
  }

  #setSending(isSending: boolean): void {
    this.#isSending = isSending;
    this.#footer.isSending = isSending;
    // Not `disabled`, which would lose focus.
    for (const one of this.#head.querySelectorAll("button"))
      one.setAttribute("aria-disabled", String(isSending));
    for (const part of [...this.#inputs, this.#advanced, this.#json, this.#kept])
      if (part) part.isReadOnly = isSending;
  }
}

function oddInputs(fields: readonly InputField[], texts: FormTexts): HTMLElement {
  const title = fields.length === 1 ? texts.oddInput : fill(texts.oddInputs, fields.length);
  return make(
    "details",
    { class: "odd" },
    make("summary", {}, title),
    make("p", { class: "hint" }, texts.oddInputsHint),
    ...fields.map((field) => field.control.element),
  );
}

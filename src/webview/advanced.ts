import type { FormTexts } from "../kickoff/texts.ts";
import {
  type CallbackName,
  callbackNames,
  checkAddress,
  type SecretName,
  strategies,
  type Strategy,
  streamingStrategies,
  type StreamingValues,
} from "../kickoff/callbacks.ts";
import { checkEvents, checkMeta, checkStreamingAddress } from "../kickoff/form/validate.ts";
import type { FormValues } from "../kickoff/form/values.ts";
import { Authentication } from "./authentication.ts";
import { Control, type ControlOptions } from "./control.ts";
import { make, newId } from "./dom.ts";

/** The section for `meta`, callbacks and event streaming, collapsed while it is empty. */
export class Advanced {
  readonly element: HTMLDetailsElement;
  readonly #meta: Control;
  readonly #callbacks: Readonly<Record<CallbackName, Control>>;
  readonly #humanInput: Authentication<Strategy>;
  readonly #stream: Control;
  readonly #events: Control;
  readonly #realtime: HTMLInputElement;
  /** Fields that belong to the stream's address. */
  readonly #streamParts: HTMLElement;
  readonly #streamAuthentication: Authentication<StreamingValues["strategy"]>;
  readonly #summary: HTMLElement;
  readonly #texts: FormTexts;
  #isInText = false;

  /** `secrets` are the targets of the secrets that the extension host holds. */
  constructor(
    values: FormValues,
    secrets: Readonly<Partial<Record<SecretName, string>>>,
    texts: FormTexts,
    onInput: () => void,
    onSecret: (name: SecretName, text: string, target: string) => void,
  ) {
    const { meta, callbacks, humanInput, streaming } = values;
    this.#texts = texts;
    this.#summary = make("summary", {}, texts.advanced);
    const control = (options: ControlOptions) => new Control(options, texts);
    const code = { kind: "lines", isCode: true } as const;
    const line = { kind: "line", inputmode: "url" } as const;
    this.#meta = control({ ...texts.meta, box: code, text: meta, check: checkMeta, onInput });
    const onAddress = () => {
      this.#humanInput.addressChanged();
      this.#streamAuthentication.addressChanged();
      onInput();
    };
    this.#callbacks = forEachCallback((name) =>
      control({
        ...texts.callbacks[name],
        box: line,
        text: callbacks[name],
        check: checkAddress,
        onInput: onAddress,
      }),
    );
    this.#humanInput = new Authentication(
      {
        ...humanInput,
        callback: texts.authentication.ofHumanInput,
        strategies,
        entered: secrets.humanInput,
        address: () => this.#callbacks.humanInputWebhookUrl.text,
        onInput,
        onSecret: (text, target) => onSecret("humanInput", text, target),
      },
      texts,
    );
    const both = () => ({ url: this.#stream.text, events: this.#events.text });
    const { url, events, realtime } = texts.streaming;
    this.#stream = control({
      label: url,
      hint: texts.streaming.hint,
      box: line,
      text: streaming.url,
      check: (text) => checkStreamingAddress({ ...both(), url: text }),
      onInput: onAddress,
    });
    this.#events = control({
      ...events,
      box: code,
      text: streaming.events,
      check: (text) => checkEvents({ ...both(), events: text }),
      onInput,
    });
    const realtimeId = newId();
    this.#realtime = make("input", { type: "checkbox", id: realtimeId });
    this.#realtime.checked = streaming.realtime;
    this.#realtime.addEventListener("change", onInput);
    this.#streamAuthentication = new Authentication(
      {
        callback: texts.streaming.heading,
        strategies: streamingStrategies,
        strategy: streaming.strategy,
        username: "",
        entered: secrets.streaming,
        address: () => this.#stream.text,
        onInput,
        onSecret: (text, target) => onSecret("streaming", text, target),
      },
      texts,
    );
    const check = make(
      "div",
      { class: "check" },
      this.#realtime,
      make("label", { for: realtimeId }, realtime),
    );
    this.#streamParts = make("div", { class: "nested" }, this.#events.element, check);
    this.element = make(
      "details",
      {},
      this.#summary,
      this.#meta.element,
      ...callbackNames.map((name) => this.#callbacks[name].element),
      this.#humanInput.element,
      this.#stream.element,
      this.#streamParts,
      this.#streamAuthentication.element,
    );
    this.element.open = this.#isFilled;
  }

  /** In the order of the page. */
  get controls(): readonly Control[] {
    if (this.#isInText)
      return [...this.#humanInput.controls, ...this.#streamAuthentication.controls];
    return [
      this.#meta,
      ...this.#addresses,
      ...this.#humanInput.controls,
      this.#stream,
      this.#events,
      ...this.#streamAuthentication.controls,
    ];
  }

  /** Values without secrets. */
  get values(): Pick<FormValues, "meta" | "callbacks" | "humanInput" | "streaming"> {
    return {
      meta: this.#meta.text,
      callbacks: forEachCallback((name) => this.#callbacks[name].text),
      humanInput: { strategy: this.#humanInput.strategy, username: this.#humanInput.username },
      streaming: {
        url: this.#stream.text,
        events: this.#events.text,
        realtime: this.#realtime.checked,
        strategy: this.#streamAuthentication.strategy,
      },
    };
  }

  /** Whether the JSON text has all but the secrets. */
  set isInText(isInText: boolean) {
    const hasChanged = this.#isInText !== isInText;
    this.#isInText = isInText;
    for (const element of [
      this.#meta.element,
      ...this.#addresses.map((control) => control.element),
      this.#stream.element,
      this.#streamParts,
    ])
      element.hidden = isInText;
    for (const authentication of [this.#humanInput, this.#streamAuthentication])
      authentication.isInText = isInText;
    this.#summary.textContent = isInText ? this.#texts.secrets : this.#texts.advanced;
    this.element.open = isInText || this.#isFilled;
    this.#showIfNeeded();
    if (hasChanged) for (const control of this.controls) control.recheck();
  }

  get meta(): Control {
    return this.#meta;
  }

  set({ meta, callbacks, humanInput, streaming }: FormValues): void {
    this.#meta.text = meta;
    for (const name of callbackNames) this.#callbacks[name].text = callbacks[name];
    this.#stream.text = streaming.url;
    this.#events.text = streaming.events;
    this.#realtime.checked = streaming.realtime;
    this.#humanInput.set(humanInput);
    this.#streamAuthentication.set({ strategy: streaming.strategy, username: "" });
    for (const control of this.controls) control.recheck();
    this.#showIfNeeded();
  }

  /** A secret was entered in the JSON text for this target, or removed there. */
  hold(name: SecretName, target: string | undefined): void {
    (name === "humanInput" ? this.#humanInput : this.#streamAuthentication).hold(target);
  }

  /** The first box of a required secret that is missing. */
  get missingSecret(): Control | undefined {
    return this.#humanInput.missingSecret ?? this.#streamAuthentication.missingSecret;
  }

  set isReadOnly(isReadOnly: boolean) {
    for (const control of this.controls) control.isReadOnly = isReadOnly;
    this.#realtime.disabled = isReadOnly;
  }

  /** A collapsed control can't get focus. */
  expand(): void {
    this.element.open = true;
  }

  get #addresses(): readonly Control[] {
    return callbackNames.map((name) => this.#callbacks[name]);
  }

  get #isFilled(): boolean {
    return [this.#meta, this.#stream, this.#events, ...this.#addresses].some(
      (control) => !control.isEmpty,
    );
  }

  /** Next to the JSON text, hides the section if no callback needs a secret. */
  #showIfNeeded(): void {
    this.element.hidden =
      this.#isInText && !this.#humanInput.isShown && !this.#streamAuthentication.isShown;
  }
}

function forEachCallback<T>(valueOf: (name: CallbackName) => T): Record<CallbackName, T> {
  return {
    taskWebhookUrl: valueOf("taskWebhookUrl"),
    stepWebhookUrl: valueOf("stepWebhookUrl"),
    crewWebhookUrl: valueOf("crewWebhookUrl"),
    humanInputWebhookUrl: valueOf("humanInputWebhookUrl"),
  };
}

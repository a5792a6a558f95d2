import type { FormTexts } from "../kickoff/texts.ts";
import {
  type CallbackName,
  callbackNames,
  checkAddress,
  forEachCallback,
  type SecretName,
  strategies,
  type Strategy,
  streamingStrategies,
} from "../kickoff/callbacks.ts";
import { checkEvents, checkMeta, checkStreamingAddress } from "../kickoff/form/validate.ts";
import type { FormValues } from "../kickoff/form/values.ts";
import { Authentication } from "./authentication.ts";
import { Control, type ControlOptions } from "./control.ts";
import { make, newId } from "./dom.ts";

export class Advanced {
  readonly element: HTMLDetailsElement;
  readonly meta: Control;
  readonly #callbacks: Readonly<Record<CallbackName, Control>>;
  readonly #humanInput: Authentication<Strategy>;
  readonly #stream: Control;
  readonly #events: Control;
  readonly #realtime: HTMLInputElement;
  readonly #streamParts: HTMLElement;
  readonly #streamAuthentication: Authentication<FormValues["streaming"]["strategy"]>;
  readonly #summary: HTMLElement;
  readonly #texts: FormTexts;
  #isInText = false;

  /** What changes the values fires `input` at the element. `secrets` are the targets of those held by the extension host. */
  constructor(
    values: FormValues,
    secrets: Readonly<Partial<Record<SecretName, string>>>,
    texts: FormTexts,
    onSecret: (name: SecretName, text: string, target: string) => void,
  ) {
    const { meta, callbacks, humanInput, streaming } = values;
    const { url, hint, events, realtime, heading } = texts.streaming;
    this.#texts = texts;
    const control = (options: ControlOptions) => new Control(options, texts);
    const code = { kind: "lines", isCode: true } as const;
    const line = { kind: "line", inputmode: "url" } as const;
    const onAddress = () => {
      this.#humanInput.addressChanged();
      this.#streamAuthentication.addressChanged();
    };
    this.meta = control({ ...texts.meta, box: code, text: meta, check: checkMeta });
    this.#callbacks = forEachCallback((name) => {
      const text = callbacks[name];
      return control({
        ...texts.callbacks[name],
        box: line,
        text,
        check: checkAddress,
        onInput: onAddress,
      });
    });
    this.#humanInput = new Authentication(
      {
        ...humanInput,
        callback: texts.authentication.ofHumanInput,
        strategies,
        entered: secrets.humanInput,
        address: () => this.#callbacks.humanInputWebhookUrl.text,
        onSecret: (text, target) => onSecret("humanInput", text, target),
      },
      texts,
    );
    const stream = () => ({ url: this.#stream.text, events: this.#events.text });
    const checkUrl = (url: string) => checkStreamingAddress({ ...stream(), url });
    this.#stream = control({
      label: url,
      hint,
      box: line,
      text: streaming.url,
      check: checkUrl,
      onInput: onAddress,
    });
    this.#events = control({
      ...events,
      box: code,
      text: streaming.events,
      check: (text) => checkEvents({ ...stream(), events: text }),
    });
    const id = newId();
    this.#realtime = make("input", { type: "checkbox", id });
    this.#realtime.checked = streaming.realtime;
    this.#streamAuthentication = new Authentication(
      {
        callback: heading,
        strategies: streamingStrategies,
        strategy: streaming.strategy,
        username: "",
        entered: secrets.streaming,
        address: () => this.#stream.text,
        onSecret: (text, target) => onSecret("streaming", text, target),
      },
      texts,
    );
    const realtimeLabel = make("label", { for: id }, realtime);
    const check = make("div", { class: "check" }, this.#realtime, realtimeLabel);
    this.#streamParts = make("div", { class: "nested" }, this.#events.element, check);
    this.#summary = make("summary", {}, texts.advanced);
    this.element = make(
      "details",
      {},
      this.#summary,
      this.meta.element,
      ...this.#addresses.map((address) => address.element),
      this.#humanInput.element,
      this.#stream.element,
      this.#streamParts,
      this.#streamAuthentication.element,
    );
    this.element.open = this.#isFilled;
  }

  get controls(): readonly Control[] {
    const human = this.#humanInput.controls;
    const stream = this.#streamAuthentication.controls;
    if (this.#isInText) return [...human, ...stream];
    return [this.meta, ...this.#addresses, ...human, this.#stream, this.#events, ...stream];
  }

  get values(): Pick<FormValues, "meta" | "callbacks" | "humanInput" | "streaming"> {
    const { strategy, username } = this.#humanInput;
    return {
      meta: this.meta.text,
      callbacks: forEachCallback((name) => this.#callbacks[name].text),
      humanInput: { strategy, username },
      streaming: {
        url: this.#stream.text,
        events: this.#events.text,
        realtime: this.#realtime.checked,
        strategy: this.#streamAuthentication.strategy,
      },
    };
  }

  set isInText(isInText: boolean) {
    const hasChanged = this.#isInText !== isInText;
    this.#isInText = isInText;
    for (const { element } of [this.meta, ...this.#addresses, this.#stream])
      element.hidden = isInText;
    this.#streamParts.hidden = isInText;
    for (const authentication of this.#authentications) authentication.isInText = isInText;
    this.#summary.textContent = isInText ? this.#texts.secrets : this.#texts.advanced;
    this.element.open = isInText || this.#isFilled;
    this.#showIfNeeded();
    if (hasChanged) for (const control of this.controls) control.recheck();
  }

  set({ meta, callbacks, humanInput, streaming }: FormValues): void {
    this.meta.text = meta;
    for (const name of callbackNames) this.#callbacks[name].text = callbacks[name];
    this.#stream.text = streaming.url;
    this.#events.text = streaming.events;
    this.#realtime.checked = streaming.realtime;
    this.#humanInput.set(humanInput);
    this.#streamAuthentication.set({ strategy: streaming.strategy, username: "" });
    for (const control of this.controls) control.recheck();
    this.#showIfNeeded();
  }

  hold(name: SecretName, target: string | undefined): void {
    (name === "humanInput" ? this.#humanInput : this.#streamAuthentication).hold(target);
  }

  get missingSecret(): Control | undefined {
    return this.#humanInput.missingSecret ?? this.#streamAuthentication.missingSecret;
  }

  set isReadOnly(isReadOnly: boolean) {
    for (const control of this.controls) control.isReadOnly = isReadOnly;
    this.#realtime.disabled = isReadOnly;
  }

  get #authentications() {
    return [this.#humanInput, this.#streamAuthentication];
  }

  get #addresses(): readonly Control[] {
    return callbackNames.map((name) => this.#callbacks[name]);
  }

  get #isFilled(): boolean {
    const texts = [this.meta, this.#stream, this.#events, ...this.#addresses];
    return texts.some((control) => !control.isEmpty);
  }

  #showIfNeeded(): void {
    this.element.hidden = this.#isInText && !this.#authentications.some(({ isShown }) => isShown);
  }
}

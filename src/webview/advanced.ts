import type { FormTexts } from "../kickoff/form-texts.ts";
import { strategies, type SecretName, type Strategy, type StreamingValues } from "../kickoff/secret-callbacks.ts";
import { checkAddress, checkEvents, checkMeta, checkStreamingAddress } from "../kickoff/validate.ts";
import { callbackNames, type CallbackName } from "../kickoff/callback-names.ts";
import type { FormValues } from "../kickoff/values.ts";
import { Authentication, streamingStrategies } from "./authentication.ts";
import { Control } from "./control.ts";
import { make, newId } from "./dom.ts";

/** What {@link Advanced} begins with and tells. */
export interface AdvancedOptions {
  readonly values: FormValues;
  /** Which secrets the extension host holds. */
  readonly secrets: Readonly<Record<SecretName, boolean>>;
  readonly onInput: () => void;
  readonly onSecret: (name: SecretName, text: string) => void;
}

/** What few kickoffs need: `meta`, the callbacks and event streaming, folded away while they are empty. */
export class Advanced {
  readonly element: HTMLDetailsElement;
  readonly #meta: Control;
  readonly #callbacks: Readonly<Record<CallbackName, Control>>;
  readonly #humanInput: Authentication<Strategy>;
  readonly #stream: Control;
  readonly #events: Control;
  readonly #realtime: HTMLInputElement;
  readonly #streamAuthentication: Authentication<StreamingValues["strategy"]>;

  constructor({ values, secrets, onInput, onSecret }: AdvancedOptions, texts: FormTexts) {
    const { meta, callbacks, humanInput, streaming } = values;
    this.#meta = new Control({ ...texts.meta, box: { kind: "lines", isCode: true }, text: meta, check: checkMeta, onInput }, texts);
    const address = (name: CallbackName) =>
      new Control({ ...texts.callbacks[name], box: { kind: "line", inputmode: "url" }, text: callbacks[name], check: checkAddress, onInput }, texts);
    this.#callbacks = {
      taskWebhookUrl: address("taskWebhookUrl"),
      stepWebhookUrl: address("stepWebhookUrl"),
      crewWebhookUrl: address("crewWebhookUrl"),
      humanInputWebhookUrl: address("humanInputWebhookUrl"),
    };
    this.#humanInput = new Authentication(
      {
        ...humanInput,
        callback: texts.authentication.ofHumanInput,
        strategies,
        isHeld: secrets.humanInput,
        isUsed: () => this.#callbacks.humanInputWebhookUrl.text.trim() !== "",
        onInput,
        onSecret: (text) => onSecret("humanInput", text),
      },
      texts,
    );
    const both = () => ({ url: this.#stream.text, events: this.#events.text });
    const { url, events, realtime } = texts.streaming;
    this.#stream = new Control({ label: url, hint: texts.streaming.hint, box: { kind: "line", inputmode: "url" }, text: streaming.url, check: (text) => checkStreamingAddress({ ...both(), url: text }), onInput }, texts);
    this.#events = new Control({ ...events, box: { kind: "lines", isCode: true }, text: streaming.events, check: (text) => checkEvents({ ...both(), events: text }), onInput }, texts);
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
        isHeld: secrets.streaming,
        isUsed: () => this.#stream.text.trim() !== "",
        onInput,
        onSecret: (text) => onSecret("streaming", text),
      },
      texts,
    );
    const check = make("div", { class: "check" }, this.#realtime, make("label", { for: realtimeId }, realtime));
    const stream = make("div", { class: "nested" }, this.#events.element, check);
    this.element = make(
      "details",
      {},
      make("summary", {}, texts.advanced),
      this.#meta.element,
      ...callbackNames.map((name) => this.#callbacks[name].element),
      this.#humanInput.element,
      this.#stream.element,
      stream,
      this.#streamAuthentication.element,
    );
    this.element.open = [this.#meta, this.#stream, this.#events, ...callbackNames.map((name) => this.#callbacks[name])].some((control) => !control.isEmpty);
  }

  /** From top to bottom. */
  get controls(): readonly Control[] {
    return [this.#meta, ...callbackNames.map((name) => this.#callbacks[name]), ...this.#humanInput.controls, this.#stream, this.#events, ...this.#streamAuthentication.controls];
  }

  /** What they hold, but for secrets. */
  get values(): Pick<FormValues, "meta" | "callbacks" | "humanInput" | "streaming"> {
    const { taskWebhookUrl, stepWebhookUrl, crewWebhookUrl, humanInputWebhookUrl } = this.#callbacks;
    return {
      meta: this.#meta.text,
      callbacks: {
        taskWebhookUrl: taskWebhookUrl.text,
        stepWebhookUrl: stepWebhookUrl.text,
        crewWebhookUrl: crewWebhookUrl.text,
        humanInputWebhookUrl: humanInputWebhookUrl.text,
      },
      humanInput: { strategy: this.#humanInput.strategy, username: this.#humanInput.username },
      streaming: { url: this.#stream.text, events: this.#events.text, realtime: this.#realtime.checked, strategy: this.#streamAuthentication.strategy },
    };
  }

  /** Meta is among what is shown as JSON. */
  set hasMeta(hasMeta: boolean) {
    this.#meta.element.hidden = !hasMeta;
  }

  get meta(): Control {
    return this.#meta;
  }

  setMeta(text: string): void {
    this.#meta.text = text;
    this.#meta.recheck();
  }

  set isReadOnly(isReadOnly: boolean) {
    for (const control of this.controls) control.isReadOnly = isReadOnly;
    this.#realtime.disabled = isReadOnly;
  }

  /** A folded control cannot take the focus. */
  unfold(): void {
    this.element.open = true;
  }
}

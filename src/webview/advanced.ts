import type { FormTexts } from "../kickoff/form-texts.ts";
import { checkAddress, checkMeta } from "../kickoff/validate.ts";
import { callbackNames, type FormValues } from "../kickoff/values.ts";
import { Control } from "./control.ts";
import { make } from "./dom.ts";

/** What few kickoffs need: `meta` and the callback addresses, folded away while they are empty. */
export class Advanced {
  readonly element: HTMLDetailsElement;
  readonly #meta: Control;
  readonly #callbacks: Readonly<Record<(typeof callbackNames)[number], Control>>;

  constructor({ meta, callbacks }: FormValues, texts: FormTexts, onInput: () => void) {
    this.#meta = new Control({ ...texts.meta, kind: "lines", text: meta, check: checkMeta, onInput }, texts);
    this.#meta.isCode = true;
    const address = (name: (typeof callbackNames)[number]) =>
      new Control({ ...texts.callbacks[name], kind: "address", text: callbacks[name], check: checkAddress, onInput }, texts);
    this.#callbacks = {
      taskWebhookUrl: address("taskWebhookUrl"),
      stepWebhookUrl: address("stepWebhookUrl"),
      crewWebhookUrl: address("crewWebhookUrl"),
      humanInputWebhookUrl: address("humanInputWebhookUrl"),
    };
    this.element = make("details", {}, make("summary", {}, texts.advanced), ...this.controls.map((control) => control.element));
    this.element.open = this.controls.some((control) => !control.isEmpty);
  }

  /** From top to bottom. */
  get controls(): readonly Control[] {
    return [this.#meta, ...callbackNames.map((name) => this.#callbacks[name])];
  }

  /** What they hold. */
  get values(): Pick<FormValues, "meta" | "callbacks"> {
    const { taskWebhookUrl, stepWebhookUrl, crewWebhookUrl, humanInputWebhookUrl } = this.#callbacks;
    return {
      meta: this.#meta.text,
      callbacks: {
        taskWebhookUrl: taskWebhookUrl.text,
        stepWebhookUrl: stepWebhookUrl.text,
        crewWebhookUrl: crewWebhookUrl.text,
        humanInputWebhookUrl: humanInputWebhookUrl.text,
      },
    };
  }

  /** A folded control cannot take the focus. */
  unfold(): void {
    this.element.open = true;
  }
}

import { fill } from "../kickoff/form/messages.ts";
import type { FormTexts } from "../kickoff/texts.ts";
import { isMeantFor, targetFor } from "../kickoff/form/secrets.ts";
import type { Strategy } from "../kickoff/callbacks.ts";
import { Control, type ControlOptions } from "./control.ts";
import { make } from "./dom.ts";

interface AuthenticationOptions<Kind extends Strategy> {
  readonly callback: string;
  readonly strategies: readonly Kind[];
  readonly strategy: Kind;
  readonly username: string;
  /** The target of the secret held by the extension host, if any. */
  readonly entered: string | undefined;
  readonly address: () => string;
  /** The page doesn't keep the secret. */
  readonly onSecret: (text: string, target: string) => void;
}

export class Authentication<Kind extends Strategy> {
  readonly element: HTMLElement;
  readonly #options: AuthenticationOptions<Kind>;
  readonly #texts: FormTexts;
  readonly #strategy: Control;
  readonly #username: Control;
  readonly #secret: Control;
  #entered: string | undefined;
  #showsHeld: boolean;
  #isInText = false;

  constructor(options: AuthenticationOptions<Kind>, texts: FormTexts) {
    this.#options = options;
    this.#texts = texts;
    this.#entered = options.entered;
    this.#showsHeld = isMeantFor(targetFor(options.strategy, options.address()), options.entered);
    const { callback } = options;
    const own = texts.authentication;
    const control = (parts: ControlOptions) => new Control(parts, texts);
    const choices = options.strategies.map((value) => ({ value, label: own.strategies[value] }));
    this.#strategy = control({
      label: fill(own.strategy, callback),
      box: { kind: "choice", choices },
      text: options.strategy,
      check: () => undefined,
      onInput: () => {
        this.addressChanged();
        this.#show();
        this.#secret.recheck();
      },
    });
    this.#username = control({
      label: fill(own.username, callback),
      box: { kind: "line", inputmode: "text" },
      text: options.username,
      check: (text) =>
        this.#isUsed && this.strategy === "basic" && text === ""
          ? { kind: "noUsername" }
          : undefined,
    });
    this.#secret = control({
      label: "",
      hint: own.secretHint,
      box: this.#secretBox,
      text: "",
      check: (text) =>
        this.#isUsed && this.strategy !== "none" && text === "" && !this.#isHeld
          ? { kind: this.#entered === undefined ? "noSecret" : "otherSecret" }
          : undefined,
      onInput: () => {
        const { text } = this.#secret;
        this.#entered = text === "" ? undefined : this.#target;
        if (text === "") this.#empty();
        this.#showsHeld = text !== "";
        options.onSecret(text, this.#target);
      },
    });
    // Not a part of the draft.
    this.#secret.element.addEventListener("input", (event) => event.stopPropagation());
    this.element = make("div", { class: "nested" }, ...this.controls.map(({ element }) => element));
    this.#show();
  }

  get controls(): readonly Control[] {
    return this.#isInText ? [this.#secret] : [this.#strategy, this.#username, this.#secret];
  }

  get missingSecret(): Control | undefined {
    return this.#secret.isComplete ? undefined : this.#secret;
  }

  get strategy(): Kind {
    const chosen = this.#strategy.text;
    return this.#options.strategies.find((one) => one === chosen) ?? this.#options.strategy;
  }

  get username(): string {
    return this.#username.text;
  }

  /** The JSON text has the rest, so only the secret's box is visible. */
  set isInText(isInText: boolean) {
    this.#isInText = isInText;
    this.#show();
  }

  get isShown(): boolean {
    return !this.element.hidden;
  }

  set({ strategy, username }: { readonly strategy: Kind; readonly username: string }): void {
    this.#strategy.text = strategy;
    this.#username.text = username;
    this.addressChanged();
    for (const control of [this.#strategy, this.#username, this.#secret]) control.clearIfValid();
    this.#show();
  }

  /** The secret was entered in the JSON text for this target, or removed. */
  hold(target: string | undefined): void {
    this.#entered = target;
    this.#empty();
    this.#secret.clearIfValid();
  }

  /** Hides a secret entered for another host, without forgetting it. */
  addressChanged(): void {
    if (this.#isHeld !== this.#showsHeld) this.#empty();
  }

  get #secretBox() {
    const placeholder = this.#showsHeld ? this.#texts.authentication.held : "";
    return { kind: "secret", placeholder } as const;
  }

  get #target(): string {
    return targetFor(this.strategy, this.#options.address());
  }

  get #isHeld(): boolean {
    return isMeantFor(this.#target, this.#entered);
  }

  get #isUsed(): boolean {
    return this.#options.address().trim() !== "";
  }

  #empty(): void {
    this.#showsHeld = this.#isHeld;
    this.#secret.use(this.#secretBox, "");
  }

  #show(): void {
    const { strategy } = this;
    const { token, password } = this.#texts.authentication;
    this.element.hidden = this.#isInText && !(this.#isUsed && strategy !== "none");
    this.#strategy.element.hidden = this.#isInText;
    this.#username.element.hidden = this.#isInText || strategy !== "basic";
    this.#secret.element.hidden = strategy === "none";
    this.#secret.label = fill(strategy === "basic" ? password : token, this.#options.callback);
  }
}

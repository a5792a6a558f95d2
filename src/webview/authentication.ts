import { fill } from "../kickoff/fill.ts";
import type { FormTexts } from "../kickoff/form-texts.ts";
import { isMeantFor, targetFor } from "../kickoff/held-secrets.ts";
import type { Strategy } from "../kickoff/secret-callbacks.ts";
import { Control } from "./control.ts";
import { make } from "./dom.ts";

/** What {@link Authentication} begins with and tells. */
export interface AuthenticationOptions<Kind extends Strategy> {
  /** Which callback it is of, as part of its labels. */
  readonly callback: string;
  readonly strategies: readonly Kind[];
  readonly strategy: Kind;
  readonly username: string;
  /** What the secret that the extension host holds was entered for, if it holds one. */
  readonly entered: string | undefined;
  /** The callback's address; while it is empty, nothing can be missing. */
  readonly address: () => string;
  readonly onInput: () => void;
  /** A secret was typed for this target. It is told apart from all else, and kept nowhere in the page. */
  readonly onSecret: (text: string, target: string) => void;
}

/** How a callback authenticates: by nothing, a token, or a user name and password. */
export class Authentication<Kind extends Strategy> {
  readonly element: HTMLElement;
  readonly #options: AuthenticationOptions<Kind>;
  readonly #strategy: Control;
  readonly #username: Control;
  readonly #token: Control;
  readonly #password: Control;
  readonly #held: string;
  /** What the secret that is held was entered for. */
  #entered: string | undefined;
  /** Whether the boxes say that one is held for the callback as it is now, or show it. */
  #saysHeld: boolean;
  #isInText = false;

  constructor(options: AuthenticationOptions<Kind>, texts: FormTexts) {
    this.#options = options;
    this.#entered = options.entered;
    this.#saysHeld = isMeantFor(targetFor(options.strategy, options.address()), options.entered);
    const { callback, onInput } = options;
    const words = texts.authentication;
    this.#held = words.held;
    const box = {
      kind: "choice",
      choices: options.strategies.map((value) => ({ value, label: words.strategies[value] })),
    } as const;
    const changed = () => {
      this.addressChanged();
      this.#show();
      onInput();
    };
    this.#strategy = new Control(
      {
        label: fill(words.strategy, callback),
        box,
        text: options.strategy,
        check: () => undefined,
        onInput: changed,
      },
      texts,
    );
    const needs = (kind: Strategy) => this.#isUsed && this.strategy === kind;
    this.#username = new Control(
      {
        label: fill(words.username, callback),
        box: { kind: "line", inputmode: "text" },
        text: options.username,
        check: (text) => (needs("basic") && text === "" ? { kind: "noUsername" } : undefined),
        onInput,
      },
      texts,
    );
    const secret = (label: string, kind: Strategy) =>
      new Control(
        {
          label: fill(label, callback),
          hint: words.secretHint,
          box: { kind: "secret", placeholder: this.#saysHeld ? words.held : "" },
          text: "",
          check: (text) =>
            needs(kind) && text === "" && !this.#isHeld
              ? { kind: this.#entered === undefined ? "noSecret" : "otherSecret" }
              : undefined,
          onInput: () => {
            const typed = kind === "basic" ? this.#password.text : this.#token.text;
            // What is typed now is all there is.
            this.#entered = typed === "" ? undefined : this.#target;
            if (typed === "") this.#empty();
            this.#saysHeld = typed !== "";
            options.onSecret(typed, this.#target);
          },
        },
        texts,
      );
    this.#token = secret(words.token, "bearer");
    this.#password = secret(words.password, "basic");
    this.element = make(
      "div",
      { class: "nested" },
      ...this.controls.map((control) => control.element),
    );
    this.#show();
  }

  get controls(): readonly Control[] {
    return this.#isInText
      ? this.secrets
      : [this.#strategy, this.#username, this.#token, this.#password];
  }

  /** The boxes for its secret, of which one shows at most. */
  get secrets(): readonly Control[] {
    return [this.#token, this.#password];
  }

  /** The box of a secret that sending needs and nobody entered. */
  get missingSecret(): Control | undefined {
    return this.secrets.find((secret) => !secret.isComplete);
  }

  get strategy(): Kind {
    const chosen = this.#strategy.text;
    return this.#options.strategies.find((one) => one === chosen) ?? this.#options.strategy;
  }

  get username(): string {
    return this.#username.text;
  }

  /** All but the secret stands in a text: then the box for that is all that is left, where the callback is used. */
  set isInText(isInText: boolean) {
    this.#isInText = isInText;
    this.#show();
  }

  /** Whether something of it shows. */
  get isShown(): boolean {
    return !this.element.hidden;
  }

  /** Shows other values. */
  set({ strategy, username }: { readonly strategy: Kind; readonly username: string }): void {
    this.#strategy.text = strategy;
    this.#username.text = username;
    this.addressChanged();
    for (const control of [this.#strategy, this.#username, ...this.secrets]) control.settle();
    this.#show();
  }

  /** The secret was entered elsewhere for this target, or taken back there. */
  hold(target: string | undefined): void {
    this.#entered = target;
    this.#empty();
    for (const secret of this.secrets) secret.settle();
  }

  /** A box shows no secret that was entered for another host. It is held all the same, and shows as held once the address is that one again. */
  addressChanged(): void {
    if (this.#isHeld !== this.#saysHeld) this.#empty();
  }

  get #target(): string {
    return targetFor(this.strategy, this.#options.address());
  }

  /** Whether a secret is held for the callback as it is now. */
  get #isHeld(): boolean {
    return isMeantFor(this.#target, this.#entered);
  }

  get #isUsed(): boolean {
    return this.#options.address().trim() !== "";
  }

  #empty(): void {
    this.#saysHeld = this.#isHeld;
    for (const secret of this.secrets)
      secret.use({ kind: "secret", placeholder: this.#saysHeld ? this.#held : "" }, "");
  }

  #show(): void {
    this.element.hidden = this.#isInText && !(this.#isUsed && this.strategy !== "none");
    this.#strategy.element.hidden = this.#isInText;
    this.#username.element.hidden = this.#isInText || this.strategy !== "basic";
    this.#token.element.hidden = this.strategy !== "bearer";
    this.#password.element.hidden = this.strategy !== "basic";
  }
}

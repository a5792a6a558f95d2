import { fill } from "../kickoff/form/messages.ts";
import type { FormTexts } from "../kickoff/texts.ts";
import { isMeantFor, targetFor } from "../kickoff/form/secrets.ts";
import type { Strategy } from "../kickoff/callbacks.ts";
import { Control } from "./control.ts";
import { make } from "./dom.ts";

interface AuthenticationOptions<Kind extends Strategy> {
  /** The callback's name in labels. */
  readonly callback: string;
  readonly strategies: readonly Kind[];
  readonly strategy: Kind;
  readonly username: string;
  /** The target of the secret that the extension host holds, if any. */
  readonly entered: string | undefined;
  /** The callback's address; if it is empty, nothing is missing. */
  readonly address: () => string;
  readonly onInput: () => void;
  /** Receives a typed secret and its target. The page doesn't keep it. */
  readonly onSecret: (text: string, target: string) => void;
}

/** A callback's authentication: none, a token, or a user name and password. */
export class Authentication<Kind extends Strategy> {
  readonly element: HTMLElement;
  readonly #options: AuthenticationOptions<Kind>;
  readonly #strategy: Control;
  readonly #username: Control;
  readonly #token: Control;
  readonly #password: Control;
  readonly #held: string;
  /** The target of the held secret. */
  #entered: string | undefined;
  /** Whether the boxes show the secret, or that one is held. */
  #showsHeld: boolean;
  #isInText = false;

  constructor(options: AuthenticationOptions<Kind>, texts: FormTexts) {
    this.#options = options;
    this.#entered = options.entered;
    this.#showsHeld = isMeantFor(targetFor(options.strategy, options.address()), options.entered);
    const { callback, onInput } = options;
    const own = texts.authentication;
    this.#held = own.held;
    const box = {
      kind: "choice",
      choices: options.strategies.map((value) => ({ value, label: own.strategies[value] })),
    } as const;
    const changed = () => {
      this.addressChanged();
      this.#show();
      onInput();
    };
    this.#strategy = new Control(
      {
        label: fill(own.strategy, callback),
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
        label: fill(own.username, callback),
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
          hint: own.secretHint,
          box: { kind: "secret", placeholder: this.#showsHeld ? own.held : "" },
          text: "",
          check: (text) =>
            needs(kind) && text === "" && !this.#isHeld
              ? { kind: this.#entered === undefined ? "noSecret" : "otherSecret" }
              : undefined,
          onInput: () => {
            const typed = kind === "basic" ? this.#password.text : this.#token.text;
            this.#entered = typed === "" ? undefined : this.#target;
            if (typed === "") this.#empty();
            this.#showsHeld = typed !== "";
            options.onSecret(typed, this.#target);
          },
        },
        texts,
      );
    this.#token = secret(own.token, "bearer");
    this.#password = secret(own.password, "basic");
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

  /** The boxes for the secret; at most one is visible. */
  get secrets(): readonly Control[] {
    return [this.#token, this.#password];
  }

  /** The box of a required secret that is missing. */
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

  /** Whether the JSON text has all but the secret: then only the secret's box is visible. */
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
    for (const control of [this.#strategy, this.#username, ...this.secrets]) control.clearIfValid();
    this.#show();
  }

  /** The secret was entered in the JSON text for this target, or removed there. */
  hold(target: string | undefined): void {
    this.#entered = target;
    this.#empty();
    for (const secret of this.secrets) secret.clearIfValid();
  }

  /** Hides a secret that was entered for another host. It stays held for that host. */
  addressChanged(): void {
    if (this.#isHeld !== this.#showsHeld) this.#empty();
  }

  get #target(): string {
    return targetFor(this.strategy, this.#options.address());
  }

  /** Whether a secret is held for the current address and strategy. */
  get #isHeld(): boolean {
    return isMeantFor(this.#target, this.#entered);
  }

  get #isUsed(): boolean {
    return this.#options.address().trim() !== "";
  }

  #empty(): void {
    this.#showsHeld = this.#isHeld;
    for (const secret of this.secrets)
      secret.use({ kind: "secret", placeholder: this.#showsHeld ? this.#held : "" }, "");
  }

  #show(): void {
    this.element.hidden = this.#isInText && !(this.#isUsed && this.strategy !== "none");
    this.#strategy.element.hidden = this.#isInText;
    this.#username.element.hidden = this.#isInText || this.strategy !== "basic";
    this.#token.element.hidden = this.strategy !== "bearer";
    this.#password.element.hidden = this.strategy !== "basic";
  }
}

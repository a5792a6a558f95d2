import type { FormTexts } from "../kickoff/form-texts.ts";
import { strategies, type Strategy } from "../kickoff/secret-callbacks.ts";
import { Control } from "./control.ts";
import { make } from "./dom.ts";
import { fill } from "./words.ts";

/** What {@link Authentication} begins with and tells. */
export interface AuthenticationOptions<Kind extends Strategy> {
  /** Which callback it is of, as part of its labels. */
  readonly callback: string;
  readonly strategies: readonly Kind[];
  readonly strategy: Kind;
  readonly username: string;
  /** Whether the extension host holds the secret. */
  readonly isHeld: boolean;
  /** Whether the callback is used at all: only then something can be missing. */
  readonly isUsed: () => boolean;
  readonly onInput: () => void;
  /** A secret was typed. It is told apart from all else, and kept nowhere in the page. */
  readonly onSecret: (text: string) => void;
}

/** How a callback authenticates: by nothing, a token, or a user name and password. */
export class Authentication<Kind extends Strategy> {
  readonly element: HTMLElement;
  readonly #options: AuthenticationOptions<Kind>;
  readonly #strategy: Control;
  readonly #username: Control;
  readonly #token: Control;
  readonly #password: Control;
  #isHeld: boolean;

  constructor(options: AuthenticationOptions<Kind>, texts: FormTexts) {
    this.#options = options;
    this.#isHeld = options.isHeld;
    const { callback, onInput } = options;
    const words = texts.authentication;
    const box = { kind: "choice", choices: options.strategies.map((value) => ({ value, label: words.strategies[value] })) } as const;
    const changed = () => {
      this.#show();
      onInput();
    };
    this.#strategy = new Control({ label: fill(words.strategy, callback), box, text: options.strategy, check: () => undefined, onInput: changed }, texts);
    const needs = (kind: Strategy) => options.isUsed() && this.strategy === kind;
    this.#username = new Control(
      { label: fill(words.username, callback), box: { kind: "line", inputmode: "text" }, text: options.username, check: (text) => (needs("basic") && text === "" ? { kind: "noUsername" } : undefined), onInput },
      texts,
    );
    const secret = (label: string, kind: Strategy) =>
      new Control(
        {
          label: fill(label, callback),
          hint: words.secretHint,
          box: { kind: "secret", placeholder: options.isHeld ? words.held : "" },
          text: "",
          check: (text) => (needs(kind) && text === "" && !this.#isHeld ? { kind: "noSecret" } : undefined),
          onInput: () => {
            const typed = kind === "basic" ? this.#password.text : this.#token.text;
            // What is typed now is all there is.
            this.#isHeld = false;
            options.onSecret(typed);
          },
        },
        texts,
      );
    this.#token = secret(words.token, "bearer");
    this.#password = secret(words.password, "basic");
    this.element = make("div", { class: "nested" }, ...this.controls.map((control) => control.element));
    this.#show();
  }

  get controls(): readonly Control[] {
    return [this.#strategy, this.#username, this.#token, this.#password];
  }

  get strategy(): Kind {
    const chosen = this.#strategy.text;
    return this.#options.strategies.find((one) => one === chosen) ?? this.#options.strategy;
  }

  get username(): string {
    return this.#username.text;
  }

  #show(): void {
    this.#username.element.hidden = this.strategy !== "basic";
    this.#token.element.hidden = this.strategy !== "bearer";
    this.#password.element.hidden = this.strategy !== "basic";
  }
}

/** Those that event streaming takes (vendor's webhook streaming guide). */
export const streamingStrategies = strategies.filter((one) => one !== "basic");

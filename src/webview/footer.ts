import { type Explanation, fill, type FromForm, type Outcome } from "../kickoff/form/messages.ts";
import type { FormTexts } from "../kickoff/texts.ts";
import { button, make } from "./dom.ts";

export class Footer {
  readonly element: HTMLElement;
  readonly #texts: FormTexts;
  /** The button's text. */
  readonly #title: string;
  readonly #outcome = make("div", { class: "outcome", role: "alert" });
  readonly #blocked = make("p", { class: "error" });
  /** For screen readers; the button shows the same. */
  readonly #status = make("p", { class: "unseen", role: "status" });
  readonly #submit: HTMLButtonElement;

  constructor(texts: FormTexts, title: string, onSubmit: () => void) {
    this.#texts = texts;
    this.#title = title;
    this.#submit = button(title, "primary", onSubmit);
    const shortcut = /mac/i.test(navigator.userAgent) ? "⌘Enter" : "Ctrl+Enter";
    const keys = make("span", { class: "keys" }, fill(texts.shortcut, shortcut));
    const buttons = make("div", { class: "buttons" }, this.#submit, keys);
    this.element = make("footer", {}, this.#outcome, buttons, this.#status);
    // The footer must not cover a focused field.
    new ResizeObserver(() => {
      document.documentElement.style.scrollPaddingBottom = `${this.element.offsetHeight + 8}px`;
    }).observe(this.element);
  }

  set isSending(isSending: boolean) {
    this.#submit.textContent = isSending ? this.#texts.sending : this.#title;
    this.#status.textContent = isSending ? this.#texts.sending : "";
    this.isOff = isSending;
  }

  /** Not `disabled`, which would lose focus. */
  set isOff(isOff: boolean) {
    this.#submit.setAttribute("aria-disabled", String(isOff));
  }

  focus(): void {
    this.#submit.focus();
  }

  show(...outcome: readonly HTMLElement[]): void {
    this.#outcome.replaceChildren(...outcome);
  }

  /** Shows and announces why an action is blocked; "" to clear. */
  showBlocked(text: string): void {
    this.#blocked.remove();
    this.#blocked.textContent = text;
    if (text !== "") this.#outcome.append(this.#blocked);
  }

  scrollToOutcome(): void {
    this.#outcome.scrollIntoView({ block: "nearest" });
  }
}

type Post = (message: FromForm) => void;

/** The extension host identifies the buttons by index. */
export function explanation(
  { message, remedy, actions }: Explanation,
  post: Post,
  ...others: readonly HTMLElement[]
): HTMLElement {
  const act = (title: string, index: number) =>
    button(title, "secondary", () => post({ type: "act", index }));
  const buttons = [...others, ...actions.map(act)];
  return make(
    "div",
    { class: "error" },
    make("p", { class: "message" }, message),
    remedy === undefined || remedy === "" ? undefined : make("p", {}, remedy),
    buttons.length === 0 ? undefined : make("div", { class: "buttons" }, ...buttons),
  );
}

export function outcomeBox(outcome: Outcome, texts: FormTexts, post: Post): HTMLElement {
  if (outcome.kind === "refused") return explanation(outcome, post);
  const open = button(texts.openExecution, "primary", () => post({ type: "openExecution" }));
  const again = button(texts.kickOffAgain, "secondary", () => post({ type: "sendAgain" }));
  const box = explanation(outcome, post, open, again);
  box.className = "warning";
  return box;
}

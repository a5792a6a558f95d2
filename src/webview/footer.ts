import { fill } from "../kickoff/fill.ts";
import type { FormTexts } from "../kickoff/form-texts.ts";
import { button, make } from "./dom.ts";
import { submitKeys } from "./words.ts";

/** The button that sends the form, and how the last attempt ended. */
export class Footer {
  readonly element: HTMLElement;
  readonly #texts: FormTexts;
  readonly #outcome = make("div", { class: "outcome", role: "alert" });
  readonly #complaint = make("p", { class: "error" });
  /** Heard, not seen: the button says the same to the eye. */
  readonly #status = make("p", { class: "unseen", role: "status" });
  readonly #submit: HTMLButtonElement;

  constructor(texts: FormTexts, onSubmit: () => void) {
    this.#texts = texts;
    this.#submit = button(texts.kickOff, "primary", onSubmit);
    const keys = make("span", { class: "keys" }, fill(texts.shortcut, submitKeys()));
    this.element = make(
      "footer",
      {},
      this.#outcome,
      make("div", { class: "buttons" }, this.#submit, keys),
      this.#status,
    );
    // It stays in view; a field that gets the focus must not end up behind it.
    new ResizeObserver(() => {
      document.documentElement.style.scrollPaddingBottom = `${this.element.offsetHeight + 8}px`;
    }).observe(this.element);
  }

  set isSending(isSending: boolean) {
    this.#submit.textContent = isSending ? this.#texts.sending : this.#texts.kickOff;
    this.#status.textContent = isSending ? this.#texts.sending : "";
    this.isOff = isSending;
  }

  /** Not `disabled`, which would throw the keyboard's focus away. */
  set isOff(isOff: boolean) {
    this.#submit.setAttribute("aria-disabled", String(isOff));
  }

  focus(): void {
    this.#submit.focus();
  }

  /** Shows how sending ended, in the place of all that was said before; nothing takes that away. */
  show(...outcome: readonly HTMLElement[]): void {
    this.#outcome.replaceChildren(...outcome);
  }

  /** Says, and reads out, why something that was pressed is not done; an empty text takes that away. */
  complain(text: string): void {
    this.#complaint.remove();
    this.#complaint.textContent = text;
    if (text !== "") this.#outcome.append(this.#complaint);
  }

  scrollToOutcome(): void {
    this.#outcome.scrollIntoView({ block: "nearest" });
  }
}

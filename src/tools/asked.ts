import type { Clock } from "../api/clock.ts";
import type { Confirmation } from "./confirmation.ts";

/** Milliseconds within which nobody reads a confirmation and answers it: VS Code was told to allow it by itself. */
const soonestAnswer = 1_000;
/** Confirmations that were never answered, or denied, are not remembered for ever. */
const mostRemembered = 50;

/** What {@link Asked} works with. */
export interface AskedOptions {
  readonly clock: Pick<Clock, "now">;
  /** Whether VS Code is set to allow tools without asking. */
  readonly allowsByItself: () => boolean;
  /** Asks the person by a dialog of ours. */
  readonly ask: (confirmation: Confirmation) => Promise<boolean>;
}

/**
 * Sees to it that a person is asked before anything is sent, once for each sending, whatever VS Code was told to allow by
 * itself. VS Code asks by what a tool's preparation returns, but does not tell the tool whether it did: "always allow", a
 * session without approvals, a hook and a setting all skip it, and the person may change the input in the chat. So what
 * was not shown just as it is to be sent, or was allowed faster than anybody reads, is asked by a dialog.
 */
export class Asked {
  readonly #options: AskedOptions;
  /** When each was handed to VS Code, by all that it says. */
  readonly #shown = new Map<string, number>();

  constructor(options: AskedOptions) {
    this.#options = options;
  }

  /** VS Code is about to show a confirmation. */
  willShow(confirmation: Confirmation): void {
    const key = keyOf(confirmation);
    this.#shown.delete(key);
    this.#shown.set(key, this.#options.clock.now());
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > mostRemembered && oldest !== undefined) this.#shown.delete(oldest);
  }

  /** Whether the person allows this one sending. */
  async allows(confirmation: Confirmation): Promise<boolean> {
    const { clock, allowsByItself, ask } = this.#options;
    const key = keyOf(confirmation);
    const shown = this.#shown.get(key);
    this.#shown.delete(key);
    const wasAsked = shown !== undefined && clock.now() - shown >= soonestAnswer && !allowsByItself();
    return wasAsked || (await ask(confirmation));
  }
}

function keyOf(confirmation: Confirmation): string {
  return JSON.stringify(confirmation);
}

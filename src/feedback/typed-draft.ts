import type { Clock } from "../base/clock.ts";
import type { Disposable } from "../base/events.ts";
import type { Drafts, DraftTarget } from "./drafts.ts";

/** How long nothing is typed before the draft is stored (ms): each time is a write to the disk. */
const pause = 300;

interface Keystroke {
  readonly target: DraftTarget;
  /** All of the box. */
  readonly text: string;
  /** Milliseconds since 1970, later with each keystroke. */
  readonly number: number;
}

/** What a person types about an output: stored after a pause, and when the box or the page is left. */
export class TypedDraft implements Disposable {
  readonly #drafts: Pick<Drafts, "keep" | "remove">;
  readonly #clock: Clock;
  readonly #onProblem: (error: unknown) => void;
  #last: Keystroke | undefined;
  #cancel: (() => void) | undefined;

  constructor(
    drafts: Pick<Drafts, "keep" | "remove">,
    clock: Clock,
    onProblem: (error: unknown) => void,
  ) {
    this.#drafts = drafts;
    this.#clock = clock;
    this.#onProblem = onProblem;
  }

  typed(keystroke: Keystroke): void {
    if (this.numberOf(keystroke.target) === 0) this.store();
    this.#last = keystroke;
    this.#cancel?.();
    this.#cancel = this.#clock.after(pause, () => this.store());
  }

  /** The newest keystroke about an output; 0 if nothing was typed. */
  numberOf({ localId, taskId, attempt }: DraftTarget): number {
    const { target, number = 0 } = this.#last ?? {};
    const isSame =
      target?.localId === localId && target.taskId === taskId && target.attempt === attempt;
    return isSame ? number : 0;
  }

  /** Stores what is not stored yet. */
  store(): void {
    if (this.#cancel === undefined || this.#last === undefined) return;
    this.#cancel();
    this.#cancel = undefined;
    const { target, text, number } = this.#last;
    try {
      const at = new Date(number).toISOString();
      if (text.trim() === "") this.#drafts.remove(target);
      else this.#drafts.keep({ ...target, text, at });
    } catch (error) {
      this.#onProblem(error);
    }
  }

  dispose(): void {
    this.store();
  }
}

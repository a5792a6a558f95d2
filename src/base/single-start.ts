import type { Clock } from "./clock.ts";

/** The end of a double click (ms): systems use 500 ms, people can be slower. */
const clickTime = 1_000;

/** Starts something once, even on a double click: each kickoff costs money. */
export class SingleStart<T> {
  readonly #clock: Clock;
  readonly #starts = new Map<string, { readonly made: Promise<T>; isUnderWay: boolean }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A person's start counts for a moment after its end, unless it gave undefined (cancelled). */
  once(key: string, by: { readonly isPerson: boolean }, start: () => Promise<T>): Promise<T> {
    const present = this.#starts.get(key);
    if (present !== undefined && (present.isUnderWay || by.isPerson)) return present.made;
    const started = { made: start(), isUnderWay: true };
    this.#starts.set(key, started);
    const forget = () => {
      if (this.#starts.get(key) === started) this.#starts.delete(key);
    };
    const end = (isHeld: boolean) => {
      started.isUnderWay = false;
      if (isHeld) this.#clock.after(clickTime, forget);
      else forget();
    };
    started.made.then(
      (made) => end(by.isPerson && made !== undefined),
      () => end(by.isPerson),
    );
    return started.made;
  }
}

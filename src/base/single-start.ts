import type { Clock } from "./clock.ts";

/** How long after a start another click is part of a double click (ms). Systems take 500 ms, people are slower at times. */
const clickTime = 1_000;

/** Starts something once however often it is requested, for example by a double click: each kickoff costs money. */
export class SingleStart<T> {
  readonly #clock: Clock;
  readonly #starts = new Map<string, { readonly made: Promise<T>; isUnderWay: boolean }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Starts it, or returns the start in progress with the same key. A person's start, even a failed one, which may have arrived, also counts
   * for a moment after it ended, unless it made nothing: then the person cancelled.
   * @param by a program that requests it again after the answer wants another
   */
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
    // The caller handles a failure.
    started.made.then(
      (made) => end(by.isPerson && made !== undefined),
      () => end(by.isPerson),
    );
    return started.made;
  }
}

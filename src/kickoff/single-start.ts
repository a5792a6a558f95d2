import type { Clock } from "../base/clock.ts";

/** Milliseconds after a start's end in which another click is still part of a double click. Systems take 500 ms for one, hands are slower at times. */
const clickTime = 1_000;

interface Wish<T> {
  readonly made: Promise<T>;
  isUnderWay: boolean;
}

/** Starts what a person wants once, however quick the clicks and the answers are: each kickoff costs money. */
export class OneWish<T> {
  readonly #clock: Clock;
  readonly #wishes = new Map<string, Wish<T>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Starts it, or gives what the same wish brings that is under way. A person's wish stays the same for a moment after it brought
   * something or failed, for a failed kickoff may have arrived. Where it brought nothing, the person said no, and may say yes at once.
   * @param key whatever is the same for the same wish
   * @param by a program that asks again after the answer means another
   */
  once(key: string, by: { readonly isPerson: boolean }, start: () => Promise<T>): Promise<T> {
    const present = this.#wishes.get(key);
    if (present !== undefined && (present.isUnderWay || by.isPerson)) return present.made;
    const wish: Wish<T> = { made: start(), isUnderWay: true };
    this.#wishes.set(key, wish);
    const end = (isHeld: boolean) => {
      wish.isUnderWay = false;
      if (isHeld) this.#clock.after(clickTime, () => this.#forget(key, wish));
      else this.#forget(key, wish);
    };
    // Who asked hears of a failure; here it only ends.
    wish.made.then(
      (made) => end(by.isPerson && made !== undefined),
      () => end(by.isPerson),
    );
    return wish.made;
  }

  #forget(key: string, wish: Wish<T>): void {
    if (this.#wishes.get(key) === wish) this.#wishes.delete(key);
  }
}

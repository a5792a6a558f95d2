import { useEffect, useState } from "preact/hooks";
import { formatSpan } from "../view/lengths.ts";

/** How often what runs grows (ms). */
const interval = 250;

/** The extension host's clock, which may differ from the browser's. */
class Clock {
  readonly #listeners = new Set<() => void>();
  #ahead = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  set(now: number): void {
    this.#ahead = now - Date.now();
  }

  /** Milliseconds since 1970. */
  now(): number {
    return Date.now() + this.#ahead;
  }

  /** Runs only while somebody listens. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => {
      for (const each of this.#listeners) each();
    }, interval);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }
}

/** The page's. */
export const clock = new Clock();

/** Renders its component alone again while `isRunning`. */
export function useNow(isRunning: boolean): number {
  const [, setTick] = useState(0);
  useEffect(
    () => (isRunning ? clock.listen(() => setTick((tick) => tick + 1)) : undefined),
    [isRunning],
  );
  return clock.now();
}

/** A text, or since when it counts (milliseconds since 1970). */
export function Elapsed({ elapsed }: { readonly elapsed: string | number }) {
  const isRunning = typeof elapsed === "number";
  const now = useNow(isRunning);
  return (
    <span class="elapsed" role="timer">
      {isRunning ? formatSpan(now - elapsed) : elapsed}
    </span>
  );
}

import { useEffect, useState } from "preact/hooks";
import { formatSpan } from "../view/words.ts";

/** Of the extension host's clock (ms): the browser's may differ. */
let ahead = 0;

export const clock = {
  set(now: number): void {
    ahead = now - Date.now();
  },
  now: (): number => Date.now() + ahead,
  listen(listener: () => void): () => void {
    const timer = setInterval(listener, 250);
    return () => clearInterval(timer);
  },
};

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

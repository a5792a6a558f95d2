import type { Clock } from "./clock.ts";

/** The end of a double click (ms): systems use 500 ms, people can be slower. */
const clickTime = 1_000;

/**
 * Starts something once for each key, even on a double click: each kickoff costs money.
 * A person's start counts for a moment after its end, unless it gave undefined (cancelled).
 */
export function startOnce<T>(clock: Clock) {
  const starts = new Map<string, { readonly made: Promise<T>; isUnderWay: boolean }>();
  return (key: string, by: { readonly isPerson: boolean }, start: () => Promise<T>): Promise<T> => {
    const present = starts.get(key);
    if (present !== undefined && (present.isUnderWay || by.isPerson)) return present.made;
    const started = { made: start(), isUnderWay: true };
    starts.set(key, started);
    const forget = () => {
      if (starts.get(key) === started) starts.delete(key);
    };
    const end = (isHeld: boolean) => {
      started.isUnderWay = false;
      if (isHeld) clock.after(clickTime, forget);
      else forget();
    };
    started.made.then(
      (made) => end(by.isPerson && made !== undefined),
      () => end(by.isPerson),
    );
    return started.made;
  };
}

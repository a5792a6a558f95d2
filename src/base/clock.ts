export interface Clock {
  /** ms since 1970. */
  now(): number;
  /** Calls `action` once; the returned function cancels it. */
  after(milliseconds: number, action: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Returns whether the time passed before the signal aborted. */
export function wait(
  clock: Pick<Clock, "after">,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (passed: boolean) => {
      cancel();
      signal?.removeEventListener("abort", onAbort);
      resolve(passed);
    };
    const onAbort = () => end(false);
    const cancel = clock.after(milliseconds, () => end(true));
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
  });
}

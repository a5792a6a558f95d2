import { setTimeout as delay } from "node:timers/promises";

/** How long a test waits for anything (ms): far more than it takes, also on a busy machine. */
export const longestWait = 90_000;

/** Waits for a promise, but not for ever (ms). @throws Error that names what did not come, such as "the server's address" */
export async function within<T>(
  what: string,
  promise: T | Promise<T>,
  limit = longestWait,
): Promise<T> {
  const timer = new AbortController();
  const late = delay(limit, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`Waited ${limit / 1000} s in vain for ${what}.`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    late.catch(() => undefined);
    timer.abort();
  }
}

/** Calls a function until it returns neither undefined nor false, and returns that. Times in ms. @throws Error that names what did not come */
export async function waitFor<T>(
  what: string,
  ask: () => T | Promise<T>,
  limit = longestWait,
  pause = 50,
): Promise<Exclude<T, undefined | false>> {
  const end = performance.now() + limit;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>;
    if (performance.now() > end) throw new Error(`Waited ${limit / 1000} s in vain for ${what}.`);
    await delay(pause);
  }
}

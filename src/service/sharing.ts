import { setImmediate as whatArrivesNow } from "node:timers/promises";

/**
 * Runs `action` one time after the other, each for all who have asked before it begins: what they get is never older than
 * their question.
 */
export function sharing<T>(action: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  const begin = async (): Promise<T> => {
    await whatArrivesNow();
    next = undefined;
    return await action();
  };
  return () => {
    if (next === undefined) last = next = last.then(begin, begin);
    return next;
  };
}

/**
 * Runs `action` one time after the other, each for all who have asked before it begins: what they get is never older than
 * their question.
 */
export function sharing<T>(action: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    next = undefined;
    return action();
  };
  return () => {
    if (next === undefined) last = next = last.then(begin, begin);
    return next;
  };
}

/** Waits for an answer until the signal ends the waiting; nothing is asked where it has already. @throws the signal's reason */
export async function unlessAborted<Answer>(
  signal: AbortSignal,
  ask: () => PromiseLike<Answer>,
): Promise<Answer> {
  signal.throwIfAborted();
  const over = new AbortController();
  const aborted = new Promise<undefined>((resolve) =>
    signal.addEventListener("abort", () => resolve(undefined), { signal: over.signal }),
  );
  try {
    const first = await Promise.race([ask().then((answer) => ({ answer })), aborted]);
    if (first !== undefined) return first.answer;
  } finally {
    over.abort();
  }
  throw signal.reason;
}

/** For a `describe` at its top: a function that adds what runs after each of its tests, or after all of them; the last first. */
export function endsOf(hook: (run: () => Promise<void>) => unknown): (end: () => unknown) => void {
  const ends: (() => unknown)[] = [];
  hook(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  return (end) => void ends.push(end);
}

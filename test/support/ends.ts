/** For a `describe` at its top: a function that adds what runs after each of its tests, or after all of them; the last first. */
export function endsOf(hook: (run: () => Promise<void>) => unknown): (end: () => unknown) => void {
  const ends: (() => unknown)[] = [];
  hook(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  return (end) => void ends.push(end);
}

const ends = new Set<() => unknown>();
let isTesting = false;

/** Adds what runs after the test that runs, and after its hooks; the last first. */
export function atEndOfTest(end: () => unknown): void {
  ends.add(end);
}

/** Ends with the test that runs what is made for it alone; what a `before` hook makes, its suite ends. */
export function endWithTest(end: () => unknown): void {
  if (isTesting) atEndOfTest(end);
}

/** For Mocha's own hooks: a root hook of a file that tests import is registered only for a worker's first file. */
export function beginTest(): void {
  isTesting = true;
}

export async function endTest(): Promise<void> {
  isTesting = false;
  for (let end = [...ends].pop(); end !== undefined; end = [...ends].pop()) {
    ends.delete(end);
    await end();
  }
}

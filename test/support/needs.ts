/** In CI, a test that can't run is a failure. */
export const isCi = process.env["CI"] === "true";

/** Resolves to why something can't be installed here. */
export function problemOf(
  what: string,
  install: () => Promise<unknown>,
): Promise<string | undefined> {
  return install().then(
    () => undefined,
    (error: unknown) =>
      `${what} can't be installed here: ${error instanceof Error ? error.message : String(error)}`,
  );
}

/**
 * Skips the tests of a suite where something can't be installed. In CI, they fail.
 * @param install resolves to why the tests can't run here
 */
export function needs(install: () => Promise<string | undefined>): void {
  before(async function () {
    this.timeout(0);
    const problem = await install();
    if (problem === undefined) return;
    if (isCi) throw new Error(problem);
    console.log(`      skipped: ${problem}`);
    this.skip();
  });
}

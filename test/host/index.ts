import { appendFileSync } from "node:fs";
import { format } from "node:util";
import Mocha from "mocha";
import CountReporter from "../support/count-reporter.ts";
import { beginTest, endTest } from "../support/ends.ts";
import { noteEnd, noteTest } from "../support/standing.ts";

/**
 * Runs the host tests inside VS Code's extension host; `register` loads the test files. The report goes to the file that
 * CREWDECK_TEST_OUTPUT names, else to the console, which a desktop VS Code passes on to the terminal. CREWDECK_GREP chooses by title,
 * CREWDECK_EXCEPT leaves out by title.
 * @throws Error when a test failed, or when there was none
 */
export async function runTests(register: () => void): Promise<void> {
  const output = process.env["CREWDECK_TEST_OUTPUT"];
  if (output !== undefined)
    Mocha.reporters.Base.consoleLog = (...args: unknown[]) =>
      appendFileSync(output, `${format(...args)}\n`);
  const [only, except] = [process.env["CREWDECK_GREP"], process.env["CREWDECK_EXCEPT"]];
  const grep = only ?? except;
  const mocha = new Mocha({
    ui: "bdd",
    timeout: 240_000,
    reporter: CountReporter,
    rootHooks: { beforeEach: [beginTest, noteTest], afterEach: [endTest, noteEnd] },
    forbidOnly: true,
    ...(grep === undefined ? {} : { grep, invert: only === undefined }),
  });
  // Defines describe() and it() globally.
  mocha.suite.emit("pre-require", globalThis, "", mocha);
  register();
  if (mocha.suite.total() === 0) throw new Error("There are no host tests.");
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) throw new Error(`${failures} host tests failed`);
}

// A program that prints the tests in the given files as JSON without running them.
import Mocha from "mocha";

/** A test as Mocha finds it. */
export interface ListedTest {
  readonly file: string;
  /** Its own title, without those of its suites. */
  readonly title: string;
  /** Whether it or one of its suites is skipped, or its body may skip it. */
  readonly isSkipped: boolean;
}

const mocha = new Mocha();
for (const file of process.argv.slice(2)) mocha.addFile(file);
await mocha.loadFilesAsync();
const tests: ListedTest[] = [];
mocha.suite.eachTest((test: Mocha.Test) => {
  tests.push({
    file: test.file ?? "",
    title: test.title,
    isSkipped: test.isPending() || /\bthis\.skip\(/.test(test.body),
  });
});
// Exits even if a test file left something open when it was loaded.
process.stdout.write(JSON.stringify(tests), () => process.exit());

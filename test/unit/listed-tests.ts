// A program: prints as JSON the tests that Mocha finds in the files named by its arguments, without running them.
import Mocha from "mocha";

/** One test as Mocha finds it. */
export interface ListedTest {
  readonly file: string;
  /** Its own title, without those of the groups around it. */
  readonly title: string;
  /** Whether it, or a group around it, is skipped, or its body says that it may be. */
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
// What a test file opened while it was loaded does not keep this program.
process.stdout.write(JSON.stringify(tests), () => process.exit());

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "../support/folders.ts";

/** How many sentences and table rows each section of the specification has; section 0 is its introduction. */
const rowsOfSections = [2, 12, 11, 5, 33, 7, 8, 9, 4, 1];
/** The rows that no test can show. */
const nothingToShow = ["6.2"];

const testFolder = path.join(projectFolder, "test");

describe("the table from the specification to its tests", () => {
  const rows = readFileSync(path.join(testFolder, "specification.md"), "utf8")
    .split("\n")
    .filter((line) => /^\| \d/.test(line))
    .map((line) => {
      const cells = line.split("|").map((cell) => cell.trim());
      assert.equal(cells.length, 5, `not 3 cells: ${line}`);
      const [, number = "", says = "", shownBy = ""] = cells;
      return { number, says, shownBy };
    });

  it("has every sentence of every section, in order", () => {
    const expected = rowsOfSections.flatMap((count, section) =>
      Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
    );
    const numbers = rows.map(({ number }) => number);
    assert.deepEqual(numbers, expected);
    assert.equal(new Set(rows.map(({ says }) => says)).size, rows.length, "two rows say the same");
    assert.ok(rows.every(({ says }) => says.length >= 10));
  });

  it("names for each row tests that exist and are not skipped, or says why there is none", () => {
    const cited = rows.flatMap(({ number, shownBy }) => {
      if (!nothingToShow.includes(number)) return shownBy.split("<br>");
      assert.match(shownBy, /^Nothing to show: .{20,}/, number);
      return [];
    });
    const files = [...new Set(cited.map((text) => /^`([^`]+\.test\.ts)` › /.exec(text)?.[1]))].map(
      (file) => file ?? assert.fail('not "`file` › title"'),
    );
    // Host tests only run inside VS Code, so their files are read as text.
    const isInEditor = (file: string) => file.startsWith("host/");
    const found = new Set([
      ...listedByMocha(files.filter((file) => !isInEditor(file))),
      ...files.filter(isInEditor).flatMap(writtenIn),
    ]);
    const missing = cited.filter((text) => !found.has(text));
    assert.deepEqual(missing, [], "missing or skipped tests");
  });
});

/** The tests in files, as `file` › title. */
function listedByMocha(files: readonly string[]): string[] {
  const program = ["node_modules/mocha/bin/mocha.js", "--dry-run", "--reporter", "json"];
  const output = execFileSync(
    process.execPath,
    [...program, ...files.map((file) => path.join(testFolder, file))],
    { cwd: projectFolder, encoding: "utf8", maxBuffer: 2 ** 24 },
  );
  const { passes } = JSON.parse(output) as { passes: readonly { file: string; title: string }[] };
  return passes.map(({ file, title }) => `\`${path.relative(testFolder, file)}\` › ${title}`);
}

function writtenIn(file: string): string[] {
  const text = readFileSync(path.join(testFolder, file), "utf8");
  return [...text.matchAll(/^\s*it\("((?:[^"\\]|\\.)*)"/gm)].map(
    ([, title]) => `\`${file}\` › ${String(JSON.parse(`"${title}"`))}`,
  );
}

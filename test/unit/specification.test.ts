import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "../support/folders.ts";
import type { ListedTest } from "./listed-tests.ts";

/** How many sentences and table rows each section of the specification has; section 0 is its introduction. */
const rowsOfSections = [2, 12, 11, 5, 33, 7, 8, 9, 4, 1];
/** The rows about which no test can say anything. */
const nothingToShow = ["6.2"];

interface Row {
  readonly number: string;
  readonly says: string;
  readonly shownBy: string;
}

interface Citation {
  /** From the folder of the tests. */
  readonly file: string;
  readonly title: string;
}

const testFolder = path.join(projectFolder, "test");

describe("the table from the specification to its tests", () => {
  let rows: readonly Row[];
  before(() => {
    rows = readRows();
  });

  it("has every sentence of every section, in order", () => {
    const expected = rowsOfSections.flatMap((count, section) => Array.from({ length: count }, (_, index) => `${section}.${index + 1}`));
    assert.deepEqual(rows.map(({ number }) => number), expected);
    assert.equal(new Set(rows.map(({ says }) => says)).size, rows.length, "two rows say the same");
    assert.ok(rows.every(({ says }) => says.length >= 10));
  });

  it("leads from each row to a test, or says why none can show it", () => {
    for (const { number, shownBy } of rows) {
      if (nothingToShow.includes(number)) assert.match(shownBy, /^Nothing to show: .{20,}/, number);
      else assert.ok(citationsIn(shownBy).length > 0, number);
    }
  });

  it("names only tests that exist and are not skipped", function () {
    this.timeout(60_000);
    const citations = rows.filter(({ number }) => !nothingToShow.includes(number)).flatMap(({ shownBy }) => citationsIn(shownBy));
    const files = [...new Set(citations.map(({ file }) => file))];
    assert.deepEqual(files.filter((file) => !existsSync(path.join(testFolder, file))), [], "files that are not there");
    const listed = [...listedByMocha(files.filter((file) => !isInEditor(file))), ...files.filter(isInEditor).flatMap(writtenIn)];
    const wrong = citations.filter(({ file, title }) => {
      const found = listed.filter((test) => test.file === file && test.title === title);
      return found.length === 0 || found.some(({ isSkipped }) => isSkipped);
    });
    assert.deepEqual(wrong, []);
  });
});

function readRows(): Row[] {
  const lines = readFileSync(path.join(testFolder, "specification.md"), "utf8").split("\n");
  return lines
    .filter((line) => /^\| \d/.test(line))
    .map((line) => {
      const [before, number, says, shownBy, after, ...more] = line.split("|").map((cell) => cell.trim());
      assert.deepEqual([before, after, more], ["", "", []], `not three cells: ${line}`);
      return { number: number ?? "", says: says ?? "", shownBy: shownBy ?? "" };
    });
}

function citationsIn(cell: string): Citation[] {
  return cell.split("<br>").map((text) => {
    const [, file, title] = /^`([^`]+\.test\.ts)` › (.+)$/.exec(text) ?? assert.fail(`not "\`file\` › title": ${text}`);
    return { file: file ?? "", title: title ?? "" };
  });
}

/** Tests of the extension host run inside VS Code only, so their files are read as text. */
function isInEditor(file: string): boolean {
  return file.startsWith("host/");
}

function listedByMocha(files: readonly string[]): ListedTest[] {
  const program = path.join(testFolder, "unit", "listed-tests.ts");
  const output = execFileSync(process.execPath, [program, ...files.map((file) => path.join(testFolder, file))], { encoding: "utf8", maxBuffer: 2 ** 24 });
  return (JSON.parse(output) as ListedTest[]).map((test) => ({ ...test, file: path.relative(testFolder, test.file).replaceAll("\\", "/") }));
}

function writtenIn(file: string): ListedTest[] {
  const text = readFileSync(path.join(testFolder, file), "utf8");
  const isSkipped = /\b(describe|suite|context)\.skip\(|\bthis\.skip\(/.test(text);
  return [...text.matchAll(/^\s*it(\.skip)?\("((?:[^"\\]|\\.)*)"/gm)].map(([, skip, title]) => ({ file, title: JSON.parse(`"${title}"`) as string, isSkipped: isSkipped || skip !== undefined }));
}

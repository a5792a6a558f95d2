import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "../support/folders.ts";
import type { ListedTest } from "./listed-tests.ts";

/** A test that a table names, as `file` › title. */
export interface Citation {
  /** Relative to the test folder. */
  readonly file: string;
  /** The test's own title, without those of its suites. */
  readonly title: string;
}

const testFolder = path.join(projectFolder, "test");

/** The lines of a table file in the test folder. */
export function linesOf(file: string): string[] {
  return readFileSync(path.join(testFolder, file), "utf8").split("\n");
}

/** The cells of a table's line. @throws AssertionError unless there are `count` of them */
export function cellsOf(line: string, count: number): string[] {
  const cells = line.split("|").map((cell) => cell.trim());
  assert.deepEqual(
    [cells.length, cells[0], cells.at(-1)],
    [count + 2, "", ""],
    `not ${count} cells: ${line}`,
  );
  return cells.slice(1, -1);
}

/** The tests that a cell names, separated by <br>. @throws AssertionError if it has another form */
export function citationsIn(cell: string): Citation[] {
  return cell.split("<br>").map((text) => {
    const [, file, title] =
      /^`([^`]+\.test\.ts)` › (.+)$/.exec(text) ?? assert.fail(`not "\`file\` › title": ${text}`);
    return { file: file ?? "", title: title ?? "" };
  });
}

/** @throws AssertionError if a test is missing or skipped */
export function checkThatTheyExist(citations: readonly Citation[]): void {
  const files = [...new Set(citations.map(({ file }) => file))];
  assert.deepEqual(
    files.filter((file) => !existsSync(path.join(testFolder, file))),
    [],
    "missing files",
  );
  const listed = [
    ...listedByMocha(files.filter((file) => !isInEditor(file))),
    ...files.filter(isInEditor).flatMap(writtenIn),
  ];
  const wrong = citations.filter(({ file, title }) => {
    const found = listed.filter((test) => test.file === file && test.title === title);
    return found.length === 0 || found.some(({ isSkipped }) => isSkipped);
  });
  assert.deepEqual(wrong, [], "missing or skipped tests");
}

/** Host tests only run inside VS Code, so their files are read as text. */
function isInEditor(file: string): boolean {
  return file.startsWith("host/");
}

function listedByMocha(files: readonly string[]): ListedTest[] {
  const program = path.join(testFolder, "unit", "listed-tests.ts");
  const output = execFileSync(
    process.execPath,
    [program, ...files.map((file) => path.join(testFolder, file))],
    { encoding: "utf8", maxBuffer: 2 ** 24 },
  );
  return (JSON.parse(output) as ListedTest[]).map((test) => ({
    ...test,
    file: path.relative(testFolder, test.file).replaceAll("\\", "/"),
  }));
}

function writtenIn(file: string): ListedTest[] {
  const text = readFileSync(path.join(testFolder, file), "utf8");
  const isSkipped = /\b(describe|suite|context)\.skip\(|\bthis\.skip\(/.test(text);
  return [...text.matchAll(/^\s*it(\.skip)?\("((?:[^"\\]|\\.)*)"/gm)].map(([, skip, title]) => ({
    file,
    title: JSON.parse(`"${title}"`) as string,
    isSkipped: isSkipped || skip !== undefined,
  }));
}

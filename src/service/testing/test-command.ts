import { glob, stat, writeFile } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { defined } from "../../base/json.ts";
import { untilAsked } from "../../base/process.ts";
import { escaped, visible } from "../../base/text.ts";
import type { NamedTest, TestLine } from "../../base/window-protocol.ts";
import { ProjectError } from "../../projects/types.ts";
import type { readTestOptions } from "../options.ts";
import { runTests, type TestResult } from "./run-tests.ts";
import { kickoffOf, readTestFile, suffix, titleOf, withModel, type TestCase } from "./test-file.ts";

const shownText = 500;

/** Resolves to the exit status: 1 if a test failed, 2 if one could not run, or there is none. */
export async function runTestCommand({
  paths,
  mode,
  python,
  models,
  junit,
  isJson,
  isList,
  lifeline,
}: ReturnType<typeof readTestOptions>): Promise<number> {
  const print = (line: TestLine, text: string) =>
    void process.stdout.write(`${isJson ? JSON.stringify(line) : text}\n`);
  const results: TestResult[] = [];
  const problems: string[] = [];
  const report = (file: string, message: string) => {
    problems.push(message);
    print({ type: "problem", file, message }, message);
  };
  const tests: TestCase[] = [];
  for (const [file, named] of await filesIn(paths))
    try {
      const all = await readTestFile(file);
      const found = all.filter((test) =>
        named.some(({ number = test.number }) => number === test.number),
      );
      for (const { number } of named)
        if (number !== undefined && all.every((test) => test.number !== number))
          report(file, `${relative(process.cwd(), file)} has no case ${number}.`);
      const each = models.flatMap((model) => found.map((test) => withModel(test, model)));
      tests.push(...(models.length > 0 ? each : found));
    } catch (error) {
      if (!(error instanceof ProjectError)) throw error;
      report(file, error.message);
    }
  if (isList) {
    for (const test of tests)
      print({ type: "case", ...named(test), ...(await kickoffOf(test)) }, titleOf(test));
    return problems.length > 0 ? 2 : 0;
  }
  if (tests.length === 0 && problems.length === 0) {
    const message = `There are no tests: files NAME${suffix} with "expect", "answers" or "cases".`;
    print({ type: "problem", message }, message);
    return 2;
  }
  await runTests(tests, {
    ...{ mode, python, ended: untilAsked(lifeline) },
    onStart: (test) => isJson && print({ type: "started", ...named(test) }, ""),
    onResult: (result) => {
      results.push(result);
      const { test, ...outcome } = result;
      const text = textOf(result);
      print({ type: "test", ...named(test), ...outcome, text }, text);
    },
  });
  // It would keep the process.
  if (lifeline) process.stdin.destroy();
  if (!isJson) process.stdout.write(`\n${summaryOf(results)}\n`);
  if (junit !== undefined) await writeFile(junit, junitOf(results));
  if (problems.length > 0 || countOf(results, "error") > 0) return 2;
  if (results.length < tests.length) return 130;
  return countOf(results, "failed") > 0 ? 1 : 0;
}

async function filesIn(paths: readonly string[]) {
  const found: { readonly file: string; readonly number?: number }[] = [];
  for (const path of paths.length > 0 ? paths : ["."]) {
    const [, file, number] = /^(.+)#(\d+)$/.exec(path) ?? [];
    if (file !== undefined) found.push({ file: resolve(file), number: Number(number) });
    else if (!(await stat(path).catch(() => undefined))?.isDirectory())
      found.push({ file: resolve(path) });
    else
      for await (const each of glob(`**/*${suffix}`, {
        cwd: path,
        exclude: (name) => /(^|[/\\])(node_modules|\.[^/\\.]+)$/.test(name),
      }))
        found.push({ file: resolve(path, each) });
  }
  return Map.groupBy(
    found.toSorted((one, other) => (one.file < other.file ? -1 : 1)),
    ({ file }) => file,
  );
}

function named({ file, number, name, folder, crewClass, at, model }: TestCase): NamedTest {
  return { file, number, name, folder, at, ...defined({ crewClass, model }) };
}

function textOf({ test, state, seconds, tokens, dollars, failures }: TestResult): string {
  const mark = { passed: "✓", failed: "✗", error: "!" }[state];
  const money = dollars === undefined ? "" : `, $${dollars}`;
  const cost = tokens > 0 ? `, ${tokens} tokens${money}` : "";
  const lines = failures.flatMap(({ message, expected, actual, at, isUnrecorded }) => [
    at ? `${relative(process.cwd(), at.file)}:${at.line}: ${message}` : message,
    // The message has the difference.
    ...(expected === undefined || isUnrecorded ? [] : [`Expected: ${cut(expected)}`]),
    ...(actual === undefined || isUnrecorded ? [] : [`Actual: ${cut(actual)}`]),
  ]);
  const indented = lines.map((line) => `\n    ${line.replaceAll("\n", "\n    ")}`).join("");
  // What a model says must not be for the terminal.
  return visible(`${mark} ${titleOf(test)} (${seconds} s${cost})${indented}`, /(?![\n\t])\p{Cc}/gu);
}

function cut(text: string): string {
  return text.length <= shownText ? text : `${text.slice(0, shownText)}…`;
}

function countOf(results: readonly TestResult[], wanted: TestResult["state"]): number {
  return results.filter(({ state }) => state === wanted).length;
}

function summaryOf(results: readonly TestResult[]): string {
  const tokens = results.reduce((sum, result) => sum + result.tokens, 0);
  return `${countOf(results, "passed")} passed, ${countOf(results, "failed")} failed, ${countOf(results, "error")} could not run; ${tokens} tokens`;
}

function junitOf(results: readonly TestResult[]): string {
  const cases = results.map(({ test, state, seconds, failures }) => {
    const kind = state === "error" ? "error" : "failure";
    const inside = failures.map(
      ({ message, actual = "" }) =>
        `<${kind} message=${quoted(message)}>${escaped(actual)}</${kind}>`,
    );
    const name = quoted(test.name === "" ? "test" : test.name);
    return `  <testcase classname=${quoted(titleOf({ ...test, name: "" }))} name=${name} time="${seconds}">${inside.join("")}</testcase>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="crewdeck" tests="${results.length}" failures="${countOf(results, "failed")}" errors="${countOf(results, "error")}">\n${cases.join("")}</testsuite>\n`;
}

/** Of an attribute, which would have spaces in place of line breaks. */
function quoted(text: string): string {
  return `"${escaped(text).replaceAll("\n", "&#10;")}"`;
}

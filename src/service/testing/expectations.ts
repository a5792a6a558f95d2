import { isDeepStrictEqual } from "node:util";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { asObject, parseJson } from "../../base/json.ts";
import type { Grade, TestFailure } from "../../base/window-protocol.ts";
import type { ExpectedCalls, Expectation } from "./test-file.ts";

const usualGrade = 7;

// Schemas come from elsewhere: two may have the same `$id`, and a `$schema` that isn't known.
const ajv = new Ajv({ strict: false, addUsedSchema: false, validateSchema: false });
addFormats(ajv);

export interface Outcome {
  readonly output: string;
  readonly outputs: readonly {
    readonly task: string;
    readonly attempt: number;
    readonly output: string;
  }[];
  readonly seconds: number;
  readonly tokens: number;
  /** US dollars. Undefined if a model has no price. */
  readonly dollars: number | undefined;
  readonly calls: readonly ToolCall[];
  readonly grades: readonly Grade[];
}

interface ToolCall {
  readonly task: string;
  readonly attempt: number;
  readonly tool: string;
  readonly arguments: unknown;
}

type Mismatch = Pick<TestFailure, "message" | "expected" | "actual">;

export function mismatchesOf(expected: Expectation, outcome: Outcome): readonly Mismatch[] {
  const { task, attempt, calls = [], judge, minGrade = usualGrade } = expected;
  const isMeant = (one: { readonly task: string; readonly attempt: number }) =>
    (task === undefined || one.task === task) && (attempt === undefined || one.attempt === attempt);
  const found = outcome.outputs.findLast(isMeant);
  const isOfResult = task === undefined && attempt === undefined;
  const what = isOfResult ? "The result" : nameOf(task, attempt);
  const output = isOfResult ? outcome.output : found?.output;
  const grade = outcome.grades.findLast(
    (one) => one.question === judge && (task === undefined || one.task === task),
  );
  const made = outcome.calls.filter(isMeant);
  return [
    ...(output === undefined
      ? [{ message: `There is no ${what.replace(/^The /, "")}.` }]
      : textMismatches(expected, what, output)),
    ...calls.flatMap((call) => callMismatch(call, made) ?? []),
    ...(judge !== undefined && !(grade && grade.grade >= minGrade)
      ? [{ message: gradeMismatch(judge, minGrade, grade) }]
      : []),
    ...useMismatches(expected, outcome),
  ];
}

/** Of an execution. What differs from the recording (crewdeck_worker/recording.py) is to be compared. */
export function failureOf(message: string): TestFailure {
  if (!/The recording .* has no /.test(message)) return { message };
  const [, difference] = message.split("\n--- recorded\n+++ now\n");
  if (difference === undefined) return { message, isUnrecorded: true };
  const without = (mark: string) =>
    difference
      .split("\n")
      .flatMap((line) => (line.startsWith(mark) ? [] : [line.slice(1)]))
      .join("\n");
  return { message, expected: without("+"), actual: without("-"), isUnrecorded: true };
}

function gradeMismatch(judge: string, minGrade: number, grade: Grade | undefined): string {
  return grade === undefined
    ? `The model gave no grade for: ${judge}`
    : `The model gives ${grade.grade} of 10, and at least ${minGrade} is expected: ${grade.reason}`;
}

function useMismatches(
  { maxSeconds, maxTokens, maxCost }: Expectation,
  { seconds, tokens, dollars }: Outcome,
): readonly Mismatch[] {
  const mismatches: Mismatch[] = [];
  if (maxSeconds !== undefined && seconds > maxSeconds)
    mismatches.push({ message: `It took ${seconds} s, and at most ${maxSeconds} s are expected.` });
  if (maxTokens !== undefined && tokens > maxTokens)
    mismatches.push({
      message: `It took ${tokens} tokens, and at most ${maxTokens} are expected.`,
    });
  if (maxCost !== undefined && dollars === undefined)
    mismatches.push({
      message: "What it cost isn't known: a model has no price in the setting crewdeck.prices.",
    });
  if (maxCost !== undefined && dollars !== undefined && dollars > maxCost)
    mismatches.push({ message: `It cost $${dollars}, and at most $${maxCost} are expected.` });
  return mismatches;
}

function nameOf(task: string | undefined, attempt: number | undefined): string {
  const number = attempt === undefined ? "" : `attempt ${attempt} at `;
  return `The output of ${number}${task === undefined ? "a task" : `the task "${task}"`}`;
}

function textMismatches(expected: Expectation, what: string, actual: string): Mismatch[] {
  const { contains, matches, equals, jsonSchema, maxWords } = expected;
  const mismatches: Mismatch[] = [];
  if (contains !== undefined && !actual.includes(contains))
    mismatches.push({ message: `${what} has no "${contains}".`, actual });
  if (matches !== undefined && !ajv.validate({ type: "string", pattern: matches }, actual))
    mismatches.push({ message: `${what} doesn't match /${matches}/.`, actual });
  if (equals !== undefined && actual.trim() !== equals.trim())
    mismatches.push({ message: `${what} is another text.`, expected: equals, actual });
  const words = actual.split(/\s+/).filter(Boolean).length;
  if (maxWords !== undefined && words > maxWords)
    mismatches.push({
      message: `${what} has ${words} words, and at most ${maxWords} are expected.`,
      actual,
    });
  const problem = jsonSchema && schemaProblem(jsonSchema, actual);
  if (problem !== undefined)
    mismatches.push({ message: `${what} doesn't fit the JSON schema: ${problem}.`, actual });
  return mismatches;
}

function schemaProblem(schema: object, actual: string): string | undefined {
  const value = parseJson(actual);
  if (value === undefined) return "it is not JSON";
  return ajv.validate(schema, value) ? undefined : ajv.errorsText(ajv.errors, { dataVar: "it" });
}

function callMismatch(
  { tool, min = 1, max = Infinity, arguments: given = {} }: ExpectedCalls,
  made: readonly ToolCall[],
): Mismatch | undefined {
  const counted = made.filter(
    (call) =>
      call.tool === tool &&
      Object.entries(given).every(([name, value]) =>
        isDeepStrictEqual(asObject(call.arguments)[name], value),
      ),
  ).length;
  if (counted >= min && counted <= max) return undefined;
  const which = Object.keys(given).length > 0 ? ` with ${JSON.stringify(given)}` : "";
  const limit = counted < min ? `at least ${min}` : `at most ${max}`;
  return {
    message: `The tool "${tool}" was called ${counted} times${which}, and ${limit} are expected.`,
  };
}

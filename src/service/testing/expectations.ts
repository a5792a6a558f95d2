import { isDeepStrictEqual } from "node:util";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import {
  asObject,
  defined,
  parseJson,
  textAt,
  type JsonObject,
  type UnknownObject,
} from "../../base/json.ts";
import { priceOf, readPrices, type Price } from "../../base/prices.ts";
import { plainName } from "../../base/text.ts";
import type { Grade, TestFailure } from "../../base/window-protocol.ts";
import { callOf, callsOf } from "../calls.ts";
import type { Work } from "../database/database.ts";
import { outputOf } from "../dialects.ts";
import type { TokenUsage } from "../engine.ts";
import { messageOf } from "../errors.ts";
import { tookSeconds, type ExecutionView } from "../model.ts";
import type { Rules } from "../questions.ts";
import type { ExpectedCalls, Expectation } from "./test-file.ts";

const usualGrade = 7;

export interface Outcome {
  readonly output: string;
  readonly outputs: readonly {
    readonly task: string;
    readonly attempt: number;
    readonly output: string;
  }[];
  readonly seconds: number;
  readonly tokens: number;
  readonly dollars: number | undefined;
  readonly calls: readonly ToolCall[];
  readonly grades: readonly (Grade & Pick<ToolCall, "attempt">)[];
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
  const grade = outcome.grades.findLast((one) => one.question === judge && isMeant(one));
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
  { maxSeconds = Infinity, maxTokens = Infinity, maxCost = Infinity }: Expectation,
  { seconds, tokens, dollars }: Outcome,
): readonly Mismatch[] {
  const unknown = "What it cost isn't known: a model has no price in the setting crewdeck.prices.";
  const cost = `It cost $${dollars}, and at most $${maxCost} are expected.`;
  return [
    seconds > maxSeconds && `It took ${seconds} s, and at most ${maxSeconds} s are expected.`,
    tokens > maxTokens && `It took ${tokens} tokens, and at most ${maxTokens} are expected.`,
    dollars === undefined ? maxCost < Infinity && unknown : dollars > maxCost && cost,
  ].flatMap((message) => (message === false ? [] : [{ message }]));
}

function nameOf(task: string | undefined, attempt: number | undefined): string {
  const number = attempt === undefined ? "" : `attempt ${attempt} at `;
  return `The output of ${number}${task === undefined ? "a task" : `the task "${task}"`}`;
}

function textMismatches(expected: Expectation, what: string, actual: string): Mismatch[] {
  const { contains = "", matches, equals, jsonSchema, maxWords = Infinity } = expected;
  const words = actual.split(/\s+/).filter(Boolean).length;
  const tooLong = `${what} has ${words} words, and at most ${maxWords} are expected.`;
  const problem = jsonSchema && schemaProblem(jsonSchema, actual);
  const messages = [
    !actual.includes(contains) && `${what} has no "${contains}".`,
    matches !== undefined &&
      problemIn(actual, { pattern: matches }) !== undefined &&
      `${what} doesn't match /${matches}/.`,
    words > maxWords && tooLong,
    problem !== undefined && `${what} doesn't fit the JSON schema: ${problem}.`,
  ].flatMap((message) => (message === false ? [] : [{ message, actual }]));
  if (equals === undefined || actual.trim() === equals.trim()) return messages;
  return [...messages, { message: `${what} is another text.`, expected: equals, actual }];
}

function schemaProblem(schema: object, actual: string): string | undefined {
  const value = parseJson(actual);
  return value === undefined ? "it is not JSON" : problemIn(value, schema);
}

function problemIn(value: unknown, schema: object): string | undefined {
  // Another one each time: it keeps schemas, of which two may have the same `$id`. A `$schema` may be one that it doesn't know.
  const ajv = addFormats(new Ajv({ strict: false, validateSchema: false }));
  try {
    return ajv.validate(schema, value) ? undefined : ajv.errorsText(ajv.errors, { dataVar: "it" });
  } catch (error) {
    return `the schema is not valid: ${messageOf(error)}`;
  }
}

function callMismatch(
  { tool, min = 1, max = Infinity, arguments: given = {} }: ExpectedCalls,
  made: readonly ToolCall[],
): Mismatch | undefined {
  const counted = made.filter(
    (call) =>
      plainName(call.tool) === plainName(tool) &&
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

/** As which the worker reports a grade, like the call of a tool (crewdeck_worker/judge.py). */
const verdict = "crewdeck:judge";

export function* resultOf(
  view: ExecutionView,
  { expect, prices }: NonNullable<Rules["test"]>,
  usage: TokenUsage,
): Work<JsonObject> {
  const outcome = yield* outcomeOf(view, readPrices(prices), usage);
  const { state, error } = view.execution;
  const unmet: readonly TestFailure[] = expect.flatMap((expected, expectation) =>
    mismatchesOf(expected, outcome).map((mismatch) => ({ ...mismatch, expectation })),
  );
  const failures = state === "completed" ? unmet : [failureOf(error ?? "It was stopped.")];
  const { dollars, grades } = outcome;
  return {
    state: failures.length === 0 ? "passed" : "failed",
    ...defined({ dollars }),
    grades: grades.map(({ task, question, grade, reason }) => ({ task, question, grade, reason })),
    failures: failures.map(({ isUnrecorded, ...failure }) => ({
      ...failure,
      ...(isUnrecorded && { is_unrecorded: true }),
    })),
  };
}

function* outcomeOf(
  view: ExecutionView,
  prices: readonly Price[],
  usage: TokenUsage,
): Work<Outcome> {
  const { id } = view.execution;
  const made = yield* callsOf(id);
  const tools: (Outcome["calls"][number] & { readonly response: unknown })[] = [];
  for (const summary of made) {
    const { number, attempt, task_id: task } = summary;
    if (summary["kind"] !== "tool") continue;
    // Beyond the limit of an execution, texts aren't kept.
    const call = yield* callOf(id, number);
    const [given, response] = [call?.request, call?.["response"]];
    tools.push({ task, attempt, tool: textAt(summary, "name") ?? "", arguments: given, response });
  }
  return {
    output: outputOf(view),
    outputs: view.attempts.flatMap(({ taskId: task, attempt, output }) =>
      task === "" || output === null ? [] : [{ task, attempt, output }],
    ),
    seconds: tookSeconds(view),
    tokens: usage.total_tokens,
    dollars: dollarsOf(made, prices),
    calls: tools.filter(({ tool }) => tool !== verdict),
    grades: tools
      .filter(({ tool }) => tool === verdict)
      .map(({ task, attempt, arguments: given, response }) => {
        const [{ question }, { grade, reason }] = [asObject(given), asObject(response)];
        const said = { question: String(question), reason: String(reason) };
        return { task, attempt, grade: Number(grade), ...said };
      }),
  };
}

/** Of all calls of models. Undefined if one of them has no price. */
function dollarsOf(calls: readonly UnknownObject[], prices: readonly Price[]): number | undefined {
  const parts = calls.flatMap((call) => {
    const { prompt_tokens, completion_tokens } = asObject(call["usage"]);
    if (call["usage"] === undefined) return [];
    const price = priceOf(textAt(call, "model"), prices);
    return [
      price && Number(prompt_tokens) * price.input + Number(completion_tokens) * price.output,
    ];
  });
  if (parts.length === 0 || parts.includes(undefined)) return undefined;
  const sum = parts.reduce<number>((all, part = 0) => all + part, 0);
  // Prices are for a million tokens.
  return Math.round(sum) / 1e6;
}

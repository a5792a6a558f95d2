import { isDeepStrictEqual } from "node:util";
import { defined, isObject, type JsonValue } from "../base/json.ts";
import { oneLine } from "../base/text.ts";
import {
  type Execution,
  executionStates,
  type ExecutionSummary,
  type Feedback,
  hasRehearsalOutput,
  type KickoffSummary,
  type SentKickoff,
  type TaskSummary,
} from "./model.ts";

/** Longest input value and error in a summary (characters). */
const longest = { input: 100, error: 300 };
/** Searchable characters of an input's value. */
const searched = 10_000;

/** The attempts of most tasks: left out of a summary's text, since the time to open the list goes with its length. */
const usual: TaskSummary["attempts"] = [{ number: 1, output: true }];

export function writeExecution(execution: Execution) {
  // What is not in the summary, or not whole.
  const { request, tasks: whole, output, outputJson, error, waiting, resumes } = execution;
  const details = { request, tasks: whole, output, outputJson, error, waiting, resumes };
  const values = Object.values(request?.inputs ?? {});
  const summary = summaryOf(execution);
  const tasks = summary.tasks.map(({ attempts, ...rest }) =>
    isDeepStrictEqual(attempts, usual) ? rest : { ...rest, attempts },
  );
  return {
    summary: JSON.stringify({ ...summary, tasks }),
    search: values.map((value) => textOf(value).slice(0, searched).toLowerCase()).join("\n"),
    details: JSON.stringify(details),
  };
}

export function summaryOf(execution: Execution): ExecutionSummary {
  const { request, error, waiting, ...rest } = withoutOutput(execution);
  const summary = {
    ...rest,
    ...defined({
      request: request && kickoffOf(request),
      error: error === undefined ? undefined : oneLine(error, longest.error),
      waiting: waiting && withoutOutput(waiting),
    }),
    ...(hasRehearsalOutput(execution) ? { isRehearsed: true as const } : {}),
    tasks: execution.tasks.map((task) => ({
      ...task,
      attempts: task.attempts.map((attempt) => {
        const { feedback, ...others } = withoutOutput(attempt);
        return { ...others, ...(feedback && { feedback: withoutText(feedback) }) };
      }),
    })),
    resumes: execution.resumes.map((resume) => {
      const copy = { ...resume, feedback: withoutText(resume.feedback) };
      Reflect.deleteProperty(copy, "answer");
      Reflect.deleteProperty(copy, "message");
      return copy;
    }),
  };
  Reflect.deleteProperty(summary, "outputJson");
  // There is nothing to open.
  if (execution.output === "") Reflect.deleteProperty(summary, "output");
  return summary;
}

/** Understands a summary, as far as the program relies on its shape. @throws an error that says what is wrong */
export function readSummary(text: string): ExecutionSummary {
  const raw: unknown = JSON.parse(text);
  if (isObject(raw) && Array.isArray(raw["tasks"]))
    for (const task of raw["tasks"]) if (isTask(task)) task.attempts ??= usual;
  if (!isSummary(raw)) throw new Error(problemIn(raw));
  return raw;
}

function isTask(value: unknown): value is { attempts?: unknown } {
  return isObject(value);
}

export function readExecution(texts: Record<"summary" | "details", string>): Execution {
  const summary: unknown = JSON.parse(texts.summary);
  const details: unknown = JSON.parse(texts.details);
  const raw = isObject(summary) && isObject(details) ? { ...summary, ...details } : undefined;
  if (!isExecution(raw)) throw new Error(problemIn(raw));
  return raw;
}

function kickoffOf({ inputs, callbacks }: SentKickoff): KickoffSummary {
  const { humanInputWebhook, webhooks } = callbacks;
  const entries = Object.entries(inputs);
  const shortened = entries.filter(([, value]) => isLong(value)).map(([name]) => name);
  return {
    inputs: Object.fromEntries(
      entries.map(([name, value]) => [name, isLong(value) ? beginningOf(textOf(value)) : value]),
    ),
    ...(shortened.length === 0 ? {} : { shortened }),
    callbacks: {
      ...(humanInputWebhook?.authentication && { humanInputWebhook: { authentication: true } }),
      ...(webhooks?.authentication && { webhooks: { authentication: true } }),
    },
  };
}

/** No ellipsis: a text of Latin letters alone is read twice as fast. */
function beginningOf(text: string): string {
  return Array.from(oneLine(text)).slice(0, longest.input).join("");
}

function isLong(value: JsonValue): boolean {
  return textOf(value).length > longest.input;
}

function withoutText({ isApprove, at }: Feedback) {
  return { isApprove, at };
}

function withoutOutput<T extends { readonly output?: string }>(
  whole: T,
): Omit<T, "output"> & { readonly output?: true } {
  const { output, ...rest } = whole;
  return output === undefined ? rest : { ...rest, output: true };
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

type Check = (value: unknown) => boolean;

const isString: Check = (value) => typeof value === "string";
const isTime: Check = (value) => typeof value === "string" && !Number.isNaN(Date.parse(value));
const states: readonly unknown[] = executionStates;
const isState: Check = (value) => states.includes(value);
const listOf = (check: Check) => (value: unknown) => Array.isArray(value) && value.every(check);

/** The parts on whose shape the program relies without a look. */
const shape: Readonly<Record<string, Check>> = {
  localId: isString,
  crew: isObject,
  kickoffIds: listOf(isString),
  state: isState,
  startedAt: isTime,
  request: (value) =>
    value === undefined ||
    (isObject(value) && isObject(value["inputs"]) && isObject(value["callbacks"])),
  tasks: listOf((task) => isObject(task) && listOf(isObject)(task["attempts"])),
  resumes: listOf((resume) => isObject(resume) && isObject(resume["feedback"])),
  history: (value) =>
    value === undefined ||
    listOf((change) => isObject(change) && isTime(change["at"]) && isState(change["state"]))(value),
};

function problemIn(raw: unknown): string | undefined {
  if (!isObject(raw)) return "not an object";
  const name = Object.keys(shape).find((part) => shape[part]?.(raw[part]) === false);
  return name && `"${name}" is missing or has the wrong type`;
}

function isSummary(raw: unknown): raw is ExecutionSummary {
  return problemIn(raw) === undefined;
}

function isExecution(raw: unknown): raw is Execution {
  return problemIn(raw) === undefined;
}

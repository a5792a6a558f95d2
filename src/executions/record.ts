import { isDeepStrictEqual } from "node:util";
import { oneLine } from "../base/text.ts";
import type { JsonValue } from "../api/types.ts";
import {
  type Execution,
  type ExecutionSummary,
  type ExecutionTask,
  hasEnded,
  type KickoffSummary,
  type SentKickoff,
  type TaskSummary,
  withPersonsPartsOf,
} from "./model.ts";
import { hasRehearsalOutput } from "./rehearsal.ts";

/** Characters in a summary: of an input's value, and of an error. */
const longest = { input: 100, error: 300 };
/** Characters of an input's value that are searched. */
const searched = 10_000;

/** The attempts of most tasks: left out of a summary's text, since the time to open the list goes with its length. */
const usual: TaskSummary["attempts"] = [{ number: 1, output: true }];

/** The parts of an execution that are not in its summary, or not whole. */
const detailed = [
  "request",
  "tasks",
  "output",
  "outputJson",
  "error",
  "waiting",
  "resumes",
] as const satisfies readonly (keyof Execution)[];

/** What the columns of an execution hold. */
export interface ExecutionTexts {
  readonly summary: string;
  readonly search: string;
  readonly details: string;
}

/** The texts of an execution's columns. */
export function writeExecution(execution: Execution): ExecutionTexts {
  const values = Object.values(execution.request?.inputs ?? {});
  const summary = summaryOf(execution);
  return {
    summary: JSON.stringify({ ...summary, tasks: summary.tasks.map(withoutUsual) }),
    search: values.map((value) => textOf(value).slice(0, searched).toLowerCase()).join("\n"),
    details: JSON.stringify(Object.fromEntries(detailed.map((part) => [part, execution[part]]))),
  };
}

/** What lists know of an execution. */
export function summaryOf(execution: Execution): ExecutionSummary {
  const { request, output, error, waiting } = execution;
  const summary = {
    ...execution,
    ...(request === undefined ? {} : { request: kickoffOf(request) }),
    ...(hasRehearsalOutput(execution) ? { isRehearsed: true as const } : {}),
    tasks: execution.tasks.map(taskOf),
    ...(output === undefined ? {} : { output: true as const }),
    ...(error === undefined ? {} : { error: oneLine(error, longest.error) }),
    ...(waiting === undefined ? {} : { waiting: withoutText(waiting) }),
    resumes: execution.resumes.map((resume) => {
      const { isApprove, at } = resume.feedback;
      const copy = { ...resume, feedback: { isApprove, at } };
      Reflect.deleteProperty(copy, "answer");
      Reflect.deleteProperty(copy, "message");
      return copy;
    }),
  };
  Reflect.deleteProperty(summary, "outputJson");
  return summary;
}

/** Understands a summary, as far as the program relies on its shape. @throws an error that says what is wrong */
export function readSummary(text: string): ExecutionSummary {
  const raw: unknown = JSON.parse(text);
  if (isObject(raw) && Array.isArray(raw["tasks"])) raw["tasks"].forEach(withUsual);
  if (!isSummary(raw)) throw wrong(summaryParts, raw);
  return raw;
}

/** Understands the texts of a whole execution, as {@link readSummary}. */
export function readExecution(texts: Omit<ExecutionTexts, "search">): Execution {
  const raw = { ...objectIn(texts.summary), ...objectIn(texts.details) };
  if (!isExecution(raw)) throw wrong(parts, raw);
  return raw;
}

function kickoffOf({ inputs, callbacks }: SentKickoff): KickoffSummary {
  const { humanInputWebhook, webhooks } = callbacks;
  const shortened = Object.keys(inputs).filter((name) => isLong(inputs[name] ?? null));
  return {
    inputs:
      shortened.length === 0
        ? inputs
        : Object.fromEntries(
            Object.entries(inputs).map(([name, value]) => [
              name,
              isLong(value) ? beginningOf(textOf(value)) : value,
            ]),
          ),
    ...(shortened.length === 0 ? {} : { shortened }),
    callbacks: {
      ...(humanInputWebhook?.authentication && { humanInputWebhook: { authentication: true } }),
      ...(webhooks?.authentication && { webhooks: { authentication: true } }),
    },
  };
}

/** Without an ellipsis: a text of Latin letters alone is read twice as quickly. */
function beginningOf(text: string): string {
  return Array.from(oneLine(text)).slice(0, longest.input).join("");
}

function isLong(value: JsonValue): boolean {
  return textOf(value).length > longest.input;
}

function taskOf(task: ExecutionTask): TaskSummary {
  return {
    ...task,
    attempts: task.attempts.map((attempt) => {
      const { feedback } = attempt;
      return {
        ...withoutText(attempt),
        ...(feedback && { feedback: { isApprove: feedback.isApprove, at: feedback.at } }),
      };
    }),
  };
}

function withoutUsual(task: TaskSummary): Partial<TaskSummary> {
  const { attempts, ...rest } = task;
  return isDeepStrictEqual(attempts, usual) ? rest : task;
}

function withUsual(task: unknown): void {
  if (isObject(task)) task["attempts"] ??= usual;
}

function withoutText<T extends { readonly output?: string }>(
  whole: T,
): Omit<T, "output"> & { readonly output?: true } {
  const { output, ...rest } = whole;
  return output === undefined ? rest : { ...rest, output: true };
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * What may follow on `current` after `next` was made of it. The end of an execution is final: afterwards only what the person
 * does counts (also feedback and its outcome), unless a resume brought a new id, under which it goes on.
 */
export function keepEnd(current: Execution, next: Execution): Execution {
  if (!hasEnded(current) || next.kickoffIds.length > current.kickoffIds.length) {
    return next;
  }
  const tasks = current.tasks.map((task) => ({
    ...task,
    attempts: next.tasks.find((each) => each.taskId === task.taskId)?.attempts ?? task.attempts,
  }));
  return { ...withPersonsPartsOf(current, next), tasks };
}

const states: readonly unknown[] = [
  "queued",
  "running",
  "waiting",
  "completed",
  "failed",
  "stopped",
  "unknown",
  "unconfirmed",
];

/** The parts of which the shape matters, and what each must be. */
type Parts = readonly (readonly [name: string, isRight: (value: unknown) => boolean])[];

const shape = {
  localId: isString,
  crew: (value: unknown) =>
    isObject(value) && isString(value["id"]) && isString(value["name"]) && isString(value["url"]),
  kickoffIds: (value: unknown) => Array.isArray(value) && value.every(isString),
  origin: (value: unknown) => value === "kickoff" || value === "tracked",
  state: (value: unknown) => states.includes(value),
  startedAt: isTime,
  label: (value: unknown) => value === undefined || isString(value),
  pinned: (value: unknown) => value === undefined || value === true,
  stateText: (value: unknown) => value === undefined || isString(value),
  output: (value: unknown) => value === undefined || isString(value),
  error: (value: unknown) => value === undefined || isString(value),
  endedAt: (value: unknown) => value === undefined || isTime(value),
  request: (value: unknown) =>
    value === undefined ||
    (isObject(value) &&
      isObject(value["inputs"]) &&
      isObject(value["callbacks"]) &&
      Object.values(value["callbacks"]).every(isCallback)),
  progress: (value: unknown) =>
    value === undefined || (isObject(value) && typeof value["completed"] === "number"),
  tasks: (value: unknown) => Array.isArray(value) && value.every(isTask),
  waiting: (value: unknown) =>
    value === undefined ||
    (isObject(value) && isString(value["taskId"]) && typeof value["attempt"] === "number"),
  stillPaused: (value: unknown) =>
    value === undefined ||
    (isObject(value) && isString(value["taskId"]) && typeof value["attempt"] === "number"),
  resumes: (value: unknown) => Array.isArray(value) && value.every(isResume),
  history: (value: unknown) =>
    value === undefined || (Array.isArray(value) && value.every(isStateChange)),
};

const parts: Parts = Object.entries(shape);

const summaryParts: Parts = Object.entries({
  ...shape,
  output: (value: unknown) => value === undefined || value === true,
  request: (value: unknown) =>
    value === undefined ||
    (isObject(value) && isObject(value["inputs"]) && isObject(value["callbacks"])),
});

/** An address, or a callback that takes credentials: without them. */
function isCallback(value: unknown): boolean {
  return isString(value) || (isObject(value) && isString(value["url"]));
}

function isTask(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value["taskId"]) &&
    Array.isArray(value["attempts"]) &&
    value["attempts"].every((attempt) => isObject(attempt) && typeof attempt["number"] === "number")
  );
}

function isResume(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value["taskId"]) &&
    isString(value["outcome"]) &&
    isObject(value["feedback"])
  );
}

function isStateChange(value: unknown): boolean {
  return isObject(value) && isTime(value["at"]) && states.includes(value["state"]);
}

function isSummary(raw: unknown): raw is ExecutionSummary {
  return isObject(raw) && firstWrong(summaryParts, raw) === undefined;
}

function isExecution(raw: Record<string, unknown>): raw is Record<string, unknown> & Execution {
  return firstWrong(parts, raw) === undefined;
}

/** The name of the first part that has not the shape it must have. */
function firstWrong(all: Parts, raw: Record<string, unknown>): string | undefined {
  for (const [name, isRight] of all) if (!isRight(raw[name])) return name;
  return undefined;
}

function wrong(all: Parts, raw: unknown): Error {
  return new Error(
    isObject(raw)
      ? `"${firstWrong(all, raw) ?? ""}" is missing or has the wrong type`
      : "not an object",
  );
}

function objectIn(text: string): Record<string, unknown> {
  const raw: unknown = JSON.parse(text);
  if (!isObject(raw)) throw new Error("not an object");
  return raw;
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isTime(value: unknown): boolean {
  return isString(value) && !Number.isNaN(Date.parse(value));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import { isDeepStrictEqual } from "node:util";
import { defined, isObject, type JsonValue, type UnknownObject } from "../base/json.ts";
import { oneLine } from "../base/text.ts";
import {
  type Execution,
  type ExecutionSummary,
  type Feedback,
  hasRehearsalOutput,
  type KickoffSummary,
  type SentKickoff,
  type TaskSummary,
} from "./model.ts";

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

interface ExecutionTexts {
  readonly summary: string;
  readonly search: string;
  readonly details: string;
}

export function writeExecution(execution: Execution): ExecutionTexts {
  const values = Object.values(execution.request?.inputs ?? {});
  const summary = summaryOf(execution);
  const tasks = summary.tasks.map(({ attempts, ...rest }) =>
    isDeepStrictEqual(attempts, usual) ? rest : { ...rest, attempts },
  );
  return {
    summary: JSON.stringify({ ...summary, tasks }),
    search: values.map((value) => textOf(value).slice(0, searched).toLowerCase()).join("\n"),
    details: JSON.stringify(Object.fromEntries(detailed.map((part) => [part, execution[part]]))),
  };
}

/** What lists know of an execution. */
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
    for (const task of raw["tasks"] as { attempts?: unknown }[])
      if (isObject(task) && task.attempts === undefined) task.attempts = usual;
  if (!isSummary(raw)) throw new Error(problemIn(raw));
  return raw;
}

export function readExecution({ summary, details }: Omit<ExecutionTexts, "search">): Execution {
  const short: unknown = JSON.parse(summary);
  const long: unknown = JSON.parse(details);
  const raw = isObject(short) && isObject(long) ? { ...short, ...long } : undefined;
  if (!isExecution(raw)) throw new Error(problemIn(raw));
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

/** Without an ellipsis: a text of Latin letters alone is read twice as fast. */
function beginningOf(text: string): string {
  return Array.from(oneLine(text)).slice(0, longest.input).join("");
}

function isLong(value: JsonValue): boolean {
  return textOf(value).length > longest.input;
}

function withoutText({ isApprove, at }: Feedback): Omit<Feedback, "text"> {
  return { isApprove, at };
}

/** With `true` instead of an output's text. */
function withoutOutput<T extends { readonly output?: string }>(
  whole: T,
): Omit<T, "output"> & { readonly output?: true } {
  const { output, ...rest } = whole;
  return output === undefined ? rest : { ...rest, output: true };
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
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

/** As written here. `Date.parse`, which knows all forms, takes ten times as long. */
const iso = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

type Check = (value: unknown) => boolean;

const isString: Check = (value) => typeof value === "string";
const isTime: Check = (value) =>
  typeof value === "string" && (iso.test(value) || !Number.isNaN(Date.parse(value)));
const isState: Check = (value) => states.includes(value);
const listOf = (check: Check) => (value: unknown) => Array.isArray(value) && value.every(check);

const areStrings = listOf(isString);
const areObjects = listOf(isObject);
const areTasks = listOf((task) => isObject(task) && areObjects(task["attempts"]));
const areResumes = listOf((resume) => isObject(resume) && isObject(resume["feedback"]));
const areChanges = listOf(
  (change) => isObject(change) && isTime(change["at"]) && isState(change["state"]),
);

/** The parts on whose shape the program relies without a look. Named members: ten thousand rows are read much faster than by `raw[name]`. */
const shape: Readonly<Record<string, (raw: UnknownObject) => boolean>> = {
  localId: ({ localId }) => isString(localId),
  crew: ({ crew }) => isObject(crew),
  kickoffIds: ({ kickoffIds }) => areStrings(kickoffIds),
  state: ({ state }) => isState(state),
  startedAt: ({ startedAt }) => isTime(startedAt),
  request: ({ request }) =>
    request === undefined ||
    (isObject(request) && isObject(request["inputs"]) && isObject(request["callbacks"])),
  tasks: ({ tasks }) => areTasks(tasks),
  resumes: ({ resumes }) => areResumes(resumes),
  history: ({ history }) => history === undefined || areChanges(history),
};
const checks = Object.values(shape);

/** What is wrong with a stored value; undefined if nothing is. */
function problemIn(raw: unknown): string | undefined {
  if (!isObject(raw)) return "not an object";
  if (checks.every((check) => check(raw))) return undefined;
  const name = Object.keys(shape).find((part) => shape[part]?.(raw) === false);
  return name && `"${name}" is missing or has the wrong type`;
}

function isSummary(raw: unknown): raw is ExecutionSummary {
  return problemIn(raw) === undefined;
}

function isExecution(raw: unknown): raw is Execution {
  return problemIn(raw) === undefined;
}

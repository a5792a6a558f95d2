import { asObject, defined, isObject, type JsonValue, type UnknownObject } from "../base/json.ts";
import { oneLine } from "../base/text.ts";
import {
  type Execution,
  executionStates,
  type ExecutionSummary,
  type Feedback,
  hasRehearsalOutput,
  type KickoffSummary,
  type SentKickoff,
} from "./model.ts";

/** Longest input value and error in a summary (characters). */
const longest = { input: 100, error: 300 };
/** Searchable characters of an input's value. */
const searched = 10_000;

/** The texts of a stored summary. */
type SummaryTexts = Readonly<Record<"summary" | "common", string>>;

/** Common parts of the summaries that were read last: executions with the same text share them, which is faster and needs less memory. */
export type RecentParts = { readonly text: string; readonly parts: UnknownObject }[];

/** How many common parts are compared with those of the next summary. */
const mostRecent = 4;

/** The parts in which most executions of a crew are alike. */
const commonParts: ReadonlySet<string> = new Set<keyof ExecutionSummary>([
  "crew",
  "origin",
  "state",
  "progress",
  "tasks",
  "output",
]);

export function writeExecution(execution: Execution) {
  // What is not in the summary, or not whole.
  const { request, tasks, output, outputJson, error, waiting, resumes } = execution;
  const details = { request, tasks, output, outputJson, error, waiting, resumes };
  const values = Object.values(request?.inputs ?? {});
  const summary = Object.entries(summaryOf(execution));
  const isCommon = ([name]: readonly [string, unknown]) => commonParts.has(name);
  return {
    summary: JSON.stringify(Object.fromEntries(summary.filter((part) => !isCommon(part)))),
    common: JSON.stringify(Object.fromEntries(summary.filter(isCommon))),
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
        // Its time is in the resumes: executions with the same tasks share them.
        return { ...others, ...(feedback && { feedback: { isApprove: feedback.isApprove } }) };
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
export function readSummary(texts: SummaryTexts, recent: RecentParts = []): ExecutionSummary {
  const raw = joined(texts, recent);
  if (!isSummary(raw)) throw new Error(problemIn(raw));
  return raw;
}

function joined({ summary, common }: SummaryTexts, recent: RecentParts): UnknownObject | undefined {
  const own: unknown = JSON.parse(summary);
  let parts = recent.find(({ text }) => text === common)?.parts;
  if (parts === undefined) {
    parts = asObject(JSON.parse(common));
    if (recent.unshift({ text: common, parts }) > mostRecent) recent.pop();
  }
  return isObject(own) ? Object.assign(own, parts) : undefined;
}

export function readExecution(texts: SummaryTexts & { readonly details: string }): Execution {
  const summary = joined(texts, []);
  const details: unknown = JSON.parse(texts.details);
  const raw = summary && isObject(details) ? { ...summary, ...details } : undefined;
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
const areObjects = listOf(isObject);
const areChanges = listOf(
  (change) => isObject(change) && isTime(change["at"]) && isState(change["state"]),
);

/** The parts on whose shape the program relies without a look. */
const shape = Object.entries<Check>({
  localId: isString,
  crew: isObject,
  kickoffIds: listOf(isString),
  state: isState,
  startedAt: isTime,
  request: (value) =>
    value === undefined ||
    (isObject(value) && isObject(value["inputs"]) && isObject(value["callbacks"])),
  tasks: listOf((task) => isObject(task) && areObjects(task["attempts"])),
  resumes: listOf((resume) => isObject(resume) && isObject(resume["feedback"])),
  history: (value) => value === undefined || areChanges(value),
});

function problemIn(raw: unknown): string | undefined {
  if (!isObject(raw)) return "not an object";
  for (const [name, check] of shape)
    if (!check(raw[name])) return `"${name}" is missing or has the wrong type`;
  return undefined;
}

function isSummary(raw: unknown): raw is ExecutionSummary {
  return problemIn(raw) === undefined;
}

function isExecution(raw: unknown): raw is Execution {
  return problemIn(raw) === undefined;
}

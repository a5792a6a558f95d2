import { defined, isObject } from "../base/json.ts";
import { oneLine } from "../base/text.ts";
import {
  type Execution,
  executionStates,
  type ExecutionSummary,
  hasRehearsalOutput,
  type KickoffSummary,
  type SentKickoff,
} from "./model.ts";

/** Longest input value and error in a summary (characters). */
const longest = { input: 100, error: 300 };

export function writeExecution(execution: Execution) {
  const { request, tasks, output, error, waiting, resumes, requests, eventCount, decisions } =
    execution;
  const details = {
    request,
    tasks,
    output,
    error,
    waiting,
    resumes,
    requests,
    eventCount,
    decisions,
  };
  return {
    summary: JSON.stringify(summaryOf(execution)),
    details: JSON.stringify(details),
  };
}

export function summaryOf(execution: Execution): ExecutionSummary {
  const { request, error, waiting, output, tasks, resumes } = execution;
  return defined({
    ...execution,
    request: request && kickoffOf(request),
    error: error === undefined ? undefined : oneLine(error, longest.error),
    // An empty one can't be opened.
    output: output === "" ? undefined : isThere(output),
    waiting:
      waiting && defined({ ...waiting, output: isThere(waiting.output), message: undefined }),
    isRehearsed: hasRehearsalOutput(execution) ? (true as const) : undefined,
    tasks: tasks.map((task) => ({
      ...task,
      attempts: task.attempts.map(({ output, feedback, ...attempt }) => ({
        ...attempt,
        ...defined({
          output: isThere(output),
          // Its time is in the resumes.
          feedback: feedback && { isApprove: feedback.isApprove },
        }),
      })),
    })),
    resumes: resumes.map((resume) => {
      const { isApprove, isAnswer, at } = resume.feedback;
      const feedback = { isApprove, at, ...defined({ isAnswer }) };
      return defined({ ...resume, feedback, answer: undefined, message: undefined });
    }),
    eventCount: undefined,
    decisions: undefined,
    requests: undefined,
    // Version 0.1.0 stored it.
    outputJson: undefined,
  });
}

function isThere(text: string | undefined): true | undefined {
  return text === undefined ? undefined : true;
}

/** @throws an error that says what is wrong with it, of what the program relies on */
export function readSummary(text: string): ExecutionSummary {
  const raw: unknown = JSON.parse(text);
  check(raw);
  return raw;
}

export function readExecution(texts: { readonly summary: string; readonly details: string }) {
  const details: unknown = JSON.parse(texts.details);
  const raw: unknown = isObject(details) && { ...readSummary(texts.summary), ...details };
  check(raw);
  return raw;
}

function kickoffOf({ inputs }: SentKickoff): KickoffSummary {
  const shortened: string[] = [];
  const entries = Object.entries(inputs).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (text.length <= longest.input) return [name, value] as const;
    shortened.push(name);
    // No ellipsis: a text of Latin letters alone is read twice as fast.
    return [name, Array.from(oneLine(text)).slice(0, longest.input).join("")] as const;
  });
  return { inputs: Object.fromEntries(entries), ...(shortened.length > 0 && { shortened }) };
}

type Check = (value: unknown) => boolean;

const isString: Check = (value) => typeof value === "string";
const isTime: Check = (value) => typeof value === "string" && !Number.isNaN(Date.parse(value));
const states: readonly unknown[] = executionStates;
const isState: Check = (value) => states.includes(value);
const listOf = (check: Check) => (value: unknown) => Array.isArray(value) && value.every(check);
const areObjects = listOf(isObject);

/** The parts on whose shape the program relies without a look. */
const shape: readonly (readonly [name: string, check: Check])[] = Object.entries({
  crew: isObject,
  state: isState,
  tasks: listOf((task) => isObject(task) && areObjects(task["attempts"])),
  localId: isString,
  kickoffIds: listOf(isString),
  startedAt: isTime,
  request: (value) => value === undefined || (isObject(value) && isObject(value["inputs"])),
  resumes: listOf((resume) => isObject(resume) && isObject(resume["feedback"])),
  stop: (value) => value === undefined || (isObject(value) && isTime(value["at"])),
  history: (value) =>
    value === undefined ||
    listOf((each) => isObject(each) && isTime(each["at"]) && isState(each["state"]))(value),
  undelivered: (value) => value === undefined || areObjects(value),
} satisfies Record<string, Check>);

function check(raw: unknown): asserts raw is Execution {
  if (!isObject(raw)) throw new Error("not an object");
  const wrong = shape.find(([name, check]) => !check(raw[name]));
  if (wrong !== undefined) throw new Error(`"${wrong[0]}" is missing or has the wrong type`);
}

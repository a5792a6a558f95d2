import { asArray, defined, isObject } from "../base/json.ts";
import { oneLine } from "../base/text.ts";
import {
  type Execution,
  type ExecutionSummary,
  hasEnded,
  hasRehearsalOutput,
  type KickoffSummary,
  type SentKickoff,
} from "./model.ts";
import { timeUse } from "./times.ts";

/** Longest input value and error in a summary (characters). */
const longest = { input: 100, error: 300 };

/** In `common` is what most executions of a crew have alike. */
export function writeExecution(execution: Execution) {
  const { crew, origin, state, progress, tasks, output, ...own } = summaryOf(execution);
  return {
    summary: JSON.stringify(own),
    common: JSON.stringify({ crew, origin, state, progress, tasks, output }),
    details: JSON.stringify(detailsOf(execution)),
  };
}

function detailsOf({ request, tasks, output, error, waiting, resumes, ...others }: Execution) {
  const { requests, eventCount, decisions } = others;
  return { request, tasks, output, error, waiting, resumes, requests, eventCount, decisions };
}

export function summaryOf(execution: Execution): ExecutionSummary {
  const { request, error, waiting, output, tasks, resumes } = execution;
  // After an end without a wait, only a task's own row needs its times: without, tasks of many executions are alike.
  const isTimed = !hasEnded(execution) || timeUse(execution).waited !== undefined;
  return defined({
    ...execution,
    request: request && kickoffOf(request),
    error: error === undefined ? undefined : oneLine(error, longest.error),
    // An empty one can't be opened.
    output: output === "" ? undefined : isThere(output),
    waiting:
      waiting && defined({ ...waiting, output: isThere(waiting.output), message: undefined }),
    isRehearsed: hasRehearsalOutput(execution) ? (true as const) : undefined,
    tasks: tasks.map(({ executionTime, times, ...task }) => ({
      ...task,
      ...(isTimed && defined({ executionTime, times })),
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
      const feedback = defined({ ...resume.feedback, text: undefined });
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

/** Reads those that have a common text, and share what it says. @param summaries an array in JSON @throws if a text is no JSON of an object */
export function readSummaries(summaries: string, common: string): readonly ExecutionSummary[] {
  const alike = objectIn(JSON.parse(common));
  return asArray(JSON.parse(summaries)).map(
    (rest) => Object.assign(objectIn(rest), alike) as ExecutionSummary,
  );
}

export function readExecution(texts: Record<"summary" | "common" | "details", string>): Execution {
  const [summary] = readSummaries(`[${texts.summary}]`, texts.common);
  return { ...summary, ...objectIn(JSON.parse(texts.details)) } as Execution;
}

function objectIn(raw: unknown): object {
  if (isObject(raw)) return raw;
  throw new Error("It is no object.");
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

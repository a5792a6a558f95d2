import * as l10n from "@vscode/l10n";
import type { JsonObject } from "../api/types.ts";
import { type Clock, wait } from "../base/clock.ts";
import { asArray, asObject, defined, isObject, type JsonValue, parseJson } from "../base/json.ts";
import { pieceOf } from "../base/text.ts";
import {
  type Execution,
  type ExecutionSummary,
  hasEnded,
  keyOf,
  waitsForPerson,
} from "../executions/model.ts";
import { pace, type Poller } from "../executions/poller.ts";
import { approved } from "../executions/resumes.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { titleOf } from "../executions/title.ts";
import { costOf, type Price, taskTokenUse, tokenUse, type TokenUse } from "../executions/tokens.ts";
import type { Circumstances } from "../view/actions.ts";
import { callQuestion, isRehearsal, stateLabel } from "../view/words.ts";
import type { CrewdeckExecution } from "./crewdeck-api.ts";

/** UTF-16 units of a text that a model reads: its context is small. */
const longest = { main: 8_000, other: 1_000 };
const maxTasks = 40;

/** What another extension reads of an execution, and a model most of. No callbacks: whoever knows a callback's address may post to it. */
export function plainExecution(
  execution: Execution,
  crew: string,
  prices: readonly Price[],
): CrewdeckExecution {
  const { output, error, waiting } = execution;
  return structuredClone({
    kickoffId: keyOf(execution),
    ...factsOf(execution, crew),
    tasks: execution.tasks.map((task) => ({
      taskId: task.taskId,
      state: task.state,
      attempts: task.attempts.map(({ number, output, feedback }) => ({
        number,
        ...defined({ output }),
        ...(feedback && { feedback: { isApprove: feedback.isApprove, text: feedback.text } }),
      })),
      ...defined({
        agent: task.agent,
        output: task.attempts.at(-1)?.output,
        usage: plainUsage(taskTokenUse(task), prices),
      }),
    })),
    ...defined({
      output,
      error,
      usage: plainUsage(tokenUse(execution), prices),
      waiting:
        waiting &&
        defined({
          taskId: waiting.taskId,
          output: waiting.output,
          message: waiting.message ?? (waiting.call && callQuestion(waiting.call)),
          answers: waiting.options,
        }),
    }),
  });
}

function factsOf(execution: ExecutionSummary, crew: string) {
  const { kickoffIds, state, mayBeWaiting, startedAt, endedAt } = execution;
  const title = titleOf(execution);
  return { crew, kickoffIds, title, state, startedAt, ...defined({ mayBeWaiting, endedAt }) };
}

function plainUsage(use: TokenUse | undefined, prices: readonly Price[]) {
  if (use === undefined) return undefined;
  const cost = costOf(use, prices);
  return {
    tokens: use.tokens,
    ...(cost && { estimatedCost: { amount: cost.amount, unpricedTokens: cost.unpriced } }),
    models: use.models,
  };
}

export function summaryOf(execution: ExecutionSummary): JsonObject {
  const { crew, seenAt, waiting, progress } = execution;
  return {
    executionId: keyOf(execution),
    ...factsOf(execution, crew.name),
    stateLabel: stateLabel(execution),
    ...defined({
      lastAnswerAt: hasEnded(execution) ? undefined : seenAt,
      progress: progress && defined({ completed: progress.completed, total: progress.total }),
      waiting:
        waiting &&
        defined({ taskId: waiting.taskId, attempt: waiting.attempt, answers: waiting.options }),
    }),
  };
}

/** For a model: as {@link plainExecution}, each output once, and of long texts the beginning. */
export function overviewOf(execution: Execution): JsonObject {
  const { crew, request, waiting } = execution;
  const { tasks, output, error, usage, ...plain } = plainExecution(execution, crew.name, []);
  const inputs = Object.entries(request?.inputs ?? {}).map(
    ([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)] as const,
  );
  return {
    ...summaryOf(execution),
    ...withBeginnings(longest.main, {
      note: isRehearsal(execution) ? l10n.t("rehearsal – no language model is called") : undefined,
      waiting: waiting && { ...plain.waiting, attempt: waiting.attempt },
      output,
      usage,
    }),
    ...withBeginnings(longest.other, {
      inputs: request && Object.fromEntries(inputs),
      error,
      earlierTasksNotShown: tasks.length > maxTasks ? tasks.length - maxTasks : undefined,
      tasks: tasks.slice(-maxTasks).map(({ attempts, output, ...task }) => ({
        ...task,
        output: task.taskId === waiting?.taskId ? undefined : output,
        attempts: attempts.map((attempt) => ({ ...attempt, output: undefined })),
      })),
    }),
  };
}

function withBeginnings(most: number, members: object): JsonObject {
  const cut = (_name: string, value: JsonValue | undefined) =>
    typeof value === "string" ? beginningOf(value, most) : value;
  return JSON.parse(JSON.stringify(members, cut)) as JsonObject;
}

export function beginningOf(text: string, most: number, offset = 0): JsonObject | string {
  const { text: piece, next } = pieceOf(text, offset, most);
  return offset === 0 && next === undefined
    ? text
    : { text: piece, totalCharacters: text.length, ...defined({ nextOffset: next }) };
}

/** Also ends when it can't be polled. @throws the signal's reason */
export async function untilItMatters(
  parts: {
    readonly store: Pick<ExecutionStore, "summary" | "onDidChange">;
    readonly clock: Clock;
    readonly poller: Pick<Poller, "pollNow" | "onDidChange">;
    readonly circumstances: { of(execution: ExecutionSummary): Circumstances };
  },
  localId: string,
  milliseconds: number,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, poller, circumstances } = parts;
  const over = new AbortController();
  const check = () => {
    const execution = store.summary(localId);
    const matters =
      execution === undefined ||
      hasEnded(execution) ||
      waitsForPerson(execution) ||
      execution.kickoffIds.length === 0 ||
      circumstances.of(execution).doubt?.isLasting === true;
    if (matters) over.abort();
  };
  const subscriptions = [store.onDidChange(check), poller.onDidChange(check)];
  const end = AbortSignal.any([signal, over.signal]);
  const begun = clock.now();
  try {
    check();
    for (let left = milliseconds; left > 0; left = begun + milliseconds - clock.now()) {
      const next = Math.min(left, pace(clock.now() - begun, true));
      if (!(await wait(clock, next, end)) || next === left) break;
      await poller.pollNow(localId);
      // No event fires when a request can't be sent.
      check();
    }
  } finally {
    for (const subscription of subscriptions) subscription.dispose();
  }
  signal.throwIfAborted();
}

/** Characters of a text that the result is to have. */
const longestText = 60;
/** How much more than now is allowed: another answer of a model may be longer. */
const room = 1.5;

/** The body of a test of an execution. It expects what should stay true when the models answer in other words. */
export function firstTest(execution: Execution, recording: string): JsonObject {
  const { request, output = "", usage } = execution;
  const { inputs = {}, meta } = request ?? {};
  const most = usage && Math.ceil((usage.total * room) / 100) * 100;
  return defined({
    ...{ inputs, meta },
    answers: answersIn(execution),
    expect: [
      expectedOf(output, inputs),
      ...toolsIn(recording),
      ...(most === undefined ? [] : [{ maxTokens: most }]),
    ],
  });
}

function answersIn({ tasks }: Execution): JsonObject | undefined {
  const given = tasks.flatMap(({ taskId, attempts }) => {
    const answers = attempts.flatMap(({ feedback }): JsonObject[] =>
      feedback === undefined
        ? []
        : [feedback.isApprove ? { approve: feedback.text } : { reject: feedback.text }],
    );
    return answers.some(({ approve }) => approve !== approved) ? [[taskId, answers] as const] : [];
  });
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}

/** Of the result: the members of JSON, else an input that it names, or its beginning. */
function expectedOf(output: string, inputs: JsonObject): JsonObject {
  const value = parseJson(output);
  if (isObject(value)) return { jsonSchema: { type: "object", required: Object.keys(value) } };
  if (Array.isArray(value)) return { jsonSchema: { type: "array" } };
  const isNamed = (input: JsonValue): input is string =>
    typeof input === "string" &&
    input.trim() !== "" &&
    input.length <= longestText &&
    output.includes(input);
  const words = output.split(/\s+/).filter(Boolean).length;
  const [line = ""] = /[\p{L}\p{N}].*/u.exec(output) ?? [];
  const beginning = Array.from(line).slice(0, longestText).join("").trimEnd();
  return {
    contains: Object.values(inputs).find(isNamed) ?? beginning,
    maxWords: Math.ceil((words * room) / 10) * 10,
  };
}

function toolsIn(recording: string): readonly JsonObject[] {
  const calls = recording.split("\n").flatMap((line) => {
    const { kind, name, at } = asObject(parseJson(line));
    const [task] = asArray(at);
    return kind === "tool" && typeof task === "string" && typeof name === "string"
      ? [{ task, name }]
      : [];
  });
  return [...Map.groupBy(calls, ({ task }) => task)].map(([task, made]) => ({
    ...(task !== "" && { task }),
    calls: [...new Set(made.map(({ name }) => name))].map((tool) => ({ tool })),
  }));
}

import type { JsonObject } from "../api/types.ts";
import { type Clock, wait } from "../base/clock.ts";
import { defined } from "../base/json.ts";
import { pieceOf } from "../base/text.ts";
import {
  type Attempt,
  type Execution,
  type ExecutionSummary,
  type ExecutionTask,
  hasEnded,
  keyOf,
  waitsForPerson,
} from "../executions/model.ts";
import type { Poller } from "../executions/poller.ts";
import { pace } from "../executions/polls.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { titleOf } from "../executions/title.ts";
import { isRehearsal, rehearsalLabel, stateLabel } from "../view/words.ts";

/** UTF-16 units of a text in an overview; a model's context is small. */
const longest = { main: 8_000, task: 1_000, input: 1_000, feedback: 500 };
const maxTasks = 40;

/** Without callbacks: whoever knows a callback's address may post to it. */
export function summaryOf(execution: ExecutionSummary): JsonObject {
  const { crew, state, startedAt, endedAt, seenAt, waiting, progress } = execution;
  return {
    executionId: keyOf(execution),
    crew: crew.name,
    title: titleOf(execution),
    state,
    stateLabel: stateLabel(execution),
    startedAt,
    ...defined({
      lastAnswerAt: hasEnded(execution) ? undefined : seenAt,
      endedAt,
      progress: progress && defined({ completed: progress.completed, total: progress.total }),
      waitingTask: waiting?.taskId,
      waitingAttempt: waiting?.attempt,
      waitingAnswers: waiting?.options,
    }),
  };
}

export function overviewOf(execution: Execution): JsonObject {
  const { request, waiting, output, error, tasks } = execution;
  const inputs =
    request &&
    Object.fromEntries(
      Object.entries(request.inputs).map(([name, value]) => [
        name,
        beginningOf(typeof value === "string" ? value : JSON.stringify(value), longest.input),
      ]),
    );
  return {
    ...summaryOf(execution),
    ...defined({
      note: isRehearsal(execution) ? rehearsalLabel() : undefined,
      inputs,
      waitingQuestion: maybe(waiting?.message, longest.main),
      waitingOutput: maybe(waiting?.output, longest.main),
      result: maybe(output, longest.main),
      error: maybe(error, longest.task),
      earlierTasksNotShown: tasks.length > maxTasks ? tasks.length - maxTasks : undefined,
    }),
    tasks: tasks.slice(-maxTasks).map((task) => taskOf(task, waiting?.taskId)),
  };
}

function maybe(text: string | undefined, most: number): JsonObject | string | undefined {
  return text === undefined ? undefined : beginningOf(text, most);
}

/** The whole text, or a piece with the text's length and the next offset. */
export function beginningOf(text: string, most: number, offset = 0): JsonObject | string {
  const { text: piece, next } = pieceOf(text, offset, most);
  return offset === 0 && next === undefined
    ? text
    : { text: piece, totalCharacters: text.length, ...defined({ nextOffset: next }) };
}

function taskOf({ taskId, agent, state, attempts }: ExecutionTask, waitingTask?: string) {
  const hasHistory = attempts.length > 1 || attempts[0]?.feedback !== undefined;
  return {
    taskId,
    state,
    ...defined({
      agent,
      output: taskId === waitingTask ? undefined : maybe(attempts.at(-1)?.output, longest.task),
      attempts: hasHistory ? attempts.map(attemptOf) : undefined,
    }),
  };
}

function attemptOf({ number, feedback }: Attempt): JsonObject {
  if (feedback === undefined) return { number };
  const { isAnswer, isApprove, text } = feedback;
  return {
    number,
    decision: isAnswer === true ? "answer" : isApprove ? "approve" : "reject",
    feedback: beginningOf(text, longest.feedback),
  };
}

/**
 * Waits until the execution may need a person, has ended, can't be polled, or the time is over.
 * Polls at the pace of a watched execution.
 * @throws the signal's reason
 */
export async function untilItMatters(
  parts: {
    readonly store: Pick<ExecutionStore, "summary" | "onDidChange">;
    readonly clock: Clock;
    readonly poller: Pick<Poller, "pollNow" | "onDidChange">;
    /** Whether polling can't help: the crew refuses the token, or isn't connected. */
    readonly isHopeless: (execution: ExecutionSummary) => boolean;
  },
  localId: string,
  milliseconds: number,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, poller, isHopeless } = parts;
  const over = new AbortController();
  const check = () => {
    const execution = store.summary(localId);
    const matters =
      execution === undefined ||
      hasEnded(execution) ||
      waitsForPerson(execution) ||
      isHopeless(execution);
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

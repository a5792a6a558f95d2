import type { JsonObject } from "../api/types.ts";
import { defined } from "../base/json.ts";
import { pieceOf } from "../base/text.ts";
import {
  hasEnded,
  keyOf,
  type Attempt,
  type Execution,
  type ExecutionSummary,
  type ExecutionTask,
} from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";
import { isRehearsal, rehearsalLabel, stateLabel } from "../views/labels.ts";

/** UTF-16 units of a text in an overview; a model's context is small. */
const longest = { main: 8_000, task: 1_000, input: 1_000, feedback: 500 };
/** The last tasks of an execution are in its overview. */
const maxTasks = 40;

/** An execution in a list. Without callbacks: whoever knows a callback's address may post to it. */
export function summaryOf(execution: ExecutionSummary): JsonObject {
  const { crew, state, startedAt, endedAt, seenAt, waiting, progress } = execution;
  return {
    executionId: keyOf(execution),
    crew: crew.name,
    title: titleOf(execution),
    state,
    stateInWords: stateLabel(execution),
    startedAt,
    ...(seenAt === undefined || hasEnded(execution) ? {} : { lastAnswerAt: seenAt }),
    ...defined({ endedAt }),
    ...(progress === undefined
      ? {}
      : {
          progress: {
            completed: progress.completed,
            ...defined({ total: progress.total }),
          },
        }),
    ...(waiting === undefined
      ? {}
      : { waitingTask: waiting.taskId, waitingAttempt: waiting.attempt }),
  };
}

/** An execution with its tasks and the beginnings of their outputs. */
export function overviewOf(execution: Execution): JsonObject {
  const { request, waiting, output, error, tasks } = execution;
  return {
    ...summaryOf(execution),
    ...(isRehearsal(execution) ? { note: rehearsalLabel() } : {}),
    ...(request === undefined
      ? {}
      : {
          inputs: Object.fromEntries(
            Object.entries(request.inputs).map(([name, value]) => [
              name,
              beginningOf(typeof value === "string" ? value : JSON.stringify(value), longest.input),
            ]),
          ),
        }),
    ...(waiting?.output === undefined
      ? {}
      : { waitingOutput: beginningOf(waiting.output, longest.main) }),
    ...(output === undefined ? {} : { result: beginningOf(output, longest.main) }),
    ...(error === undefined ? {} : { error: beginningOf(error, longest.task) }),
    ...(tasks.length > maxTasks ? { earlierTasksNotShown: tasks.length - maxTasks } : {}),
    tasks: tasks.slice(-maxTasks).map((task) => taskOf(task, waiting?.taskId)),
  };
}

/** The whole text, or a piece with the text's length and the next offset. */
export function beginningOf(text: string, most: number, offset = 0): JsonObject | string {
  const { text: piece, next } = pieceOf(text, offset, most);
  return offset === 0 && next === undefined
    ? text
    : {
        text: piece,
        totalCharacters: text.length,
        ...defined({ nextOffset: next }),
      };
}

function taskOf(
  { taskId, agent, state, attempts }: ExecutionTask,
  waitingTask: string | undefined,
): JsonObject {
  const last = attempts.at(-1);
  return {
    taskId,
    state,
    ...defined({ agent }),
    ...(last?.output === undefined || taskId === waitingTask
      ? {}
      : { output: beginningOf(last.output, longest.task) }),
    ...(attempts.length < 2 && last?.feedback === undefined
      ? {}
      : { attempts: attempts.map(attemptOf) }),
  };
}

function attemptOf({ number, feedback }: Attempt): JsonObject {
  return {
    number,
    ...(feedback === undefined
      ? {}
      : {
          decision: feedback.isApprove ? "approve" : "reject",
          feedback: beginningOf(feedback.text, longest.feedback),
        }),
  };
}

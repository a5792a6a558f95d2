import { defined } from "../base/json.ts";
import type { JsonObject } from "../api/types.ts";
import {
  type Attempt,
  type Execution,
  type ExecutionTask,
  hasEnded,
  keyOf,
} from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";
import { isRehearsal, rehearsalInWords, stateInWords } from "../views/words.ts";
import { pieceOf } from "../base/text.ts";

/** UTF-16 units of one output in an overview: of what matters most, and of the others. A model's context is small. */
const longest = { main: 8_000, task: 1_000, input: 1_000, feedback: 500 };
/** Tasks of one execution in an overview: the last ones. */
const mostTasks = 40;

/** One execution in a list. It holds no secret, and no callback's address: whoever knows one may post to it. */
export function summaryOf(execution: Execution): JsonObject {
  const { crew, state, startedAt, endedAt, seenAt, waiting, progress } = execution;
  return {
    executionId: keyOf(execution),
    crew: crew.name,
    title: titleOf(execution),
    state,
    stateInWords: stateInWords(execution),
    startedAt,
    // To the minute.
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

/** One execution with its tasks and the beginnings of their outputs. */
export function overviewOf(execution: Execution): JsonObject {
  const { request, waiting, output, error, tasks } = execution;
  return {
    ...summaryOf(execution),
    ...(isRehearsal(execution) ? { note: rehearsalInWords() } : {}),
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
    ...(tasks.length > mostTasks ? { earlierTasksNotShown: tasks.length - mostTasks } : {}),
    tasks: tasks.slice(-mostTasks).map((task) => taskOf(task, waiting?.taskId)),
  };
}

/** A text whole, or its beginning with how long it is and where it goes on. */
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
  const isToldAlready = taskId === waitingTask;
  return {
    taskId,
    state,
    ...defined({ agent }),
    ...(last?.output === undefined || isToldAlready
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

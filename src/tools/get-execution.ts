import * as vscode from "vscode";
import { shortened } from "../base/text.ts";
import { numberOf, optional, stringOf } from "../commands/arguments.ts";
import { UserError } from "../base/errors.ts";
import { hasEnded, keyOf, type Execution, type ExecutionSummary } from "../executions/model.ts";
import { doubtOf } from "../views/doubt.ts";
import { beginningOf, overviewOf } from "./execution-data.ts";
import { findOrRefuse, readInput, resultOf, type Tool, type ToolParts } from "./tool.ts";
import { untilItMatters } from "./until.ts";

/** UTF-16 units of an output in one result. */
const longest = 16_000;
/** Seconds. */
const longestWait = 120;

/** `crewdeck_getExecution`: an execution's state and its tasks' outputs; a long output in pieces. */
export function getExecutionTool({
  crews,
  executions,
  clock,
}: Pick<ToolParts, "crews" | "executions" | "clock">): Tool {
  const { store, tracker } = executions;
  const read = (input: unknown) => {
    const given = readInput(input, [
      "executionId",
      "crew",
      "taskId",
      "attempt",
      "offset",
      "waitSeconds",
    ]);
    const seconds = wholeOf(given, "waitSeconds") ?? 0;
    return {
      execution: findOrRefuse(store, crews, given),
      taskId: stringOf(given, "taskId"),
      attempt: numberOf(given, "attempt"),
      offset: wholeOf(given, "offset"),
      wait: Math.min(seconds, longestWait) * 1000,
    };
  };
  return {
    prepare(input) {
      read(input);
      return Promise.resolve({ progress: vscode.l10n.t("Reading an execution") });
    },
    async invoke(input, signal) {
      const { execution, taskId, attempt, offset, wait } = read(input);
      const { localId } = execution;
      if (!hasEnded(execution)) await tracker.pollNow(localId);
      signal.throwIfAborted();
      const isHopeless = (each: ExecutionSummary) =>
        doubtOf({ crews, tracker }, each)?.isLasting === true;
      if (wait > 0)
        await untilItMatters({ store, clock, tracker, isHopeless }, localId, wait, signal);
      const now = store.find(localId) ?? execution;
      const problem = optional("problem", doubtOf({ crews, tracker }, now)?.text);
      if (taskId === undefined && offset === undefined)
        return resultOf({ ...problem, ...overviewOf(now) });
      const output = outputOf(now, taskId, attempt);
      return resultOf({
        executionId: keyOf(now),
        state: now.state,
        ...problem,
        ...output.of,
        output: beginningOf(output.text, longest, offset),
      });
    },
  };
}

/** The output of a task's attempt, by default the last; without a task the result, or the output that waits. @throws UserError if there is none */
function outputOf(
  execution: Execution,
  taskId: string | undefined,
  attempt: number | undefined,
): { readonly text: string; readonly of: Readonly<Record<string, string | number>> } {
  if (taskId === undefined) {
    const text = execution.output ?? execution.waiting?.output;
    if (text === undefined) throw new UserError(vscode.l10n.t("The execution has no result yet."));
    return { text, of: {} };
  }
  const task = execution.tasks.find((each) => each.taskId === taskId);
  if (task === undefined)
    throw new UserError(
      vscode.l10n.t(
        "The execution has no task “{0}”. It has: {1}.",
        taskId,
        shortened(execution.tasks.map((each) => each.taskId).join(", "), 2_000),
      ),
    );
  const found =
    attempt === undefined
      ? task.attempts.at(-1)
      : task.attempts.find(({ number }) => number === attempt);
  if (found?.output === undefined)
    throw new UserError(vscode.l10n.t("The crew has not returned this output."));
  return { text: found.output, of: { taskId, attempt: found.number } };
}

/** Like `numberOf`, and 0. */
function wholeOf(given: Readonly<Record<string, unknown>>, name: string): number | undefined {
  return given[name] === 0 ? 0 : numberOf(given, name);
}

import * as vscode from "vscode";
import { isRequired } from "../api/read-inputs.ts";
import type { InputField } from "../api/types.ts";
import { messageOf, UserError } from "../base/errors.ts";
import type { Clock } from "../base/clock.ts";
import { defined, type JsonObject } from "../base/json.ts";
import { shortened } from "../base/text.ts";
import type { Crew } from "../crews/types.ts";
import type { Crews } from "../crews/crews.ts";
import { number, oneOf, text, wholeNumber } from "../editor/arguments.ts";
import {
  executionStates,
  hasEnded,
  keyOf,
  type Execution,
  type ExecutionSummary,
} from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { taskIn } from "../executions/tasks.ts";
import type { Tracker } from "../executions/tracker.ts";
import { doubtOf } from "../views/doubt.ts";
import { beginningOf, overviewOf, summaryOf } from "./execution-data.ts";
import { executionIn, executionMembers, resultOf, type Tool, toolOf } from "./tool.ts";
import { untilItMatters } from "./until.ts";

/** Characters of a description or default, values of an enumeration, characters of an output. */
const longest = { text: 1_000, values: 100, output: 16_000 };

export interface ReadingParts {
  readonly crews: Pick<Crews, "find" | "get" | "inputs" | "list">;
  readonly store: Pick<ExecutionStore, "find" | "list" | "onDidChange" | "refresh" | "summary">;
  readonly tracker: Pick<Tracker, "localProblemOf" | "onDidChange" | "pollNow" | "problemOf">;
  readonly clock: Clock;
}

/** `crewdeck_listCrews`: the connected crews and their inputs. Starts no crew. */
export function listCrewsTool({ crews }: Pick<ReadingParts, "crews">): Tool {
  return toolOf(
    { crew: text },
    {
      read: ({ crew }) => (crew === undefined ? crews.list() : [crews.get(crew)]),
      progress: () => vscode.l10n.t("Reading the crews' inputs"),
      async run(wanted, { signal }) {
        if (wanted.length === 0)
          return vscode.l10n.t(
            "No crew is connected. The user can connect one with the command “Crewdeck: Connect a Crew…”, or start the example with “Crewdeck: Start Local Crew”.",
          );
        const found = await Promise.all(wanted.map((crew) => describeCrew(crews, crew, signal)));
        return resultOf({ crews: found });
      },
    },
  );
}

async function describeCrew(
  crews: ReadingParts["crews"],
  crew: Crew,
  signal: AbortSignal,
): Promise<JsonObject> {
  const { name, url, local } = crew;
  const known = { name, url, isLocal: local !== undefined };
  if (local?.running === false)
    return {
      ...known,
      note: vscode.l10n.t(
        "This local crew is stopped, so its inputs are not known. A kickoff starts it.",
      ),
    };
  try {
    const { fields } = await crews.inputs(crew, { fresh: true, signal });
    return { ...known, inputs: fields.map(describeInput) };
  } catch (error) {
    signal.throwIfAborted();
    return { ...known, problem: messageOf(error) };
  }
}

function describeInput(field: InputField): JsonObject {
  const { type, description, enum: values, default: value } = field;
  return {
    name: field.name,
    required: isRequired(field),
    ...defined({
      type,
      description: description && shortened(description, longest.text),
      enum: values?.slice(0, longest.values),
      default: typeof value === "string" ? shortened(value, longest.text) : value,
    }),
  };
}

/** `crewdeck_listExecutions`: the tracked executions, newest first. Sends no request. */
export function listExecutionsTool({ crews, store, tracker }: ReadingParts): Tool {
  const describe = (execution: ExecutionSummary): JsonObject => {
    const isDoubted = doubtOf({ crews, tracker }, execution) !== undefined;
    const isStale = execution.watchingStoppedAt !== undefined || isDoubted;
    return { ...summaryOf(execution), ...(isStale ? { stale: true } : {}) };
  };
  return toolOf(
    { crew: text, state: oneOf(executionStates), limit: number },
    {
      read: (given) => given,
      progress: () => vscode.l10n.t("Listing executions"),
      run({ crew, state, limit = 20 }) {
        const connected = crew === undefined ? undefined : crews.find(crew);
        const isOfCrew = ({ id, name, url }: ExecutionSummary["crew"]) =>
          connected === undefined ? crew === name || crew === url : id === connected.id;
        const found = store
          .list()
          .filter((each) => state === undefined || each.state === state)
          .filter((each) => crew === undefined || isOfCrew(each.crew));
        const executions = found.slice(0, Math.min(limit, 100)).map(describe);
        return Promise.resolve(resultOf({ total: found.length, executions }));
      },
    },
  );
}

/** `crewdeck_getExecution`: state and outputs; a long output in pieces. */
export function getExecutionTool(parts: ReadingParts): Tool {
  const { crews, clock, store, tracker } = parts;
  const attempt = { taskId: text, attempt: number };
  return toolOf(
    { ...executionMembers, ...attempt, offset: wholeNumber, waitSeconds: wholeNumber },
    {
      read: (given) => ({ ...given, execution: executionIn(parts, given) }),
      progress: () => vscode.l10n.t("Reading an execution"),
      async run({ execution, taskId, attempt, offset, waitSeconds = 0 }, { signal }) {
        const { localId } = execution;
        if (!hasEnded(execution)) await tracker.pollNow(localId);
        signal.throwIfAborted();
        const isHopeless = (each: ExecutionSummary) =>
          doubtOf({ crews, tracker }, each)?.isLasting === true;
        const wait = Math.min(waitSeconds, 120) * 1000;
        if (wait > 0)
          await untilItMatters({ store, clock, tracker, isHopeless }, localId, wait, signal);
        const now = store.find(localId) ?? execution;
        const problem = defined({ problem: doubtOf({ crews, tracker }, now)?.text });
        if (taskId === undefined && offset === undefined)
          return resultOf({ ...problem, ...overviewOf(now) });
        const { text, of } = outputOf(now, taskId, attempt);
        const output = beginningOf(text, longest.output, offset);
        return resultOf({ executionId: keyOf(now), state: now.state, ...problem, ...of, output });
      },
    },
  );
}

/**
 * By default the last attempt; without a task the result, or the output that waits. @throws
 * UserError
 */
function outputOf(
  execution: Execution,
  taskId: string | undefined,
  attempt: number | undefined,
): { readonly text: string; readonly of: JsonObject } {
  if (taskId === undefined) {
    const text = execution.output ?? execution.waiting?.output;
    if (text === undefined) throw new UserError(vscode.l10n.t("The execution has no result yet."));
    return { text, of: {} };
  }
  const task = taskIn(execution.tasks, taskId);
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

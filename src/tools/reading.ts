import * as vscode from "vscode";
import { isRequired } from "../api/read-inputs.ts";
import type { InputField } from "../api/types.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { defined, type JsonObject, type UnknownObject } from "../base/json.ts";
import { shortened } from "../base/text.ts";
import type { Crew } from "../crews/types.ts";
import { numberOf, oneOf, stringOf } from "../editor/arguments.ts";
import {
  executionStates,
  hasEnded,
  keyOf,
  type Execution,
  type ExecutionSummary,
} from "../executions/model.ts";
import { taskIn } from "../executions/tasks.ts";
import { doubtOf } from "../views/doubt.ts";
import { beginningOf, overviewOf, summaryOf } from "./execution-data.ts";
import { findOrRefuse, readInput, resultOf, type Tool, type ToolParts } from "./tool.ts";
import { untilItMatters } from "./until.ts";

/** Characters of a description or default, values of an enumeration, characters of an output. */
const longest = { text: 1_000, values: 100, output: 16_000 };

/** `crewdeck_listCrews`: the connected crews and their inputs. Starts no crew. */
export function listCrewsTool({ crews }: Pick<ToolParts, "crews">): Tool {
  const read = (input: unknown): readonly Crew[] => {
    const name = stringOf(readInput(input, ["crew"]), "crew");
    return name === undefined ? crews.list() : [crews.get(name)];
  };
  return reading(vscode.l10n.t("Reading the crews' inputs"), read, async (wanted, signal) => {
    if (wanted.length === 0)
      return vscode.l10n.t(
        "No crew is connected. The user can connect one with the command “Crewdeck: Connect a Crew…”, or start the example with “Crewdeck: Start Local Crew”.",
      );
    const found = await Promise.all(wanted.map((crew) => describeCrew(crews, crew, signal)));
    return resultOf({ crews: found });
  });
}

async function describeCrew(
  crews: ToolParts["crews"],
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
export function listExecutionsTool(parts: Pick<ToolParts, "crews" | "executions">): Tool {
  const { crews } = parts;
  const { store, tracker } = parts.executions;
  const read = (input: unknown) => {
    const given = readInput(input, ["crew", "state", "limit"]);
    return {
      crew: stringOf(given, "crew"),
      state: oneOf(given, "state", executionStates),
      limit: Math.min(numberOf(given, "limit") ?? 20, 100),
    };
  };
  const describe = (execution: ExecutionSummary): JsonObject => {
    const isDoubted = doubtOf({ crews, tracker }, execution) !== undefined;
    const isStale = execution.watchingStoppedAt !== undefined || isDoubted;
    return { ...summaryOf(execution), ...(isStale ? { stale: true } : {}) };
  };
  return reading(vscode.l10n.t("Listing executions"), read, ({ crew, state, limit }) => {
    const connected = crew === undefined ? undefined : crews.find(crew);
    const isOfCrew = ({ id, name, url }: ExecutionSummary["crew"]) =>
      connected === undefined ? crew === name || crew === url : id === connected.id;
    const found = store
      .list()
      .filter((each) => state === undefined || each.state === state)
      .filter((each) => crew === undefined || isOfCrew(each.crew));
    return resultOf({ total: found.length, executions: found.slice(0, limit).map(describe) });
  });
}

/** `crewdeck_getExecution`: state and outputs; a long output in pieces. */
export function getExecutionTool(parts: Pick<ToolParts, "crews" | "executions" | "clock">): Tool {
  const { crews, clock } = parts;
  const { store, tracker } = parts.executions;
  const read = (input: unknown) => {
    const names = ["executionId", "crew", "taskId", "attempt", "offset", "waitSeconds"];
    const given = readInput(input, names);
    return {
      execution: findOrRefuse(parts, given),
      taskId: stringOf(given, "taskId"),
      attempt: numberOf(given, "attempt"),
      offset: wholeOf(given, "offset"),
      wait: Math.min(wholeOf(given, "waitSeconds") ?? 0, 120) * 1000,
    };
  };
  return reading(vscode.l10n.t("Reading an execution"), read, async (wanted, signal) => {
    const { execution, taskId, attempt, offset, wait } = wanted;
    const { localId } = execution;
    if (!hasEnded(execution)) await tracker.pollNow(localId);
    signal.throwIfAborted();
    const isHopeless = (each: ExecutionSummary) =>
      doubtOf({ crews, tracker }, each)?.isLasting === true;
    if (wait > 0)
      await untilItMatters({ store, clock, tracker, isHopeless }, localId, wait, signal);
    const now = store.find(localId) ?? execution;
    const problem = defined({ problem: doubtOf({ crews, tracker }, now)?.text });
    if (taskId === undefined && offset === undefined)
      return resultOf({ ...problem, ...overviewOf(now) });
    const { text, of } = outputOf(now, taskId, attempt);
    const output = beginningOf(text, longest.output, offset);
    return resultOf({ executionId: keyOf(now), state: now.state, ...problem, ...of, output });
  });
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

function wholeOf(given: UnknownObject, name: string): number | undefined {
  return given[name] === 0 ? 0 : numberOf(given, name);
}

function reading<Input>(
  progress: string,
  read: (input: unknown) => Input,
  invoke: (input: Input, signal: AbortSignal) => string | Promise<string>,
): Tool {
  return {
    prepare(input) {
      read(input);
      return { progress };
    },
    invoke: (input, signal) => invoke(read(input), signal),
  };
}

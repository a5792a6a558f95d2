import * as vscode from "vscode";
import type { JsonObject } from "../api/types.ts";
import { numberOf, stringOf } from "../commands/arguments.ts";
import type { Crews } from "../crews/crews.ts";
import type { ExecutionSummary, ExecutionState } from "../executions/model.ts";
import { doubtOf } from "../views/doubt.ts";
import { summaryOf } from "./execution-data.ts";
import { oneOf, readInput } from "./input.ts";
import type { ToolParts } from "./parts.ts";
import { resultOf } from "./result.ts";
import type { Tool } from "./tool.ts";

const states = [
  "queued",
  "running",
  "waiting",
  "completed",
  "failed",
  "stopped",
  "unknown",
  "unconfirmed",
] as const satisfies readonly ExecutionState[];
/** How many are told where the model does not say, and at most. */
const count = { usual: 20, most: 100 };

/** `crewdeck_listExecutions`: what is tracked here, newest first, without asking a crew. */
export function listExecutionsTool({
  crews,
  executions,
}: Pick<ToolParts, "crews" | "executions">): Tool {
  const read = (input: unknown) => {
    const given = readInput(input, ["crew", "state", "limit"]);
    return {
      crew: stringOf(given, "crew"),
      state: oneOf("state", stringOf(given, "state"), states),
      limit: Math.min(numberOf(given, "limit") ?? count.usual, count.most),
    };
  };
  const describe = (execution: ExecutionSummary): JsonObject => {
    const isStale =
      execution.watchingStoppedAt !== undefined ||
      doubtOf({ crews, tracker: executions.tracker }, execution) !== undefined;
    return { ...summaryOf(execution), ...(isStale ? { stale: true } : {}) };
  };
  return {
    prepare(input) {
      read(input);
      return Promise.resolve({ progress: vscode.l10n.t("Listing executions") });
    },
    invoke(input) {
      const { crew, state, limit } = read(input);
      const found = executions.store
        .list()
        .filter(
          (execution) =>
            (crew === undefined || isOf(execution, crew, crews)) &&
            (state === undefined || execution.state === state),
        );
      return Promise.resolve(
        resultOf({ total: found.length, executions: found.slice(0, limit).map(describe) }),
      );
    },
  };
}

/** Whether an execution is of a crew; one that is not connected any more is remembered by the executions. */
function isOf({ crew }: ExecutionSummary, wanted: string, crews: Crews): boolean {
  const found = crews.find(wanted);
  return found === undefined ? crew.name === wanted || crew.url === wanted : crew.id === found.id;
}

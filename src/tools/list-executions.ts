import * as vscode from "vscode";
import type { JsonObject } from "../api/types.ts";
import { numberOf, stringOf } from "../commands/arguments.ts";
import type { Crews } from "../crews/crews.ts";
import type { ExecutionState, ExecutionSummary } from "../executions/model.ts";
import { doubtOf } from "../views/doubt.ts";
import { summaryOf } from "./execution-data.ts";
import { oneOf, readInput, resultOf, type Tool, type ToolParts } from "./tool.ts";

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
const count = { byDefault: 20, max: 100 };

/** `crewdeck_listExecutions`: the tracked executions, newest first. Sends no request. */
export function listExecutionsTool({
  crews,
  executions,
}: Pick<ToolParts, "crews" | "executions">): Tool {
  const read = (input: unknown) => {
    const given = readInput(input, ["crew", "state", "limit"]);
    return {
      crew: stringOf(given, "crew"),
      state: oneOf("state", stringOf(given, "state"), states),
      limit: Math.min(numberOf(given, "limit") ?? count.byDefault, count.max),
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

/** The crew may no longer be connected; its executions keep its name and address. */
function isOf({ crew }: ExecutionSummary, wanted: string, crews: Crews): boolean {
  const found = crews.find(wanted);
  return found === undefined ? crew.name === wanted || crew.url === wanted : crew.id === found.id;
}

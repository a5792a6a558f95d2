import * as vscode from "vscode";
import { needed, optional, stringOf } from "../commands/arguments.ts";
import { findExecution } from "../commands/choose.ts";
import type { Crews } from "../crews/crews.ts";
import { UserError } from "../base/errors.ts";
import type { Execution } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";

/** The execution that `executionId`, and `crew` where it is there, name. @throws UserError that says how to find one */
export function findOrRefuse(
  store: ExecutionStore,
  crews: Crews,
  given: Readonly<Record<string, unknown>>,
): Execution {
  const kickoffId = needed(stringOf(given, "executionId"), "executionId");
  const found = findExecution(store, crews, {
    kickoffId,
    ...optional("crew", stringOf(given, "crew")),
  });
  if (found === undefined)
    throw new UserError(
      vscode.l10n.t(
        "No execution with the ID “{0}” is tracked here. The tool crewdeck_listExecutions tells those that are.",
        kickoffId,
      ),
    );
  return found;
}

import type * as vscode from "vscode";
import { plainLabel } from "../editor/messages.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";
import { startLabel, stateLabel } from "../views/labels.ts";

/** A row of a list that offers executions. */
export interface ExecutionItem extends vscode.QuickPickItem {
  readonly execution: ExecutionSummary;
}

/** An execution as a row: its title, crew and state, below them when it began and its id, as far as it has one. The state's word and the id may be the crew's own, and are shown as plain as the rest. */
export function executionItem(execution: ExecutionSummary): ExecutionItem {
  return {
    label: plainLabel(titleOf(execution)),
    description: plainLabel(`${execution.crew.name} · ${stateLabel(execution)}`),
    detail: plainLabel([startLabel(execution), ...execution.kickoffIds.slice(0, 1)].join(" · ")),
    execution,
  };
}

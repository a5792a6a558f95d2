import * as vscode from "vscode";
import { plainLabel } from "../editor/messages.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";
import { startLabel, stateLabel } from "../view/words.ts";

type ExecutionItem = vscode.QuickPickItem & { readonly execution?: ExecutionSummary };

export async function pickExecution(
  items: readonly ExecutionItem[],
  placeHolder: string,
): Promise<ExecutionSummary | undefined> {
  const options = { placeHolder, matchOnDescription: true, matchOnDetail: true };
  return (await vscode.window.showQuickPick(items, options))?.execution;
}

/** State and ID may be remote text. */
export function executionItem(execution: ExecutionSummary): ExecutionItem {
  return {
    label: plainLabel(titleOf(execution)),
    description: plainLabel(`${execution.crew.name} · ${stateLabel(execution)}`),
    detail: plainLabel([startLabel(execution), ...execution.kickoffIds.slice(0, 1)].join(" · ")),
    execution,
  };
}

/** Below a heading; nothing without executions. */
export function executionSection(
  label: string,
  executions: readonly ExecutionSummary[],
): readonly ExecutionItem[] {
  if (executions.length === 0) return [];
  return [{ label, kind: vscode.QuickPickItemKind.Separator }, ...executions.map(executionItem)];
}

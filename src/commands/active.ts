import * as vscode from "vscode";
import { viewId } from "../editor/ids.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { activeOf, theOne, type ActiveExecutions } from "../views/waiting.ts";
import { executionItem, type ExecutionItem } from "./execution-item.ts";
import type { Command } from "./table.ts";

type Choice = vscode.QuickPickItem & Partial<Pick<ExecutionItem, "execution">>;

/** Leads to what waits, else to what runs: opens it where it is one, lets choose where there are several, and shows the view where there is nothing. */
export function activeCommand(
  store: Pick<ExecutionStore, "list">,
  show: (execution: ExecutionSummary) => Promise<unknown>,
): Command {
  return {
    id: "showActive",
    async run() {
      const active = activeOf(store.list());
      if (active.waiting.length + active.running.length === 0) {
        await vscode.commands.executeCommand(`${viewId}.focus`);
        return;
      }
      const chosen = theOne(active) ?? (await choose(active));
      if (chosen !== undefined) await show(chosen);
    },
  };
}

async function choose({
  waiting,
  running,
}: ActiveExecutions): Promise<ExecutionSummary | undefined> {
  const items: readonly Choice[] = [
    ...section(vscode.l10n.t("Waiting for you"), waiting),
    ...section(vscode.l10n.t("Running"), running),
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t("Open which execution?"),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.execution;
}

function section(label: string, executions: readonly ExecutionSummary[]): readonly Choice[] {
  if (executions.length === 0) return [];
  return [{ label, kind: vscode.QuickPickItemKind.Separator }, ...executions.map(executionItem)];
}

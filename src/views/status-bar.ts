import * as vscode from "vscode";
import { type Crew, isInterrupted } from "../crews/types.ts";
import { setContext, viewId } from "../editor/manifest.ts";
import { type ExecutionSummary, waitsForPerson } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { present } from "../view/words.ts";
import type { CurrentCircumstances } from "./circumstances.ts";
import { type Arrangement, filterLabel } from "./tree/arrangement.ts";

export function showStatusBar(
  store: Pick<ExecutionStore, "list" | "onDidChange">,
  circumstances: Pick<CurrentCircumstances, "connected" | "onDidChange">,
  item = vscode.window.createStatusBarItem("crewdeck.active", vscode.StatusBarAlignment.Left),
): vscode.Disposable {
  item.name = "Crewdeck";
  const isRunning = ({ state, crew, kickoffIds }: ExecutionSummary) =>
    (state === "queued" || state === "running") &&
    !isInterrupted(circumstances.connected.get(crew.id), kickoffIds);
  const update = () => {
    const waiting = store.list().filter(waitsForPerson).length;
    const running = store.list().filter(isRunning).length;
    if (running + waiting === 0) {
      item.hide();
      return;
    }
    item.text = present(
      running > 0 && `$(sync~spin) ${running}`,
      waiting > 0 && `$(bell-dot) ${toReviewLabel(waiting)}`,
    ).join(" ");
    const label = present(
      running > 0 && vscode.l10n.t("{0} running", running),
      waiting > 0 && toReviewLabel(waiting),
    ).join(", ");
    item.accessibilityInformation = { label: `Crewdeck: ${label}`, role: "button" };
    item.tooltip = label;
    item.backgroundColor =
      waiting === 0 ? undefined : new vscode.ThemeColor("statusBarItem.warningBackground");
    item.command = waiting > 0 ? "crewdeck.nextToReview" : `${viewId}.focus`;
    item.show();
  };
  update();
  return vscode.Disposable.from(store.onDidChange(update), circumstances.onDidChange(update), item);
}

function toReviewLabel(count: number): string {
  return vscode.l10n.t("{0} to review", count);
}

type SummaryView = Pick<vscode.TreeView<unknown>, "badge"> & {
  message?: string | undefined;
  description?: string | undefined;
};

export function showSummary(
  view: SummaryView,
  executions: readonly ExecutionSummary[],
  crews: readonly Crew[],
  arrangement: Arrangement,
): void {
  const waiting = executions.filter(waitsForPerson).length;
  view.badge = waiting === 0 ? undefined : { value: waiting, tooltip: toReviewLabel(waiting) };
  // VS Code shows no welcome below a message (observed), so the description shows the filter then.
  const label = arrangement.isFiltered ? filterLabel(arrangement.rules.filter) : undefined;
  const isEmpty = arrangement.groups().length === 0;
  const { hidden } = arrangement;
  view.message =
    label === undefined || isEmpty
      ? undefined
      : vscode.l10n.t("{0} – {1} of {2} hidden", label, hidden.length, executions.length);
  view.description = isEmpty ? label : undefined;
  setContext("crewdeck.hasExecutions", executions.length > 0);
  setContext("crewdeck.hasWaiting", waiting > 0);
  setContext(
    "crewdeck.hasAnswered",
    executions.some(({ resumes }) => resumes.some(({ outcome }) => outcome === "answered")),
  );
  setContext("crewdeck.hasCrews", crews.length > 0);
  setContext("crewdeck.servesWorkspace", crews.some(isHere));
  const hasRunningCrew = crews.some(({ local }) => local?.running === true);
  setContext("crewdeck.hasRunningCrew", hasRunningCrew);
  setContext("crewdeck.isFiltered", arrangement.isFiltered);
}

export function isHere({ local }: Crew): boolean {
  if (local === undefined) return false;
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(local.folder)) !== undefined;
}

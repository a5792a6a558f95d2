import * as vscode from "vscode";
import type { Crew } from "../crews/types.ts";
import { setContext, viewId } from "../editor/manifest.ts";
import { type ExecutionSummary, waitsForPerson } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { briefOf } from "../view/brief.ts";
import { inlineText } from "../view/markdown.ts";
import { present } from "../view/words.ts";
import type { CurrentCircumstances } from "./circumstances.ts";
import { type Arrangement, filterLabel } from "./tree/arrangement.ts";
import { activeOf, type ActiveExecutions } from "./waiting.ts";

const maxListed = 5;

export function showStatusBar(
  store: Pick<ExecutionStore, "list" | "onDidChange">,
  circumstances: Pick<CurrentCircumstances, "connected" | "onDidChange">,
  item = vscode.window.createStatusBarItem("crewdeck.active", vscode.StatusBarAlignment.Left),
): vscode.Disposable {
  item.name = "Crewdeck";
  const update = () => {
    const active = activeOf(store.list(), [...circumstances.connected.values()]);
    const [running, waiting] = [active.running.length, active.waiting.length];
    if (running + waiting === 0) {
      item.hide();
      return;
    }
    item.text = present(
      running > 0 && `$(sync~spin) ${running}`,
      waiting > 0 && `$(bell-dot) ${vscode.l10n.t("{0} to review", waiting)}`,
    ).join(" ");
    const label = present(
      running > 0 && runningSentence(running),
      waiting > 0 && waitingSentence(waiting),
    ).join(", ");
    item.accessibilityInformation = { label: `Crewdeck: ${label}`, role: "button" };
    item.backgroundColor =
      waiting === 0 ? undefined : new vscode.ThemeColor("statusBarItem.warningBackground");
    item.tooltip = tooltip(active);
    item.command = waiting > 0 ? "crewdeck.nextToReview" : `${viewId}.focus`;
    item.show();
  };
  update();
  return vscode.Disposable.from(store.onDidChange(update), circumstances.onDidChange(update), item);
}

function runningSentence(count: number): string {
  return count === 1
    ? vscode.l10n.t("1 execution is running")
    : vscode.l10n.t("{0} executions are running", count);
}

function waitingSentence(count: number): string {
  return count === 1
    ? vscode.l10n.t("1 execution waits for you")
    : vscode.l10n.t("{0} executions wait for you", count);
}

/** Remote text: neither trusted nor with icons. */
function tooltip({ waiting, running }: ActiveExecutions): vscode.MarkdownString {
  const all = [...waiting, ...running];
  const rows = all.slice(0, maxListed).map((execution) => {
    const { title, crew, label, facts } = briefOf(execution);
    return `- ${[title, label, ...facts, crew].map(inlineText).join(" · ")}`;
  });
  const more = all.length - rows.length;
  if (more > 0) rows.push(`- ${vscode.l10n.t("and {0} more", more)}`);
  const click =
    waiting.length > 0
      ? vscode.l10n.t("Click to open what waits longest.")
      : vscode.l10n.t("Click to show what runs.");
  return new vscode.MarkdownString(`${rows.join("\n")}\n\n${click}`);
}

type SummaryView = Pick<vscode.TreeView<unknown>, "badge"> & {
  message?: string | undefined;
  description?: string | undefined;
};

/** Badge, message and context keys of the tree's view. */
export function showSummary(
  view: SummaryView,
  executions: readonly ExecutionSummary[],
  crews: readonly Crew[],
  arrangement: Arrangement,
): void {
  const waiting = executions.filter(waitsForPerson).length;
  if ((view.badge?.value ?? 0) !== waiting)
    view.badge = waiting === 0 ? undefined : { value: waiting, tooltip: waitingSentence(waiting) };
  // VS Code shows no welcome below a message (observed), so the description shows the filter then.
  const label = arrangement.isFiltered ? filterLabel(arrangement.rules.filter) : undefined;
  const isEmpty = arrangement.groups().length === 0;
  const message =
    label === undefined || isEmpty ? undefined : `${label} – ${hiddenLabel(arrangement)}`;
  const description = isEmpty ? label : undefined;
  if (view.message !== message) view.message = message;
  if (view.description !== description) view.description = description;
  setContext("crewdeck.hasExecutions", executions.length > 0);
  setContext("crewdeck.hasWaiting", waiting > 0);
  setContext(
    "crewdeck.hasAnswered",
    executions.some(({ resumes }) => resumes.some(({ outcome }) => outcome === "answered")),
  );
  setContext("crewdeck.hasCrews", crews.length > 0);
  setContext(
    "crewdeck.isStopped",
    crews.length > 0 && crews.every(({ local }) => local?.running === false),
  );
  setContext(
    "crewdeck.hasRunningCrew",
    crews.some(({ local }) => local?.running === true),
  );
  setContext("crewdeck.isFiltered", arrangement.isFiltered);
}

function hiddenLabel({ hidden, size }: Arrangement): string {
  const waiting = hidden.filter(waitsForPerson).length;
  const label = vscode.l10n.t("{0} of {1} hidden", hidden.length, size);
  if (waiting === 0) return label;
  return waiting === 1
    ? vscode.l10n.t("{0}, 1 of them waits for you", label)
    : vscode.l10n.t("{0}, {1} of them wait for you", label, waiting);
}

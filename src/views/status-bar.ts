import * as vscode from "vscode";
import { shortName } from "../base/text.ts";
import type { Crews } from "../crews/crews.ts";
import type { Crew } from "../crews/types.ts";
import { setContext, viewId } from "../editor/manifest.ts";
import { type ExecutionSummary, waitsForPerson } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { titleOf } from "../executions/title.ts";
import { inlineText } from "../view/markdown.ts";
import { fullProgress, present } from "../view/words.ts";
import { type Arrangement, filterLabel } from "./tree/arrangement.ts";
import { activeOf, type ActiveExecutions } from "./waiting.ts";

const maxListed = 5;

export function showStatusBar(
  store: Pick<ExecutionStore, "list" | "onDidChange">,
  crews: Pick<Crews, "list" | "onDidChange">,
  item = vscode.window.createStatusBarItem("crewdeck.active", vscode.StatusBarAlignment.Left),
): vscode.Disposable {
  item.name = "Crewdeck";
  // Not at each change of an execution, since the list reads the settings.
  let known = crews.list();
  const update = () => {
    const active = activeOf(store.list(), known);
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
  const crewsChanged = crews.onDidChange(() => {
    known = crews.list();
    update();
  });
  return vscode.Disposable.from(store.onDidChange(update), crewsChanged, item);
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
function tooltip(active: ActiveExecutions): vscode.MarkdownString {
  const parts = [
    ...list(vscode.l10n.t("Waiting for you"), active.waiting, ({ waiting }) =>
      waiting
        ? vscode.l10n.t("at task “{0}”", shortName(waiting.taskId))
        : vscode.l10n.t("may be waiting"),
    ),
    ...list(vscode.l10n.t("Running"), active.running, fullProgress),
    active.waiting.length > 0
      ? vscode.l10n.t("Click to open what waits longest.")
      : vscode.l10n.t("Click to show what runs."),
  ];
  return new vscode.MarkdownString(parts.join("\n\n"));
}

function list(
  title: string,
  executions: readonly ExecutionSummary[],
  noteOf: (execution: ExecutionSummary) => string | undefined,
): readonly string[] {
  if (executions.length === 0) return [];
  const rows = executions.slice(0, maxListed).map((execution) => {
    const details = present(execution.crew.name, noteOf(execution)).map(inlineText);
    return `- ${inlineText(titleOf(execution))} (${details.join(", ")})`;
  });
  const more = executions.length - rows.length;
  if (more > 0) rows.push(`- ${vscode.l10n.t("and {0} more", more)}`);
  return [`**${title}**`, rows.join("\n")];
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

import * as vscode from "vscode";
import type { Crew } from "../../crews/types.ts";
import { setContext } from "../../editor/manifest.ts";
import { waitingSentence } from "../status-bar.ts";
import type { Arrangement } from "./arrangement.ts";
import { filterLabel } from "./grouping.ts";
import { type ExecutionSummary, waitsForPerson } from "../../executions/model.ts";

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

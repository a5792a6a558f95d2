import * as vscode from "vscode";
import type { Crew } from "../../crews/types.ts";
import { setContext } from "../../editor/context.ts";
import type { ExecutionSummary } from "../../executions/model.ts";
import { countWaiting, type Arrangement } from "./arrangement.ts";
import { filterInWords } from "./filter.ts";

/** The parts of a view that say something of all its rows. */
export type SummaryView = Pick<vscode.TreeView<unknown>, "badge"> & {
  message?: string | undefined;
  description?: string | undefined;
};

/** Says on the view itself what its rows can't: how many wait, what the filter hides, and by context keys which welcome fits where there are no rows. */
export function showSummary(
  view: SummaryView,
  executions: readonly ExecutionSummary[],
  crews: readonly Crew[],
  arrangement: Arrangement,
): void {
  showBadge(view, executions.filter(({ state }) => state === "waiting").length);
  showFilter(view, arrangement);
  setContext("crewdeck.hasExecutions", executions.length > 0);
  setContext(
    "crewdeck.hasAnswered",
    executions.some(({ resumes }) => resumes.some(({ outcome }) => outcome === "answered")),
  );
  setContext("crewdeck.hasCrews", crews.length > 0);
  setContext(
    "crewdeck.isStopped",
    crews.length > 0 && crews.every(({ local }) => local?.running === false),
  );
  setContext("crewdeck.isFiltered", arrangement.isFiltered);
}

function showBadge(view: SummaryView, waiting: number): void {
  if ((view.badge?.value ?? 0) === waiting) return;
  const tooltip =
    waiting === 1
      ? vscode.l10n.t("1 execution waits for you")
      : vscode.l10n.t("{0} executions wait for you", waiting);
  view.badge = waiting === 0 ? undefined : { value: waiting, tooltip };
}

/** VS Code shows no welcome below a message (observed), so that a filter that nothing passes is named beside the view's title instead. */
function showFilter(view: SummaryView, arrangement: Arrangement): void {
  const words = arrangement.isFiltered ? filterInWords(arrangement.rules.filter) : undefined;
  const isEmpty = arrangement.groups().length === 0;
  const message =
    words === undefined || isEmpty ? undefined : [words, hiddenInWords(arrangement)].join(" – ");
  const description = isEmpty ? words : undefined;
  if (view.message !== message) view.message = message;
  if (view.description !== description) view.description = description;
}

/** "38 of 40 hidden, 1 of them waits for you". */
function hiddenInWords(arrangement: Arrangement): string {
  const { hidden, size } = arrangement;
  const waiting = countWaiting(hidden);
  const words = vscode.l10n.t("{0} of {1} hidden", hidden.length, size);
  if (waiting === 0) return words;
  return waiting === 1
    ? vscode.l10n.t("{0}, 1 of them waits for you", words)
    : vscode.l10n.t("{0}, {1} of them wait for you", words, waiting);
}

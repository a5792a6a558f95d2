import * as vscode from "vscode";
import type { Arrangement } from "./arrangement.ts";
import { isSet, noFilter, type Filter } from "./filter.ts";
import { groupingInWords, groupings, type Grouping } from "./grouping.ts";
import { standingInWords, standings, type Standing } from "./standing.ts";

/** Asks what the executions are to be grouped by; the present one is marked and chosen first. Nothing when the person cancels. */
export async function askForGrouping(present: Grouping): Promise<Grouping | undefined> {
  const items = groupings.map((grouping) => ({
    label:
      grouping === present ? `$(check) ${groupingInWords(grouping)}` : groupingInWords(grouping),
    ...(grouping === present ? { description: vscode.l10n.t("as now") } : {}),
    grouping,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Group executions"),
    placeHolder: vscode.l10n.t("Group executions by"),
  });
  return chosen?.grouping;
}

interface StateItem extends vscode.QuickPickItem {
  readonly standing: Standing;
}

/**
 * Asks in one box for both parts of a filter: what is typed is the text, what is checked are the states. How many executions
 * would be shown is told all along. Nothing when the person cancels.
 */
export function askForFilter(arrangement: Arrangement): Promise<Filter | undefined> {
  const { filter } = arrangement.rules;
  const pick = vscode.window.createQuickPick<StateItem>();
  pick.canSelectMany = true;
  pick.ignoreFocusOut = true;
  pick.placeholder = vscode.l10n.t("Words in title, crew, ID or inputs; check states below");
  pick.value = filter.text;
  const count = (standing: Standing) => arrangement.count({ ...noFilter, states: [standing] });
  // The text must not narrow the list of states: it looks for executions.
  pick.items = standings.map((standing) => ({
    label: standingInWords(standing),
    description: String(count(standing)),
    alwaysShow: true,
    standing,
  }));
  pick.selectedItems = pick.items.filter(({ standing }) => filter.states.includes(standing));
  const asked = (): Filter => {
    const states = pick.selectedItems.map(({ standing }) => standing);
    return {
      text: pick.value.trim(),
      states:
        states.length === standings.length ? [] : standings.filter((each) => states.includes(each)),
    };
  };
  const tell = () => {
    pick.title = isSet(asked())
      ? vscode.l10n.t(
          "Filter executions: {0} of {1} shown",
          arrangement.count(asked()),
          arrangement.size,
        )
      : vscode.l10n.t("Filter executions");
  };
  tell();
  return new Promise((resolve) => {
    pick.onDidChangeValue(tell);
    pick.onDidChangeSelection(tell);
    pick.onDidAccept(() => {
      resolve(asked());
      pick.dispose();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

import * as vscode from "vscode";
import type { ExecutionState } from "../../executions/model.ts";
import { stateName } from "../../view/words.ts";
import type { Arrangement } from "./arrangement.ts";
import { groupingLabel, groupings, groupStates, isSet, noFilter } from "./grouping.ts";
import type { Filter, Grouping } from "./grouping.ts";

export async function askForGrouping(present: Grouping): Promise<Grouping | undefined> {
  const items = groupings.map((grouping) => {
    const label = groupingLabel(grouping);
    return grouping === present
      ? { label: `$(check) ${label}`, description: vscode.l10n.t("current"), grouping }
      : { label, grouping };
  });
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Group Executions"),
    placeHolder: vscode.l10n.t("Group executions by"),
  });
  return chosen?.grouping;
}

/** The title shows how many pass. Undefined if cancelled. */
export function askForFilter(arrangement: Arrangement): Promise<Filter | undefined> {
  const { filter } = arrangement.rules;
  const pick = vscode.window.createQuickPick<
    vscode.QuickPickItem & { readonly state: ExecutionState }
  >();
  pick.canSelectMany = true;
  pick.ignoreFocusOut = true;
  pick.placeholder = vscode.l10n.t("Search in title, crew, ID and inputs; select states below");
  pick.value = filter.text;
  pick.items = groupStates.map((state) => ({
    label: stateName(state),
    description: String(arrangement.count({ ...noFilter, states: [state] })),
    // The text doesn't filter the states.
    alwaysShow: true,
    state,
  }));
  pick.selectedItems = pick.items.filter(({ state }) => filter.states.includes(state));
  const asked = (): Filter => {
    const selected = pick.selectedItems.map(({ state }) => state);
    const isAll = selected.length === groupStates.length;
    return {
      text: pick.value.trim(),
      states: isAll ? [] : groupStates.filter((state) => selected.includes(state)),
    };
  };
  const update = () => {
    const [shown, all] = [arrangement.count(asked()), arrangement.size];
    pick.title = isSet(asked())
      ? vscode.l10n.t("Filter Executions: {0} of {1} shown", shown, all)
      : vscode.l10n.t("Filter Executions");
  };
  update();
  return new Promise((resolve) => {
    pick.onDidChangeValue(update);
    pick.onDidChangeSelection(update);
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

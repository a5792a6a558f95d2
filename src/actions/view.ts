import * as v from "valibot";
import * as vscode from "vscode";
import { messageOf, NothingToDo } from "../base/errors.ts";
import { choice, flag, oneOf, read, text } from "../editor/arguments.ts";
import { hasContext, type ContextKey, setContext } from "../editor/manifest.ts";
import { log } from "../editor/log.ts";
import { showStatus } from "../editor/messages.ts";
import { nextToReview, toReview } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { workspaceProjects } from "../local/projects.ts";
import {
  type Filter,
  type Grouping,
  groupingLabel,
  groupings,
  groupStates,
  noFilter,
  passes,
} from "../views/tree/arrangement.ts";
import { stateName } from "../view/words.ts";
import type { ExecutionTree } from "../views/tree/tree.ts";
import type { Pages } from "../views/page/register.ts";
import { namesOf, type Targets } from "./targets.ts";

export interface ViewParts {
  readonly targets: Pick<Targets, "active">;
  readonly store: Pick<ExecutionStore, "list">;
  readonly page: Pick<Pages, "open">;
  readonly tree: Pick<ExecutionTree, "arrangement">;
}

/** Grouping takes `{by}`, filtering `{text?, states?}`; both return what is set. `nextToReview` takes `{back?}`. */
export function viewVerbs(parts: ViewParts) {
  const { arrangement } = parts.tree;
  return {
    nextToReview: (argument: unknown) =>
      openNext(parts, read({ back: flag }, argument).back ? -1 : 1),
    async groupExecutions(argument: unknown) {
      const { by = await askForGrouping(arrangement.rules.grouping) } = read(
        { by: oneOf(groupings) },
        argument,
      );
      if (by !== undefined) await arrangement.groupBy(by);
      return by;
    },
    async filterExecutions(argument: unknown) {
      const filter = filterIn(argument) ?? (await askForFilter(parts));
      if (filter !== undefined) arrangement.setFilter(filter);
      return filter;
    },
    clearFilter: () => arrangement.setFilter(noFilter),
    async takeTour() {
      setContext("crewdeck.hasProject", (await workspaceProjects()).length > 0);
      for (const [step, ...keys] of tourSteps) if (keys.some(hasContext)) await markDone(step);
      const open = "workbench.action.openWalkthrough";
      await vscode.commands.executeCommand(open, "crewdeck.crewdeck#start", false);
    },
  };
}

const tourSteps: readonly (readonly [step: string, ...keys: ContextKey[]])[] = [
  ["serve", "crewdeck.servesWorkspace"],
  ["connect", "crewdeck.hasCrews"],
  ["kickoff", "crewdeck.hasExecutions"],
  ["read", "crewdeck.hasAnswered"],
  ["answer", "crewdeck.hasAnswered"],
];

/** The first time in a window, VS Code ignores context keys that are already set (observed in 1.139). */
async function markDone(step: string): Promise<void> {
  try {
    const id = `crewdeck.crewdeck#start#${step}`;
    await vscode.commands.executeCommand("welcome.markStepComplete", id);
  } catch (error) {
    // For a walkthrough that isn't loaded, it stores the step and then fails (observed in 1.139).
    log.debug(`Completing the step ${step}: ${messageOf(error)}`);
  }
}

async function openNext({ targets, store, page }: ViewParts, step: 1 | -1) {
  const all = store.list();
  if (toReview(all).length === 0)
    throw new NothingToDo(vscode.l10n.t("No execution waits for you."));
  const next = nextToReview(all, targets.active()?.localId, step);
  if (next === undefined) {
    showStatus(vscode.l10n.t("Nothing else waits for you."));
    return undefined;
  }
  await page.open(next);
  return namesOf(next);
}

function filterIn(argument: unknown): Filter | undefined {
  const list = vscode.l10n.t("a list");
  const members = { text, states: v.exactOptional(v.array(choice(groupStates), list)) };
  const { text: given, states } = read(members, argument);
  if (given === undefined && states === undefined) return undefined;
  return { text: given ?? "", states: groupStates.filter((each) => states?.includes(each)) };
}

async function askForGrouping(present: Grouping): Promise<Grouping | undefined> {
  const placeHolder = vscode.l10n.t("Group executions by");
  const items = groupings.map((grouping) => ({
    label: `${grouping === present ? "$(check) " : ""}${groupingLabel(grouping)}`,
    grouping,
  }));
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.grouping;
}

async function askForFilter({ tree, store }: ViewParts): Promise<Filter | undefined> {
  const { filter } = tree.arrangement.rules;
  const title = vscode.l10n.t("Filter Executions");
  const prompt = vscode.l10n.t("Search in title, crew, ID and the beginnings of inputs");
  const asked = await vscode.window.showInputBox({ title, prompt, value: filter.text });
  if (asked === undefined) return undefined;
  const items = groupStates.map((state) => ({
    label: stateName(state),
    description: String(store.list().filter(passes({ text: "", states: [state] })).length),
    picked: filter.states.includes(state),
    state,
  }));
  const placeHolder = vscode.l10n.t("States; all if none is selected");
  const options = { title, placeHolder, canPickMany: true } as const;
  const picked = await vscode.window.showQuickPick(items, options);
  if (picked === undefined) return undefined;
  const isAll = picked.length === groupStates.length;
  return { text: asked.trim(), states: isAll ? [] : picked.map(({ state }) => state) };
}

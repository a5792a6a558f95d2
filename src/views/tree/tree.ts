import * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import type { Crews } from "../../crews/crews.ts";
import type { Crew } from "../../crews/types.ts";
import { logProblem } from "../../editor/log.ts";
import { setContext, viewId } from "../../editor/manifest.ts";
import type { ExecutionChange } from "../../executions/execution-list.ts";
import { type ExecutionSummary, hasEnded, waitsForPerson } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import type { Tracker, TrackerChange } from "../../executions/tracker.ts";
import { elapsedLabel } from "../../view/words.ts";
import type { CurrentCircumstances } from "../circumstances.ts";
import { waitingSentence } from "../status-bar.ts";
import { Arrangement } from "./arrangement.ts";
import { CrewTokenStates } from "./crew-token-states.ts";
import { crewGroup, filterLabel, inOrder, nextDay, waitingGroup } from "./grouping.ts";
import { type ExecutionNode, KnownNodes, type TreeNode } from "./nodes.ts";
import type { TreeChoices } from "./register.ts";
import { isOpenAtFirst } from "./rows.ts";
import { TreeItems } from "./tree-items.ts";

export interface ExecutionTreeOptions {
  readonly store: Pick<ExecutionStore, "list" | "summary" | "withInput" | "onDidChange">;
  readonly crews: Pick<Crews, "tokenState" | "onDidChangeToken">;
  readonly tracker: Pick<Tracker, "parkedCrews">;
  readonly circumstances: Pick<CurrentCircumstances, "of" | "connected" | "onDidChange">;
  readonly clock: Clock;
  readonly choices: Pick<TreeChoices, "rules" | "onDidChange">;
  readonly createView?: (provider: vscode.TreeDataProvider<TreeNode>) => vscode.TreeView<TreeNode>;
}

/** How often elapsed times are updated (ms). */
const timesInterval = 10_000;

const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;

export class ExecutionTree implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  readonly #options: ExecutionTreeOptions;
  readonly #changed = new vscode.EventEmitter<TreeNode[] | undefined>();
  readonly #nodes = new KnownNodes();
  readonly #tokens: CrewTokenStates;
  /** Local IDs: VS Code keeps expansion and selection by row ID, which includes the group. */
  readonly #expanded = new Set<string>();
  readonly #items: TreeItems;
  readonly #subscriptions: vscode.Disposable;
  #cancelMidnight: (() => void) | undefined;
  #cancelTimes: (() => void) | undefined;
  readonly arrangement: Arrangement;
  readonly view: vscode.TreeView<TreeNode>;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(options: ExecutionTreeOptions) {
    this.#options = options;
    const { store, crews, circumstances, clock, choices } = options;
    this.arrangement = new Arrangement((text) => store.withInput(text));
    this.view =
      options.createView?.(this) ??
      vscode.window.createTreeView(viewId, {
        treeDataProvider: this,
        showCollapseAll: true,
        canSelectMany: true,
      });
    this.#tokens = new CrewTokenStates(crews, circumstances, clock, () => this.view.visible);
    this.#items = new TreeItems(options, this.arrangement, this.#tokens);
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      this.view,
      this.#tokens,
      store.onDidChange((change) => this.#storeChanged(change)),
      this.#tokens.onDidChange((ids) => this.#update(this.#crewRows(ids))),
      circumstances.onDidChange((change) => {
        if (change !== undefined) this.#circumstancesChanged(change);
        else {
          this.#update(undefined);
          this.#tokens.look();
        }
      }),
      this.view.onDidExpandElement(({ element }) => {
        if (element.kind === "execution") this.#expanded.add(element.localId);
      }),
      this.view.onDidCollapseElement(({ element }) => {
        if (element.kind === "execution") this.#expanded.delete(element.localId);
      }),
      choices.onDidChange(() => this.#arrange()),
      this.view.onDidChangeVisibility(() => {
        this.#planTimes();
        this.#tokens.look();
      }),
    );
    this.#arrange();
    this.#tokens.look();
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    // The next refresh removes a row without content.
    return this.#items.item(node, this.#stateOf(node)) ?? new vscode.TreeItem("");
  }

  resolveTreeItem(item: vscode.TreeItem, node: TreeNode): vscode.TreeItem {
    item.tooltip = this.#items.tooltip(node);
    return item;
  }

  getChildren(node?: TreeNode): TreeNode[] {
    if (node === undefined) return this.#groups().map((group) => this.#nodes.group(group));
    switch (node.kind) {
      case "crew":
        return this.arrangement.has(crewGroup(node.crew))
          ? this.#childrenOf(crewGroup(node.crew))
          : [this.#nodes.hint(node.crew)];
      case "group":
        return this.#childrenOf(node.group);
      case "execution":
        return this.#tasksOf(node).map(({ taskId }) => this.#nodes.task(node, taskId));
      default:
        return [];
    }
  }

  getParent(node: TreeNode): TreeNode | undefined {
    switch (node.kind) {
      case "hint":
        return this.#nodes.group(crewGroup(node.crew));
      case "execution":
      case "more":
        return this.#nodes.group(node.group);
      case "task":
        return this.#nodes.executionOf(node);
      default:
        return undefined;
    }
  }

  async showMore(group: string): Promise<void> {
    const next = this.arrangement.showMore(group);
    this.#update([this.#nodes.group(group)]);
    if (next !== undefined)
      await this.view.reveal(this.#nodes.execution(group, next), { select: true, focus: true });
  }

  dispose(): void {
    this.#cancelMidnight?.();
    this.#cancelTimes?.();
    this.#subscriptions.dispose();
  }

  /** Includes connected crews without executions, unless filtered. */
  #groups(): readonly string[] {
    const { arrangement } = this;
    const { grouping } = arrangement.rules;
    const top = arrangement.has(waitingGroup) ? [waitingGroup] : [];
    const found = arrangement.groups().filter((group) => group !== waitingGroup);
    if (grouping !== "crew") return [...top, ...inOrder(found, grouping)];
    const connected = this.#connectedGroups();
    return [
      ...top,
      ...connected.filter((group) => !arrangement.isFiltered || arrangement.has(group)),
      ...found.filter((group) => !connected.includes(group)).sort(),
    ];
  }

  /** Crews of the open workspace first. */
  #connectedGroups(): readonly string[] {
    const crews = [...this.#options.circumstances.connected.values()];
    const isHere = ({ local }: Crew) =>
      local !== undefined &&
      vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(local.folder)) !== undefined;
    return [...crews.filter(isHere), ...crews.filter((crew) => !isHere(crew))].map(({ id }) =>
      crewGroup(id),
    );
  }

  #childrenOf(group: string): TreeNode[] {
    const rows = this.arrangement
      .shown(group)
      .map((execution) => this.#nodes.execution(group, execution));
    return this.arrangement.moreOf(group) > 0 ? [...rows, this.#nodes.more(group)] : rows;
  }

  #tasksOf({ localId }: ExecutionNode): ExecutionSummary["tasks"] {
    return this.#options.store.summary(localId)?.tasks ?? [];
  }

  #stateOf(node: TreeNode): vscode.TreeItemCollapsibleState {
    switch (node.kind) {
      // VS Code doesn't expand a row that had no children at first, so an empty crew has a hint.
      case "crew":
        return Expanded;
      case "group":
        return isOpenAtFirst(node.group, this.#options.clock.now()) ? Expanded : Collapsed;
      case "execution":
        if (this.#tasksOf(node).length === 0) return None;
        return this.#expanded.has(node.localId) ? Expanded : Collapsed;
      default:
        return None;
    }
  }

  #circumstancesChanged({ crewIds, localIds }: TrackerChange): void {
    // Without executions, the change concerns all open ones of these crews.
    const open = (execution: ExecutionSummary) =>
      crewIds.includes(execution.crew.id) && !hasEnded(execution);
    const { store } = this.#options;
    const concerned =
      localIds.length > 0
        ? localIds.flatMap((id) => store.summary(id) ?? [])
        : store.list().filter(open);
    this.#update([...this.#crewRows(crewIds), ...this.#rowsOf(concerned)]);
  }

  #storeChanged(change: ExecutionChange): void {
    for (const { localId } of change.removed) {
      this.#nodes.forget(localId);
      this.#expanded.delete(localId);
    }
    const { otherGroups, groups, rows } = this.arrangement.apply(
      this.#options.store.list(),
      change,
    );
    // A connected crew's row stays without executions.
    const connected = this.#connectedGroups();
    const hasSameTop =
      otherGroups.length === 0 ||
      (!this.arrangement.isFiltered && otherGroups.every((group) => connected.includes(group)));
    const nodes = rows
      .filter(({ before, after }) => this.#items.looksDifferent(before, after))
      .flatMap(({ after }) => this.#rowsOf([after]))
      .filter(({ group }) => !groups.has(group));
    const parents = [...groups].map((group) => this.#nodes.group(group));
    this.#update(hasSameTop ? [...parents, ...new Set(nodes)] : undefined);
  }

  #arrange(): void {
    const { store, choices } = this.#options;
    this.arrangement.arrange(store.list(), choices.rules);
    this.#update(undefined);
    this.#planMidnight();
  }

  /** "Today" and "Yesterday" change at midnight. */
  #planMidnight(): void {
    const { clock } = this.#options;
    this.#cancelMidnight?.();
    if (this.arrangement.rules.grouping !== "day") return;
    this.#cancelMidnight = clock.after(nextDay(clock.now()) - clock.now(), () => {
      this.#update(undefined);
      this.#planMidnight();
    });
  }

  #planTimes(): void {
    const { store, clock } = this.#options;
    const running = () =>
      store.list().filter((each) => !hasEnded(each) && each.watchingStoppedAt === undefined);
    if (!this.view.visible || running().length === 0) {
      this.#cancelTimes?.();
      this.#cancelTimes = undefined;
      return;
    }
    const before = clock.now();
    this.#cancelTimes ??= clock.after(timesInterval, () => {
      this.#cancelTimes = undefined;
      const now = clock.now();
      const changed = running().filter(
        (execution) => elapsedLabel(execution, before) !== elapsedLabel(execution, now),
      );
      this.#update(this.#rowsOf(changed));
    });
  }

  #update(nodes: readonly TreeNode[] | undefined): void {
    if (nodes === undefined || nodes.length > 0) {
      this.#changed.fire(nodes && [...nodes]);
      this.#followSelection();
    }
    const crews = [...this.#options.circumstances.connected.values()];
    showSummary(this.view, this.#options.store.list(), crews, this.arrangement);
    this.#planTimes();
  }

  #crewRows(ids: readonly string[]): readonly TreeNode[] {
    return ids.flatMap((id) => this.#nodes.knownCrew(id) ?? []);
  }

  #rowsOf(executions: readonly ExecutionSummary[]): readonly ExecutionNode[] {
    return executions.flatMap((execution) => {
      const group = this.arrangement.groupOf(execution.localId);
      return (group === undefined ? undefined : this.#nodes.rowOf(execution, group)) ?? [];
    });
  }

  /** Selects a row that moved to another group. Not while the view is hidden: revealing opens it. */
  #followSelection(): void {
    const [selected, another] = this.view.selection;
    if (!this.view.visible || selected === undefined || !("localId" in selected)) return;
    // Revealing one would end the selection of the others.
    if (another !== undefined) return;
    const { localId } = selected;
    const group = this.arrangement.groupOf(localId);
    if (group === undefined || group === selected.group) return;
    const execution = this.arrangement.shown(group).find((each) => each.localId === localId);
    if (execution === undefined) return;
    const row = this.#nodes.execution(group, execution);
    const moved = selected.kind === "task" ? this.#nodes.task(row, selected.taskId) : row;
    this.view
      .reveal(moved, { select: true, focus: false })
      .then(undefined, (error: unknown) => logProblem("Selecting a moved row", error));
  }
}

type SummaryView = Pick<vscode.TreeView<unknown>, "badge"> & {
  message?: string | undefined;
  description?: string | undefined;
};

function showSummary(
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

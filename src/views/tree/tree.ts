import * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import type { Crews } from "../../crews/crews.ts";
import { viewId } from "../../editor/manifest.ts";
import type { ExecutionChange } from "../../executions/known.ts";
import { hasEnded, type ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import type { Tracker } from "../../executions/tracker.ts";
import type { Kickoffs } from "../kickoffs.ts";
import { elapsedLabel } from "../../view/words.ts";
import type { Prices } from "../prices.ts";
import { Arrangement } from "./arrangement.ts";
import { CrewWatch } from "./crew-watch.ts";
import { FollowedSelection } from "./followed-selection.ts";
import { crewGroup, inOrder, nextDay, waitingGroup } from "./grouping.ts";
import { KnownNodes, type ExecutionNode, type TaskNode, type TreeNode } from "./nodes.ts";
import type { TreeChoices } from "./register.ts";
import { isOpenAtFirst } from "./rows.ts";
import { showSummary } from "./summary.ts";
import { TreeItems } from "./tree-items.ts";

export interface ExecutionTreeOptions {
  readonly store: Pick<ExecutionStore, "list" | "summary" | "withInput" | "onDidChange">;
  readonly crews: Pick<
    Crews,
    "canStop" | "list" | "tokenState" | "onDidChange" | "onDidChangeToken"
  >;
  readonly tracker: Pick<Tracker, "problemOf" | "parkedCrews" | "onDidChange">;
  readonly kickoffs: Pick<Kickoffs, "isUnderWay" | "onDidEnd">;
  readonly clock: Clock;
  readonly prices: Pick<Prices, "list" | "onDidChange">;
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
  readonly #crews: CrewWatch;
  readonly #selection: FollowedSelection;
  readonly #items: TreeItems;
  readonly #subscriptions: vscode.Disposable;
  #cancelMidnight: (() => void) | undefined;
  #cancelTimes: (() => void) | undefined;
  readonly arrangement: Arrangement;
  readonly view: vscode.TreeView<TreeNode>;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(options: ExecutionTreeOptions) {
    this.#options = options;
    const { store, crews, tracker, kickoffs, clock, choices, prices } = options;
    this.arrangement = new Arrangement((text) => store.withInput(text));
    this.view =
      options.createView?.(this) ??
      vscode.window.createTreeView(viewId, {
        treeDataProvider: this,
        showCollapseAll: true,
        canSelectMany: true,
      });
    this.#crews = new CrewWatch(crews, clock, () => this.view.visible);
    this.#selection = new FollowedSelection(this.view);
    this.#items = new TreeItems(options, this.arrangement, this.#crews);
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      this.view,
      this.#crews,
      this.#selection,
      store.onDidChange((change) => this.#storeChanged(change)),
      this.#crews.onDidChange((ids) => this.#update(ids && this.#crewRows(ids))),
      tracker.onDidChange(({ crewIds, localIds }) => {
        // Without executions, the change concerns all open ones of these crews.
        const open = (execution: ExecutionSummary) =>
          crewIds.includes(execution.crew.id) && !hasEnded(execution);
        const concerned =
          localIds.length > 0 ? this.#rowsById(localIds) : this.#rowsOf(store.list().filter(open));
        this.#update([...this.#crewRows(crewIds), ...concerned]);
      }),
      kickoffs.onDidEnd((localIds) => this.#update(this.#rowsById(localIds))),
      choices.onDidChange(() => this.#arrange()),
      prices.onDidChange(() => this.#update(undefined)),
      this.view.onDidChangeVisibility(() => {
        this.#planTimes();
        this.#crews.look();
      }),
    );
    this.#arrange();
    this.#crews.look();
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

  #connectedGroups(): readonly string[] {
    return [...this.#crews.connected.keys()].map(crewGroup);
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
        return this.#selection.wasExpanded(node) ? Expanded : Collapsed;
      default:
        return None;
    }
  }

  #storeChanged(change: ExecutionChange): void {
    for (const { localId } of change.removed) this.#nodes.forget(localId);
    const { isOtherGroups, groups, rows } = this.arrangement.apply(
      this.#options.store.list(),
      change,
    );
    // A connected crew's row stays without executions.
    const connected = this.#connectedGroups();
    const hasSameTop =
      !isOtherGroups ||
      (!this.arrangement.isFiltered && [...groups].every((group) => connected.includes(group)));
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
      this.#selection.follow((selected) => this.#movedRow(selected));
    }
    const crews = [...this.#crews.connected.values()];
    showSummary(this.view, this.#options.store.list(), crews, this.arrangement);
    this.#planTimes();
  }

  #crewRows(ids: readonly string[]): readonly TreeNode[] {
    return ids.flatMap((id) => this.#nodes.knownCrew(id) ?? []);
  }

  #rowsById(localIds: readonly string[]): readonly ExecutionNode[] {
    return this.#rowsOf(localIds.flatMap((id) => this.#options.store.summary(id) ?? []));
  }

  #rowsOf(executions: readonly ExecutionSummary[]): readonly ExecutionNode[] {
    return executions.flatMap((execution) =>
      this.#nodes.rowsOf(execution, this.arrangement.groupsOf(execution.localId)),
    );
  }

  /** Undefined if the row stayed or isn't shown. */
  #movedRow(selected: ExecutionNode | TaskNode): ExecutionNode | TaskNode | undefined {
    const { localId } = selected;
    const groups = this.arrangement.groupsOf(localId);
    const group = groups.at(-1);
    if (group === undefined || groups.includes(selected.group)) return undefined;
    const execution = this.arrangement.shown(group).find((each) => each.localId === localId);
    const row = execution && this.#nodes.execution(group, execution);
    return row && selected.kind === "task" ? this.#nodes.task(row, selected.taskId) : row;
  }
}

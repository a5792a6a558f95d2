import * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import type { Crews } from "../../crews/crews.ts";
import type { Crew } from "../../crews/types.ts";
import { viewId } from "../../editor/ids.ts";
import type { ExecutionChange } from "../../executions/known.ts";
import { hasEnded, type ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import type { Tracker } from "../../executions/tracker.ts";
import { Arrangement } from "./arrangement.ts";
import type { TreeChoices } from "./choices.ts";
import { ElapsedTimes } from "./elapsed.ts";
import { FollowedSelection } from "./followed-selection.ts";
import { isOpenAtFirst } from "./group-rows.ts";
import { crewGroup, inOrder, nextDay, waitingGroup } from "./grouping.ts";
import { KnownNodes } from "./known-nodes.ts";
import type { CrewNode, ExecutionNode, GroupNode, TreeNode } from "./nodes.ts";
import { RowsOf } from "./rows-of.ts";
import { showSummary } from "./summary.ts";
import { TokenWatch } from "./token-watch.ts";
import { tooltipOf, treeItem } from "./tree-item.ts";

/** What {@link ExecutionTree} shows. */
export interface ExecutionTreeOptions {
  readonly store: Pick<ExecutionStore, "list" | "summary" | "withInput" | "onDidChange">;
  readonly crews: Pick<Crews, "list" | "tokenState" | "onDidChange" | "onDidChangeToken">;
  readonly tracker: Pick<Tracker, "problemOf" | "parkedCrews" | "onDidChange">;
  readonly clock: Clock;
  readonly choices: Pick<TreeChoices, "rules" | "onDidChange">;
  /** Shows the rows; the extension's view where absent. */
  readonly createView?: (provider: vscode.TreeDataProvider<TreeNode>) => vscode.TreeView<TreeNode>;
}

/** Executions of a group that are shown at first, and more each time they are asked for. VS Code asks for every row of a group whenever one comes or goes; ten thousand would take it most of a second. */
const page = 500;

const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;

/** What waits, then crews, states or days; below them executions, the newest first; below those their tasks. A change refreshes its own row. */
export class ExecutionTree implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  readonly #options: ExecutionTreeOptions;
  readonly #changed = new vscode.EventEmitter<TreeNode[] | undefined>();
  readonly #nodes = new KnownNodes();
  /** How many executions of a group are shown, where more were asked for. */
  readonly #shown = new Map<string, number>();
  readonly #tokens: TokenWatch;
  readonly #elapsed: ElapsedTimes;
  readonly #selection: FollowedSelection;
  readonly #rows: RowsOf;
  readonly #subscriptions: vscode.Disposable;
  /** Connected crews by id, read once for each change of them: a row must not cost a look at the settings. */
  #crews: ReadonlyMap<string, Crew> | undefined;
  #stopAtMidnight: (() => void) | undefined;
  /** Where each execution stands. */
  readonly arrangement: Arrangement;
  readonly view: vscode.TreeView<TreeNode>;

  constructor(options: ExecutionTreeOptions) {
    this.#options = options;
    const { store, crews, tracker, clock, choices } = options;
    this.arrangement = new Arrangement((text) => store.withInput(text));
    const createView =
      options.createView ??
      ((treeDataProvider) =>
        vscode.window.createTreeView(viewId, { treeDataProvider, showCollapseAll: true }));
    this.view = createView(this);
    const isSeen = () => this.view.visible;
    this.#tokens = new TokenWatch({
      crews,
      clock,
      isSeen,
      changed: (crewIds) => this.#fire(crewIds.flatMap((id) => this.#nodes.knownCrew(id) ?? [])),
    });
    this.#elapsed = new ElapsedTimes({
      clock,
      find: (localId) => store.summary(localId),
      isSeen,
      onMoved: (executions) =>
        this.#fire(executions.flatMap((execution) => this.#rowsOf(execution))),
    });
    this.#selection = new FollowedSelection(
      this.view,
      (localId) => this.#usualRow(localId),
      (node, taskId) => this.#nodes.task(node, taskId),
    );
    this.#rows = new RowsOf({
      store,
      tracker,
      clock,
      arrangement: this.arrangement,
      crews: () => this.#connected(),
      tokens: (crewId) => this.#tokens.of(crewId),
      hidden: (group) => this.#hiddenOf(group),
    });
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      this.view,
      this.#tokens,
      this.#elapsed,
      this.#selection,
      store.onDidChange((change) => {
        this.#storeChanged(change);
      }),
      crews.onDidChange(() => {
        this.#crews = undefined;
        this.#fire(undefined);
        this.#tokens.look();
      }),
      crews.onDidChangeToken(() => {
        this.#tokens.look();
      }),
      tracker.onDidChange(({ crewIds, localIds }) => {
        // Where no execution is named, the crew may take its token no longer, or again: the rows of all that have not ended say so.
        const concerned =
          localIds.length > 0
            ? localIds.map((id) => store.summary(id))
            : store
                .list()
                .filter((execution) => crewIds.includes(execution.crew.id) && !hasEnded(execution));
        this.#fire([
          ...crewIds.flatMap((id) => this.#nodes.knownCrew(id) ?? []),
          ...concerned.flatMap((execution) => this.#rowsOf(execution)),
        ]);
      }),
      choices.onDidChange(() => {
        this.#arrange();
      }),
      this.view.onDidChangeVisibility(() => {
        this.#elapsed.plan();
        this.#tokens.look();
      }),
    );
    this.#arrange();
    this.#tokens.look();
  }

  readonly onDidChangeTreeData = this.#changed.event;

  getTreeItem(node: TreeNode): vscode.TreeItem {
    const row = this.#rows.node(node);
    // Removed between the question for rows and the question for this one; the next refresh takes the row away.
    if (row === undefined) return new vscode.TreeItem("");
    if (node.kind === "execution") this.#elapsed.show(node.localId);
    return treeItem(node, row, this.#stateOf(node));
  }

  resolveTreeItem(item: vscode.TreeItem, node: TreeNode): vscode.TreeItem {
    const row = this.#rows.node(node);
    if (row !== undefined) item.tooltip = tooltipOf(row);
    return item;
  }

  getChildren(node?: TreeNode): TreeNode[] {
    if (node === undefined) return this.#groups().map((group) => this.#nodes.group(group));
    switch (node.kind) {
      case "crew":
      case "group": {
        const group = node.kind === "crew" ? crewGroup(node.crew) : node.group;
        if (node.kind === "crew" && !this.arrangement.has(group))
          return [this.#nodes.hint(node.crew)];
        const shown = this.arrangement.members(group).slice(0, this.#shownOf(group));
        const rows = shown.map((execution) => this.#nodes.execution(group, execution));
        return this.#hiddenOf(group) > 0 ? [...rows, this.#nodes.more(group)] : rows;
      }
      case "execution":
        return (
          this.#options.store
            .summary(node.localId)
            ?.tasks.map(({ taskId }) => this.#nodes.task(node, taskId)) ?? []
        );
      case "task":
      case "hint":
      case "more":
        return [];
    }
  }

  getParent(node: TreeNode): TreeNode | undefined {
    switch (node.kind) {
      case "crew":
      case "group":
        return undefined;
      case "hint":
        return this.#nodes.group(crewGroup(node.crew));
      case "execution":
      case "more":
        return this.#nodes.group(node.group);
      case "task":
        return this.#nodes.executionOf(node);
    }
  }

  /** Shows more of a group's executions, and goes on with the first of them. */
  async showMore(group: string): Promise<void> {
    const shown = this.#shownOf(group);
    this.#shown.set(group, shown + page);
    this.#fire([this.#nodes.group(group)]);
    const next = this.arrangement.members(group)[shown];
    if (next !== undefined)
      await this.view.reveal(this.#nodes.execution(group, next), { select: true, focus: true });
  }

  dispose(): void {
    this.#stopAtMidnight?.();
    this.#subscriptions.dispose();
  }

  /** The groups of the first level: what waits, then the rest in the order of their kind. Connected crews are there also with nothing tracked, unless a filter looks for something. */
  #groups(): readonly string[] {
    const { arrangement } = this;
    const top = arrangement.has(waitingGroup) ? [waitingGroup] : [];
    const { grouping } = arrangement.rules;
    const found = arrangement.groups().filter((group) => group !== waitingGroup);
    if (grouping !== "crew") return [...top, ...inOrder(found, grouping)];
    const connected = [...this.#connected().keys()].map(crewGroup);
    const gone = found.filter((group) => !connected.includes(group)).sort();
    return [
      ...top,
      ...connected.filter((group) => !arrangement.isFiltered || arrangement.has(group)),
      ...gone,
    ];
  }

  #stateOf(node: TreeNode): vscode.TreeItemCollapsibleState {
    switch (node.kind) {
      // Never without children: VS Code leaves a row closed that had none when it first came.
      case "crew":
        return Expanded;
      case "group":
        return isOpenAtFirst(node.group, this.#options.clock.now()) ? Expanded : Collapsed;
      case "execution":
        if ((this.#options.store.summary(node.localId)?.tasks.length ?? 0) === 0) return None;
        return this.#selection.wasOpen(node) ? Expanded : Collapsed;
      case "task":
      case "hint":
      case "more":
        return None;
    }
  }

  #storeChanged(change: ExecutionChange): void {
    for (const { localId } of change.removed) this.#nodes.forget(localId);
    for (const { localId } of [...change.changed, ...change.removed]) this.#elapsed.follow(localId);
    const { isOtherGroups, groups, rows } = this.arrangement.apply(change);
    // A connected crew's row stays without executions.
    const connected = new Set([...this.#connected().keys()].map(crewGroup));
    const isSteady =
      !isOtherGroups ||
      (!this.arrangement.isFiltered && [...groups].every((group) => connected.has(group)));
    const changed = rows
      .filter(({ before, after }) => this.#rows.looksOther(before, after))
      .flatMap(({ after }) => this.#rowsOf(after));
    const anew = new Set(changed.filter(({ group }) => !groups.has(group)));
    this.#fire(
      isSteady ? [...[...groups].map((group) => this.#nodes.group(group)), ...anew] : undefined,
    );
  }

  #arrange(): void {
    const { store, choices } = this.#options;
    this.arrangement.arrange(store.list(), choices.rules);
    this.#fire(undefined);
    this.#planMidnight();
  }

  /** Days are named by today. */
  #planMidnight(): void {
    const { clock } = this.#options;
    this.#stopAtMidnight?.();
    if (this.arrangement.rules.grouping !== "day") return;
    this.#stopAtMidnight = clock.after(nextDay(clock.now()) - clock.now(), () => {
      this.#fire(undefined);
      this.#planMidnight();
    });
  }

  /** Nothing stands for the whole tree. */
  #fire(nodes: readonly (CrewNode | GroupNode | ExecutionNode)[] | undefined): void {
    if (nodes === undefined || nodes.length > 0) {
      this.#changed.fire(nodes === undefined ? undefined : [...nodes]);
      this.#selection.follow((localId) => this.arrangement.groupsOf(localId));
    }
    showSummary(
      this.view,
      this.#options.store.list(),
      [...this.#connected().values()],
      this.arrangement,
    );
    this.#elapsed.plan();
  }

  #shownOf(group: string): number {
    return this.#shown.get(group) ?? page;
  }

  #hiddenOf(group: string): number {
    return Math.max(0, this.arrangement.sizeOf(group) - this.#shownOf(group));
  }

  #connected(): ReadonlyMap<string, Crew> {
    this.#crews ??= new Map(this.#options.crews.list().map((crew) => [crew.id, crew]));
    return this.#crews;
  }

  #rowsOf(execution: ExecutionSummary | undefined): readonly ExecutionNode[] {
    return execution === undefined
      ? []
      : this.#nodes.rowsOf(execution, this.arrangement.groupsOf(execution.localId));
  }

  /** An execution's row at its usual place; nothing where the filter hides it. */
  #usualRow(localId: string): ExecutionNode | undefined {
    const [execution, group] = [
      this.#options.store.summary(localId),
      this.arrangement.groupsOf(localId).at(-1),
    ];
    if (execution === undefined || group === undefined) return undefined;
    // What is below all that is shown has no row.
    return this.arrangement.members(group).indexOf(execution) < this.#shownOf(group)
      ? this.#nodes.execution(group, execution)
      : undefined;
  }
}

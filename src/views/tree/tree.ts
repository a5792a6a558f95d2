import { isDeepStrictEqual } from "node:util";
import * as vscode from "vscode";
import type { Clock } from "../../api/clock.ts";
import type { Crews } from "../../crews/crews.ts";
import type { Crew } from "../../crews/types.ts";
import { viewId } from "../../editor/ids.ts";
import type { ExecutionChange } from "../../executions/known.ts";
import type { Execution } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import type { Tracker } from "../../executions/tracker.ts";
import { Arrangement } from "./arrangement.ts";
import type { TreeChoices } from "./choices.ts";
import { crewRow } from "./crew-row.ts";
import { ElapsedTimes } from "./elapsed.ts";
import { executionRow, taskRow, type ExecutionCircumstances } from "./execution-rows.ts";
import { FollowedSelection } from "./followed-selection.ts";
import { groupRow, isOpenAtFirst } from "./group-rows.ts";
import { crewGroup, inOrder, nextDay, partsOf, waitingGroup } from "./grouping.ts";
import { KnownNodes } from "./known-nodes.ts";
import { showAttempt, type CrewNode, type ExecutionNode, type GroupNode, type TaskNode, type TreeNode } from "./nodes.ts";
import { goneCrewRow, hintRow, type Row } from "./rows.ts";
import { showSummary } from "./summary.ts";
import { TokenWatch } from "./token-watch.ts";
import { tooltipOf, treeItem } from "./tree-item.ts";

/** What {@link ExecutionTree} shows. */
export interface ExecutionTreeOptions {
  readonly store: Pick<ExecutionStore, "list" | "find" | "onDidChange">;
  readonly crews: Pick<Crews, "list" | "tokenState" | "onDidChange" | "onDidChangeToken">;
  readonly tracker: Pick<Tracker, "problemOf" | "parkedCrews" | "onDidChange">;
  readonly clock: Clock;
  readonly choices: Pick<TreeChoices, "rules" | "onDidChange">;
  /** Shows the rows; the extension's view where absent. */
  readonly createView?: (provider: vscode.TreeDataProvider<TreeNode>) => vscode.TreeView<TreeNode>;
}

const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;

/** What waits, then crews, states or days; below them executions, the newest first; below those their tasks. A change refreshes its own row. */
export class ExecutionTree implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  readonly #options: ExecutionTreeOptions;
  readonly #changed = new vscode.EventEmitter<TreeNode[] | undefined>();
  readonly #nodes = new KnownNodes();
  readonly #tokens: TokenWatch;
  readonly #elapsed: ElapsedTimes;
  readonly #selection: FollowedSelection;
  readonly #subscriptions: vscode.Disposable;
  /** Connected crews by id, read once for each change of them: a row must not cost a look at the settings. */
  #crews: ReadonlyMap<string, Crew> | undefined;
  #stopAtMidnight: (() => void) | undefined;
  /** Where each execution stands. */
  readonly arrangement = new Arrangement();
  readonly view: vscode.TreeView<TreeNode>;

  constructor(options: ExecutionTreeOptions) {
    this.#options = options;
    const { store, crews, tracker, clock, choices } = options;
    const createView = options.createView ?? ((treeDataProvider) => vscode.window.createTreeView(viewId, { treeDataProvider, showCollapseAll: true }));
    this.view = createView(this);
    const isSeen = () => this.view.visible;
    this.#tokens = new TokenWatch({ crews, clock, isSeen, changed: (crewIds) => this.#fire(crewIds.flatMap((id) => this.#nodes.knownCrew(id) ?? [])) });
    this.#elapsed = new ElapsedTimes({ clock, find: (localId) => store.find(localId), isSeen, onMoved: (executions) => this.#fire(executions.flatMap((execution) => this.#rowsOf(execution))) });
    this.#selection = new FollowedSelection(this.view, (localId) => this.#usualRow(localId), (node, taskId) => this.#nodes.task(node, taskId));
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
        this.#fire([...crewIds.flatMap((id) => this.#nodes.knownCrew(id) ?? []), ...localIds.flatMap((id) => this.#rowsOf(store.find(id)))]);
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
    const row = this.#rowOf(node);
    // Removed between the question for rows and the question for this one; the next refresh takes the row away.
    if (row === undefined) return new vscode.TreeItem("");
    return treeItem(node, row, this.#stateOf(node));
  }

  resolveTreeItem(item: vscode.TreeItem, node: TreeNode): vscode.TreeItem {
    const row = this.#rowOf(node);
    if (row !== undefined) item.tooltip = tooltipOf(row);
    return item;
  }

  getChildren(node?: TreeNode): TreeNode[] {
    if (node === undefined) return this.#groups().map((group) => this.#nodes.group(group));
    switch (node.kind) {
      case "crew":
      case "group": {
        const group = node.kind === "crew" ? crewGroup(node.crew) : node.group;
        const rows = this.arrangement.members(group).map((execution) => this.#nodes.execution(group, execution));
        return rows.length === 0 && node.kind === "crew" ? [this.#nodes.hint(node.crew)] : rows;
      }
      case "execution":
        return this.#options.store.find(node.localId)?.tasks.map(({ taskId }) => this.#nodes.task(node, taskId)) ?? [];
      case "task":
      case "hint":
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
        return this.#nodes.group(node.group);
      case "task":
        return this.#nodes.executionOf(node);
    }
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
    return [...top, ...connected.filter((group) => !arrangement.isFiltered || arrangement.has(group)), ...gone];
  }

  #rowOf(node: TreeNode): Row | undefined {
    const { store, clock } = this.#options;
    switch (node.kind) {
      case "crew":
        return this.#crewRow(node);
      case "group":
        return groupRow(node.group, { size: this.arrangement.sizeOf(node.group), now: clock.now(), language: vscode.env.language });
      case "hint":
        return hintRow(this.#connected().get(node.crew)?.local?.running === false);
      case "execution":
      case "task": {
        const execution = store.find(node.localId);
        return execution && this.#executionRow(node, execution);
      }
    }
  }

  #crewRow({ crew: id }: CrewNode): Row | undefined {
    const { tracker } = this.#options;
    const crew = this.#connected().get(id);
    if (crew !== undefined) return crewRow(crew, { parked: tracker.parkedCrews().get(id), tokens: this.#tokens.of(id) });
    const some = this.arrangement.someOf(crewGroup(id));
    return some && goneCrewRow(some.crew);
  }

  #executionRow(node: ExecutionNode | TaskNode, execution: Execution): Row | undefined {
    showAttempt(node, execution);
    const circumstances = this.#circumstances(execution, node.group);
    if (node.kind === "task") {
      const task = execution.tasks.find(({ taskId }) => taskId === node.taskId);
      return task && taskRow(task, execution, circumstances);
    }
    this.#elapsed.show(execution);
    return executionRow(execution, this.#options.clock.now(), circumstances);
  }

  #circumstances(execution: Execution, group: string): ExecutionCircumstances {
    const { tracker } = this.#options;
    const crew = this.#connected().get(execution.crew.id);
    return {
      group: partsOf(group).kind,
      crew: crew === undefined ? "gone" : crew.local?.running === false ? "stopped" : "connected",
      problem: tracker.parkedCrews().has(execution.crew.id) ? undefined : tracker.problemOf(execution),
    };
  }

  #stateOf(node: TreeNode): vscode.TreeItemCollapsibleState {
    switch (node.kind) {
      // Never without children: VS Code leaves a row closed that had none when it first came.
      case "crew":
        return Expanded;
      case "group":
        return isOpenAtFirst(node.group, this.#options.clock.now()) ? Expanded : Collapsed;
      case "execution":
        if ((this.#options.store.find(node.localId)?.tasks.length ?? 0) === 0) return None;
        return this.#selection.wasOpen(node) ? Expanded : Collapsed;
      case "task":
      case "hint":
        return None;
    }
  }

  #storeChanged(change: ExecutionChange): void {
    for (const { localId } of change.removed) this.#nodes.forget(localId);
    for (const execution of [...change.changed, ...change.removed]) this.#elapsed.follow(execution);
    const { isOtherGroups, groups, rows } = this.arrangement.apply(change);
    // A connected crew's row stays without executions.
    const connected = new Set([...this.#connected().keys()].map(crewGroup));
    const isSteady = !isOtherGroups || (!this.arrangement.isFiltered && [...groups].every((group) => connected.has(group)));
    const changed = rows.filter(({ before, after }) => this.#looksOther(before, after)).flatMap(({ after }) => this.#rowsOf(after));
    this.#fire(isSteady ? [...[...groups].map((group) => this.#nodes.group(group)), ...changed.filter(({ group }) => !groups.has(group))] : undefined);
  }

  /** Whether a person would see a difference. A row that is drawn anew for nothing loses the click that is on its way to it. */
  #looksOther(before: Execution, after: Execution): boolean {
    const now = this.#options.clock.now();
    const looks = (execution: Execution) => {
      const circumstances = this.#circumstances(execution, "");
      return [executionRow(execution, now, circumstances), execution.tasks.map((task) => taskRow(task, execution, circumstances))];
    };
    return !isDeepStrictEqual(looks(before), looks(after));
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
    showSummary(this.view, this.#options.store.list(), [...this.#connected().values()], this.arrangement);
    this.#elapsed.plan();
  }

  #connected(): ReadonlyMap<string, Crew> {
    this.#crews ??= new Map(this.#options.crews.list().map((crew) => [crew.id, crew]));
    return this.#crews;
  }

  #rowsOf(execution: Execution | undefined): readonly ExecutionNode[] {
    return execution === undefined ? [] : this.#nodes.rowsOf(execution, this.arrangement.groupsOf(execution.localId));
  }

  /** An execution's row at its usual place; nothing where the filter hides it. */
  #usualRow(localId: string): ExecutionNode | undefined {
    const [execution, group] = [this.#options.store.find(localId), this.arrangement.groupsOf(localId).at(-1)];
    return execution && group !== undefined ? this.#nodes.execution(group, execution) : undefined;
  }
}

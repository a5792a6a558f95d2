import { isDeepStrictEqual } from "node:util";
import * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import type { Crews } from "../../crews/crews.ts";
import type { TokenState } from "../../crews/types.ts";
import { logged } from "../../editor/log.ts";
import { viewId } from "../../editor/manifest.ts";
import { type ExecutionSummary, hasEnded } from "../../executions/model.ts";
import type { ExecutionChange, ExecutionStore } from "../../executions/store.ts";
import { taskIn } from "../../executions/tasks.ts";
import type { Poller, PollerChange } from "../../executions/poller.ts";
import type { CurrentCircumstances } from "../circumstances.ts";
import { isHere, showSummary } from "../status-bar.ts";
import {
  Arrangement,
  crewGroup,
  executionNode,
  type ExecutionNode,
  groupNode,
  idOf,
  inOrder,
  KnownNodes,
  partsOf,
  showAttempt,
  type TreeNode,
  waitingGroup,
} from "./arrangement.ts";
import { executionRow, taskRow } from "./execution-rows.ts";
import {
  crewRow,
  goneCrewRow,
  groupRow,
  isOpenAtFirst,
  moreRow,
  plainRow,
  projectRow,
  type Row,
} from "./rows.ts";

interface ExecutionTreeOptions {
  readonly store: Pick<ExecutionStore, "find" | "list" | "summary" | "onDidChange">;
  readonly crews: Pick<Crews, "tokenState" | "onDidChangeToken">;
  readonly poller: Pick<Poller, "refusingCrews">;
  readonly circumstances: Pick<CurrentCircumstances, "of" | "connected" | "onDidChange">;
  readonly clock: Clock;
  readonly memento: Pick<vscode.Memento, "get" | "update">;
  readonly createView?: (provider: vscode.TreeDataProvider<TreeNode>) => vscode.TreeView<TreeNode>;
}

const timesInterval = 10_000;
/** Before it, no token is read, since activation reads no secret (ms). */
const tokenDelay = 5_000;
const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;

export class ExecutionTree implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  readonly #options: ExecutionTreeOptions;
  readonly #changed = new vscode.EventEmitter<TreeNode[] | undefined>();
  readonly #nodes = new KnownNodes();
  #top: readonly string[] = [];
  #unserved: readonly string[] = [];
  readonly #tokens = new Map<string, TokenState>();
  /** Local IDs: VS Code keeps expansion and selection by row ID, which includes the group. */
  readonly #expanded = new Set<string>();
  readonly #subscriptions: vscode.Disposable;
  readonly #openedAt: number;
  #cancelTimes: (() => void) | undefined;
  #cancelTokens: (() => void) | undefined;
  readonly arrangement: Arrangement;
  readonly view: vscode.TreeView<TreeNode>;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(options: ExecutionTreeOptions) {
    this.#options = options;
    const { store, crews, circumstances, clock, memento } = options;
    this.#openedAt = clock.now();
    this.arrangement = new Arrangement(memento, () => this.#arrange());
    this.view =
      options.createView?.(this) ??
      vscode.window.createTreeView(viewId, {
        treeDataProvider: this,
        showCollapseAll: true,
        canSelectMany: true,
      });
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      this.view,
      store.onDidChange((change) => this.#storeChanged(change)),
      crews.onDidChangeToken(() => this.#planTokens()),
      circumstances.onDidChange((change) => {
        if (change !== undefined) this.#circumstancesChanged(change);
        else {
          this.#update(undefined);
          this.#planTokens();
        }
      }),
      this.view.onDidExpandElement(({ element }) => {
        if (element.kind === "execution") this.#expanded.add(element.localId);
      }),
      this.view.onDidCollapseElement(({ element }) => {
        if (element.kind === "execution") this.#expanded.delete(element.localId);
      }),
      this.view.onDidChangeVisibility(() => {
        this.#planTimes();
        this.#planTokens();
      }),
    );
    this.#arrange();
    this.#planTokens();
  }

  set unserved(folders: readonly string[]) {
    if (isDeepStrictEqual(folders, this.#unserved)) return;
    this.#unserved = folders;
    this.#update(undefined);
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    const row = this.#row(node);
    // The next refresh removes a row without content.
    if (row === undefined) return new vscode.TreeItem("");
    const { id, color } = row.icon;
    const command = commandOf(node);
    return Object.assign(new vscode.TreeItem(row.label, this.#stateOf(node)), {
      id: idOf(node),
      description: row.description,
      iconPath: new vscode.ThemeIcon(id, color ? new vscode.ThemeColor(color) : undefined),
      contextValue: row.facts,
      accessibilityInformation: { label: row.sentence },
      ...(command && { command: { ...command, arguments: [node] } }),
    });
  }

  resolveTreeItem(item: vscode.TreeItem, node: TreeNode): vscode.TreeItem {
    item.tooltip = this.#row(node)?.tooltip.join("\n");
    return item;
  }

  getChildren(node?: TreeNode): TreeNode[] {
    if (node === undefined) {
      this.#top = this.#groups();
      return [...this.#top.map((group) => this.#groupNode(group)), ...this.#projects()];
    }
    switch (node.kind) {
      case "crew":
        return this.arrangement.members(crewGroup(node.crew)).length > 0
          ? this.#childrenOf(crewGroup(node.crew))
          : [this.#nodes.keep({ kind: "hint", crew: node.crew })];
      case "group":
        return this.#childrenOf(node.group);
      case "execution":
        return (this.#options.store.summary(node.localId)?.tasks ?? []).map(({ taskId }) =>
          this.#nodes.keep({ ...node, kind: "task", taskId }),
        );
      default:
        return [];
    }
  }

  getParent(node: TreeNode): TreeNode | undefined {
    switch (node.kind) {
      case "hint":
        return this.#groupNode(crewGroup(node.crew));
      case "execution":
      case "more":
        return this.#groupNode(node.group);
      case "task": {
        const { group, crew, localId, kickoffId } = node;
        return this.#nodes.keep({ kind: "execution", group, crew, localId, kickoffId });
      }
      default:
        return undefined;
    }
  }

  dispose(): void {
    this.#cancelTimes?.();
    this.#cancelTokens?.();
    this.#subscriptions.dispose();
  }

  #row(node: TreeNode): Row | undefined {
    const { store, poller, circumstances, clock } = this.#options;
    const crew = "crew" in node ? circumstances.connected.get(node.crew) : undefined;
    switch (node.kind) {
      case "crew": {
        const refusing = poller.refusingCrews().get(node.crew);
        if (crew !== undefined)
          return crewRow(crew, { refusing, tokens: this.#tokens.get(node.crew) });
        const some = this.arrangement.members(crewGroup(node.crew))[0];
        return some && goneCrewRow(some.crew);
      }
      case "group": {
        const size = this.arrangement.members(node.group).length;
        return groupRow(node.group, size, vscode.env.language);
      }
      case "hint":
        return plainRow(vscode.l10n.t("Kick off…"), "play", "hint");
      case "project":
        return projectRow(vscode.Uri.parse(node.folder).fsPath);
      case "more":
        return moreRow(this.arrangement.moreOf(node.group));
      case "execution":
      case "task": {
        // The summary of an execution may lack its tasks' times.
        const execution = store[node.kind === "task" ? "find" : "summary"](node.localId);
        if (execution === undefined) return undefined;
        showAttempt(node, execution);
        const known = circumstances.of(execution);
        if (node.kind === "execution")
          return executionRow(execution, clock.now(), known, partsOf(node.group).kind);
        const task = taskIn(execution.tasks, node.taskId);
        return task && taskRow(task, execution, known);
      }
    }
  }

  #groupNode(group: string): TreeNode {
    return this.#nodes.keep(groupNode(group));
  }

  #groups(): readonly string[] {
    const { arrangement } = this;
    const { grouping } = arrangement.rules;
    const top = arrangement.groups().filter((group) => group === waitingGroup);
    const found = arrangement.groups().filter((group) => group !== waitingGroup);
    if (grouping !== "crew") return [...top, ...inOrder(found, grouping)];
    // Crews of the open workspace first.
    const crews = [...this.#options.circumstances.connected.values()];
    const connected = [...crews.filter(isHere), ...crews.filter((crew) => !isHere(crew))].map(
      ({ id }) => crewGroup(id),
    );
    return [
      ...top,
      ...connected.filter((group) => !arrangement.isFiltered || found.includes(group)),
      ...found.filter((group) => !connected.includes(group)).sort(),
    ];
  }

  /** Below crews: a view with nothing else has the welcome, which serves them, too. */
  #projects(): TreeNode[] {
    const { isFiltered, rules } = this.arrangement;
    if (this.#top.length === 0 || isFiltered || rules.grouping !== "crew") return [];
    return this.#unserved.map((folder) =>
      this.#nodes.keep({ kind: "project", folder, here: true }),
    );
  }

  #childrenOf(group: string): TreeNode[] {
    const rows = this.arrangement
      .shown(group)
      .map((execution) => this.#nodes.keep(executionNode(group, execution)));
    return this.arrangement.moreOf(group) > 0
      ? [...rows, this.#nodes.keep({ kind: "more", group })]
      : rows;
  }

  #stateOf(node: TreeNode): vscode.TreeItemCollapsibleState {
    switch (node.kind) {
      // VS Code doesn't expand a row that had no children at first, so an empty crew has a hint.
      case "crew":
        return Expanded;
      case "group":
        return isOpenAtFirst(node.group, this.#options.clock.now()) ? Expanded : Collapsed;
      case "execution":
        if (!this.#options.store.summary(node.localId)?.tasks.length) return None;
        return this.#expanded.has(node.localId) ? Expanded : Collapsed;
      default:
        return None;
    }
  }

  #circumstancesChanged({ crewIds, localIds }: PollerChange): void {
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
    const removed = new Set(change.removed.map(({ localId }) => localId));
    if (removed.size > 0) this.#nodes.forget(removed);
    for (const localId of removed) this.#expanded.delete(localId);
    const { groups, rows } = this.arrangement.apply(this.#options.store.list(), change);
    if (!isDeepStrictEqual(this.#groups(), this.#top)) {
      this.#update(undefined);
      return;
    }
    const changed = rows.filter(({ before, after }) => this.#looksDifferent(before, after));
    const nodes = this.#rowsOf(changed.map(({ after }) => after));
    this.#update([
      ...[...groups].map((group) => this.#groupNode(group)),
      ...nodes.filter(({ group }) => !groups.has(group)),
    ]);
  }

  /** A needless update of a row can lose a click on it. */
  #looksDifferent(before: ExecutionSummary, after: ExecutionSummary): boolean {
    const now = this.#options.clock.now();
    const circumstances = this.#options.circumstances.of(after);
    const rows = (execution: ExecutionSummary) => [
      executionRow(execution, now, circumstances),
      execution.tasks.map((task) => taskRow(task, execution, circumstances)),
    ];
    return !isDeepStrictEqual(rows(before), rows(after));
  }

  #arrange(): void {
    this.arrangement.arrange(this.#options.store.list());
    this.#update(undefined);
  }

  #planTimes(): void {
    const { store, circumstances, clock } = this.#options;
    const running = () => store.list().filter((each) => !hasEnded(each));
    if (!this.view.visible || running().length === 0) {
      this.#cancelTimes?.();
      this.#cancelTimes = undefined;
      return;
    }
    const before = clock.now();
    this.#cancelTimes ??= clock.after(timesInterval, () => {
      this.#cancelTimes = undefined;
      const changed = running().filter((each) => {
        const said = (at: number) => executionRow(each, at, circumstances.of(each)).description;
        return said(before) !== said(clock.now());
      });
      this.#update(this.#rowsOf(changed));
    });
  }

  #planTokens(): void {
    const { clock } = this.#options;
    if (!this.view.visible) return;
    const delay = Math.max(0, this.#openedAt + tokenDelay - clock.now());
    this.#cancelTokens ??= clock.after(delay, () => {
      this.#cancelTokens = undefined;
      this.#readTokens().catch(logged("Checking tokens"));
    });
  }

  async #readTokens(): Promise<void> {
    const { crews, circumstances } = this.#options;
    const changed: string[] = [];
    for (const id of circumstances.connected.keys()) {
      const state = await crews.tokenState(id);
      if (!isDeepStrictEqual(state, this.#tokens.get(id))) changed.push(id);
      this.#tokens.set(id, state);
    }
    if (changed.length > 0) this.#update(this.#crewRows(changed));
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
    return ids.flatMap((crew) => this.#nodes.known({ kind: "crew", crew }));
  }

  #rowsOf(executions: readonly ExecutionSummary[]): readonly ExecutionNode[] {
    return executions.flatMap((execution) => {
      const group = this.arrangement.groupOf(execution.localId);
      return group === undefined ? [] : this.#nodes.known(executionNode(group, execution));
    });
  }

  /** Selects a row that moved to another group. Not while the view is hidden: revealing opens it. */
  #followSelection(): void {
    const [selected, another] = this.view.selection;
    if (!this.view.visible || selected === undefined || !("localId" in selected)) return;
    // Revealing one would end the selection of the others.
    if (another !== undefined) return;
    const group = this.arrangement.groupOf(selected.localId);
    if (group === undefined || group === selected.group) return;
    if (!this.arrangement.shown(group).some(({ localId }) => localId === selected.localId)) return;
    this.view
      .reveal(this.#nodes.keep({ ...selected, group }), { select: true, focus: false })
      .then(undefined, logged("Selecting a moved row"));
  }
}

function commandOf({ kind }: TreeNode): vscode.Command | undefined {
  if (kind === "crew" || kind === "group") return undefined;
  if (kind === "project")
    return { title: vscode.l10n.t("Serve…"), command: "crewdeck.startLocalCrew" };
  if (kind === "hint") return { title: vscode.l10n.t("Kick Off…"), command: "crewdeck.kickoff" };
  if (kind === "more")
    return { title: vscode.l10n.t("Filter Executions…"), command: "crewdeck.filterExecutions" };
  return { title: vscode.l10n.t("Open Execution"), command: "crewdeck.openExecution" };
}

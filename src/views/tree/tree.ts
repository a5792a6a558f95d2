import * as vscode from "vscode";
import type { Clock } from "../../api/clock.ts";
import type { Crews } from "../../crews/crews.ts";
import { setContext } from "../../editor/context.ts";
import { viewId } from "../../editor/ids.ts";
import { hasEnded, keyOf, type CrewRef, type Execution } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import type { Tracker } from "../../executions/tracker.ts";
import { crewRow } from "./crew-row.ts";
import { TokenWatch } from "./token-watch.ts";
import { treeItem } from "./tree-item.ts";
import { showAttempt, type CrewNode, type ExecutionNode, type HintNode, type TaskNode, type TreeNode } from "./nodes.ts";
import { executionRow, goneCrewRow, hintRow, taskRow } from "./rows.ts";
import { elapsedInWords } from "../words.ts";

/** Milliseconds between two looks at elapsed times, while the tree is seen and something runs. */
const elapsedStep = 10_000;

/** What {@link ExecutionTree} shows. */
export interface ExecutionTreeOptions {
  readonly store: Pick<ExecutionStore, "list" | "find" | "onDidChange">;
  readonly crews: Pick<Crews, "list" | "tokenState" | "onDidChange" | "onDidChangeToken">;
  readonly tracker: Pick<Tracker, "problemOf" | "parkedCrews" | "onDidChange">;
  readonly clock: Clock;
  /** Shows the rows; the extension's view where absent. */
  readonly createView?: (provider: vscode.TreeDataProvider<TreeNode>) => vscode.TreeView<TreeNode>;
}

/** Crews, below them their executions with the newest first, below those their tasks. A change refreshes its own row. */
export class ExecutionTree implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  readonly #options: ExecutionTreeOptions;
  readonly #changed = new vscode.EventEmitter<TreeNode[] | undefined>();
  readonly #crewNodes = new Map<string, CrewNode>();
  readonly #hintNodes = new Map<string, HintNode>();
  readonly #executionNodes = new Map<string, ExecutionNode>();
  readonly #taskNodes = new Map<string, Map<string, TaskNode>>();
  readonly #tokens: TokenWatch;
  /** Elapsed times as they stand on the rows, by local id. */
  readonly #elapsed = new Map<string, string | undefined>();
  readonly #subscriptions: vscode.Disposable;
  #stopTimer: (() => void) | undefined;
  readonly view: vscode.TreeView<TreeNode>;

  constructor(options: ExecutionTreeOptions) {
    this.#options = options;
    const { store, crews, tracker } = options;
    const createView = options.createView ?? ((treeDataProvider) => vscode.window.createTreeView(viewId, { treeDataProvider, showCollapseAll: true }));
    this.view = createView(this);
    this.#tokens = new TokenWatch({ crews, clock: options.clock, isSeen: () => this.view.visible, changed: (ids) => this.#fire(ids.map((id) => this.#crewNode(id))) });
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      this.view,
      store.onDidChange(({ added, changed, removed }) => {
        this.#storeChanged(added, changed, removed);
      }),
      crews.onDidChange(() => {
        this.#fire(undefined);
        this.#tokens.look();
      }),
      crews.onDidChangeToken(() => {
        this.#tokens.look();
      }),
      tracker.onDidChange(({ crewIds, localIds }) => {
        this.#fire([...crewIds.flatMap((id) => this.#crewNodes.get(id) ?? []), ...localIds.flatMap((id) => this.#executionNodes.get(id) ?? [])]);
      }),
      this.view.onDidChangeVisibility(() => {
        this.#planElapsed();
        this.#tokens.look();
      }),
    );
    this.#counted();
    this.#tokens.look();
  }

  readonly onDidChangeTreeData = this.#changed.event;

  getTreeItem(node: TreeNode): vscode.TreeItem {
    if (node.kind === "crew") return this.#crewItem(node);
    if (node.kind === "hint") return treeItem(node, hintRow(), vscode.TreeItemCollapsibleState.None);
    const execution = this.#options.store.find(node.localId);
    // Removed between the question for rows and the question for this one; the next refresh takes the row away.
    if (execution === undefined) return new vscode.TreeItem("");
    showAttempt(node, execution);
    if (node.kind === "task") {
      const task = execution.tasks.find(({ taskId }) => taskId === node.taskId);
      return task === undefined ? new vscode.TreeItem(node.taskId) : treeItem(node, taskRow(task, execution), vscode.TreeItemCollapsibleState.None);
    }
    const { tracker, clock } = this.#options;
    const isParked = tracker.parkedCrews().has(execution.crew.id);
    const row = executionRow(execution, clock.now(), isParked ? undefined : tracker.problemOf(execution));
    this.#elapsed.set(execution.localId, elapsedInWords(execution, clock.now()));
    this.#planElapsed();
    return treeItem(node, row, execution.tasks.length === 0 ? vscode.TreeItemCollapsibleState.None : vscode.TreeItemCollapsibleState.Collapsed);
  }

  getChildren(node?: TreeNode): TreeNode[] {
    if (node === undefined) return [...this.#options.crews.list(), ...this.#gone()].map(({ id }) => this.#crewNode(id));
    if (node.kind === "crew") {
      const nodes = this.#options.store.list().filter((execution) => execution.crew.id === node.crew).map((execution) => this.#executionNode(execution));
      return nodes.length > 0 ? nodes : [keep<HintNode>(this.#hintNodes, node.crew, () => ({ kind: "hint", crew: node.crew }))];
    }
    if (node.kind === "task" || node.kind === "hint") return [];
    return this.#options.store.find(node.localId)?.tasks.map(({ taskId }) => this.#taskNode(node, taskId)) ?? [];
  }

  getParent(node: TreeNode): TreeNode | undefined {
    if (node.kind === "crew") return undefined;
    return node.kind === "task" ? this.#executionNodes.get(node.localId) : this.#crewNode(node.crew);
  }

  /** Shows an execution's row and selects it, without taking the focus. */
  async reveal(execution: Execution): Promise<void> {
    await this.view.reveal(this.#executionNode(execution), { select: true, focus: false, expand: false });
  }

  dispose(): void {
    this.#stopTimer?.();
    this.#tokens.dispose();
    this.#subscriptions.dispose();
  }

  /** Crews that executions remember and nobody has connected. */
  #gone(): CrewRef[] {
    const connected = new Set(this.#options.crews.list().map(({ id }) => id));
    const gone = new Map<string, CrewRef>();
    for (const { crew } of this.#options.store.list()) if (!connected.has(crew.id) && !gone.has(crew.id)) gone.set(crew.id, crew);
    return [...gone.values()];
  }

  #crewItem(node: CrewNode): vscode.TreeItem {
    const { crews, store, tracker } = this.#options;
    const crew = crews.list().find(({ id }) => id === node.crew);
    const first = store.list().find((execution) => execution.crew.id === node.crew);
    // Never without children: VS Code leaves a row closed that had none when it first came.
    const state = vscode.TreeItemCollapsibleState.Expanded;
    if (crew !== undefined) return treeItem(node, crewRow(crew, { parked: tracker.parkedCrews().get(crew.id), tokens: this.#tokens.of(crew.id) }), state);
    return first === undefined ? new vscode.TreeItem("") : treeItem(node, goneCrewRow(first.crew), state);
  }

  #storeChanged(added: readonly Execution[], changed: readonly Execution[], removed: readonly Execution[]): void {
    for (const { localId } of removed) for (const nodes of [this.#executionNodes, this.#taskNodes, this.#elapsed]) nodes.delete(localId);
    const parents = new Set([...added, ...removed].map(({ crew }) => crew.id));
    const isNewCrew = [...parents].some((id) => !this.#crewNodes.has(id));
    const hasMoved = changed.some(({ crew, localId }) => (this.#executionNodes.get(localId)?.crew ?? crew.id) !== crew.id);
    const isLastOfGone = removed.some(({ crew }) => !this.#options.crews.list().some(({ id }) => id === crew.id));
    const rows = changed.filter(({ crew, localId }) => !hasMoved && !parents.has(crew.id) && this.#executionNodes.has(localId)).map((execution) => this.#executionNode(execution));
    if (isNewCrew || hasMoved || isLastOfGone) this.#fire(undefined);
    else this.#fire([...[...parents].map((id) => this.#crewNode(id)), ...rows]);
  }

  /** Nothing stands for the whole tree. */
  #fire(nodes: TreeNode[] | undefined): void {
    if (nodes === undefined || nodes.length > 0) this.#changed.fire(nodes);
    this.#counted();
    this.#planElapsed();
  }

  #counted(): void {
    const executions = this.#options.store.list();
    const waiting = executions.filter(({ state }) => state === "waiting").length;
    const tooltip = waiting === 1 ? vscode.l10n.t("1 execution waits for you") : vscode.l10n.t("{0} executions wait for you", waiting);
    if (this.view.badge?.value !== (waiting === 0 ? undefined : waiting)) this.view.badge = waiting === 0 ? undefined : { value: waiting, tooltip };
    setContext("crewdeck.hasExecutions", executions.length > 0);
    setContext("crewdeck.hasCrews", this.#options.crews.list().length > 0);
  }

  /** Elapsed times move on the rows only: slowly, while they are seen and something is under way. */
  #planElapsed(): void {
    const { store, clock } = this.#options;
    const needed = this.view.visible && store.list().some((execution) => !hasEnded(execution) && execution.watchingStoppedAt === undefined);
    if (!needed) {
      this.#stopTimer?.();
      this.#stopTimer = undefined;
    } else {
      this.#stopTimer ??= clock.after(elapsedStep, () => {
        this.#stopTimer = undefined;
        this.#fire(store.list().filter((execution) => this.#elapsed.has(execution.localId) && this.#elapsed.get(execution.localId) !== elapsedInWords(execution, clock.now())).map((execution) => this.#executionNode(execution)));
      });
    }
  }

  #crewNode(crew: string): CrewNode {
    return keep(this.#crewNodes, crew, () => ({ kind: "crew", crew }));
  }

  #executionNode(execution: Execution): ExecutionNode {
    const { localId } = execution;
    const known = this.#executionNodes.get(localId);
    // Its rows are the commands' arguments, so that they must name the crew it belongs to now.
    if (known !== undefined && known.crew !== execution.crew.id) for (const nodes of [this.#executionNodes, this.#taskNodes]) nodes.delete(localId);
    const node = keep<ExecutionNode>(this.#executionNodes, localId, () => ({ kind: "execution", crew: execution.crew.id, localId, kickoffId: keyOf(execution) }));
    node.kickoffId = keyOf(execution);
    return node;
  }

  #taskNode({ crew, localId, kickoffId }: ExecutionNode, taskId: string): TaskNode {
    return keep(keep(this.#taskNodes, localId, () => new Map<string, TaskNode>()), taskId, () => ({ kind: "task", crew, localId, kickoffId, taskId }));
  }
}

/** The value under a key, made when it is missing. VS Code knows a row by its object. */
function keep<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

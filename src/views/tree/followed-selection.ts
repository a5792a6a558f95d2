import * as vscode from "vscode";
import { logProblem } from "../../editor/log.ts";
import { waitingGroup } from "./grouping.ts";
import type { ExecutionNode, TaskNode, TreeNode } from "./nodes.ts";

/** Keeps selection and expansion of an execution that moves to another group: VS Code keeps them by a row's id, which changes. */
export class FollowedSelection implements vscode.Disposable {
  readonly #view: vscode.TreeView<TreeNode>;
  /** Expanded executions. */
  readonly #expanded = new Set<string>();
  readonly #subscriptions: vscode.Disposable;

  constructor(view: vscode.TreeView<TreeNode>) {
    this.#view = view;
    this.#subscriptions = vscode.Disposable.from(
      view.onDidExpandElement(({ element }) => {
        if (element.kind === "execution") this.#expanded.add(placeOf(element));
      }),
      view.onDidCollapseElement(({ element }) => {
        if (element.kind === "execution") this.#expanded.delete(placeOf(element));
      }),
    );
  }

  /** Whether an execution is expanded, or was in its earlier group. */
  wasExpanded(node: ExecutionNode): boolean {
    return this.#expanded.has(placeOf(node));
  }

  /** Selects a row, given by `moved`, in place of the selected one if that moved. Not if the view is hidden: to reveal a row opens it. */
  follow(moved: (selected: ExecutionNode | TaskNode) => TreeNode | undefined): void {
    const [selected] = this.#view.selection;
    if (!this.#view.visible || selected === undefined || !("localId" in selected)) return;
    const row = moved(selected);
    if (row === undefined) return;
    this.#view
      .reveal(row, { select: true, focus: false })
      .then(undefined, (error: unknown) => logProblem("Selecting a row where it went", error));
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}

/** The same in all groups but the one of what waits. */
function placeOf({ group, localId }: ExecutionNode): string {
  return `${group === waitingGroup ? "top" : "usual"} ${localId}`;
}

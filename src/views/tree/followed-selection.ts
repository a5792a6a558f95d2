import * as vscode from "vscode";
import { logProblem } from "../../editor/log.ts";
import { waitingGroup } from "./grouping.ts";
import type { ExecutionNode, TaskNode, TreeNode } from "./nodes.ts";

/** VS Code keeps selection and expansion by row ID, which includes the group. */
export class FollowedSelection implements vscode.Disposable {
  readonly #view: vscode.TreeView<TreeNode>;
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

  /** Also in its earlier group. */
  wasExpanded(node: ExecutionNode): boolean {
    return this.#expanded.has(placeOf(node));
  }

  /** Not while the view is hidden, since revealing opens it. */
  follow(moved: (selected: ExecutionNode | TaskNode) => TreeNode | undefined): void {
    const [selected, another] = this.#view.selection;
    if (!this.#view.visible || selected === undefined || !("localId" in selected)) return;
    // Revealing one would end the selection of the others.
    if (another !== undefined) return;
    const row = moved(selected);
    if (row === undefined) return;
    this.#view
      .reveal(row, { select: true, focus: false })
      .then(undefined, (error: unknown) => logProblem("Selecting a moved row", error));
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}

/** The same in all groups except the waiting one. */
function placeOf({ group, localId }: ExecutionNode): string {
  return `${group === waitingGroup ? "top" : "usual"} ${localId}`;
}

import * as vscode from "vscode";
import { logProblem } from "../../editor/log.ts";
import { waitingGroup } from "./grouping.ts";
import type { ExecutionNode, TaskNode, TreeNode } from "./nodes.ts";

/** The part of a view that tells what a person has chosen and opened. */
export type SelectionView = Pick<
  vscode.TreeView<TreeNode>,
  "selection" | "visible" | "reveal" | "onDidExpandElement" | "onDidCollapseElement"
>;

/** VS Code keeps selection and expansion by a row's id. Where an execution goes to another group, it is another row, and this takes both there. */
export class FollowedSelection implements vscode.Disposable {
  readonly #view: SelectionView;
  readonly #usualRow: (localId: string) => ExecutionNode | undefined;
  readonly #taskRow: (execution: ExecutionNode, taskId: string) => TaskNode;
  /** Executions that are open, by place and local id. */
  readonly #open = new Set<string>();
  readonly #subscriptions: vscode.Disposable;

  constructor(
    view: SelectionView,
    usualRow: (localId: string) => ExecutionNode | undefined,
    taskRow: (execution: ExecutionNode, taskId: string) => TaskNode,
  ) {
    this.#view = view;
    this.#usualRow = usualRow;
    this.#taskRow = taskRow;
    this.#subscriptions = vscode.Disposable.from(
      view.onDidExpandElement(
        ({ element }) => element.kind === "execution" && this.#open.add(placeOf(element)),
      ),
      view.onDidCollapseElement(
        ({ element }) => element.kind === "execution" && this.#open.delete(placeOf(element)),
      ),
    );
  }

  /** Whether an execution is open, or was where it stood before. */
  wasOpen(node: ExecutionNode): boolean {
    return this.#open.has(placeOf(node));
  }

  /** Selects the row anew that has gone to another group, without taking the focus. Nothing is done where it is out of sight: to reveal opens the view. */
  follow(groupsOf: (localId: string) => readonly string[]): void {
    const [selected] = this.#view.selection;
    if (
      !this.#view.visible ||
      (selected?.kind !== "execution" && selected?.kind !== "task") ||
      groupsOf(selected.localId).includes(selected.group)
    )
      return;
    const row = this.#usualRow(selected.localId);
    if (row === undefined) return;
    const target = selected.kind === "task" ? this.#taskRow(row, selected.taskId) : row;
    this.#view.reveal(target, { select: true, focus: false }).then(undefined, (error: unknown) => {
      logProblem("Selecting a row where it went", error);
    });
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}

/** The row of what waits opens apart from the one at the usual place. */
function placeOf({ group, localId }: ExecutionNode): string {
  return `${group === waitingGroup ? "top" : "usual"} ${localId}`;
}

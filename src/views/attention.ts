import * as vscode from "vscode";
import { executionScheme } from "../editor/ids.ts";
import type { Tracker } from "../executions/tracker.ts";
import type { ExecutionDocuments } from "./document/documents.ts";
import type { TreeRoom } from "./tree/register.ts";

/** Tells the tracker what a person looks at: the tree, the documents that are shown, and whether the window has the focus. */
export function watchAttention(
  tracker: Tracker,
  tree: Pick<TreeRoom, "view">,
  documents: ExecutionDocuments,
): vscode.Disposable {
  let looks: ReadonlySet<string> = new Set();
  const windowOrTree = () => {
    tracker.setWatched({ visible: tree.view.visible, focused: vscode.window.state.focused });
  };
  const editors = () => {
    const shown = new Set(
      vscode.window.visibleTextEditors
        .filter(({ document }) => document.uri.scheme === executionScheme)
        .flatMap(({ document }) => documents.summary(document.uri)?.localId ?? []),
    );
    for (const localId of looks) if (!shown.has(localId)) tracker.unlook(localId);
    for (const localId of shown) if (!looks.has(localId)) tracker.look(localId);
    looks = shown;
  };
  windowOrTree();
  editors();
  return vscode.Disposable.from(
    tree.view.onDidChangeVisibility(windowOrTree),
    vscode.window.onDidChangeWindowState(windowOrTree),
    vscode.window.onDidChangeVisibleTextEditors(editors),
  );
}

import * as vscode from "vscode";
import { executionScheme, formType } from "../editor/ids.ts";
import type { Tracker } from "../executions/tracker.ts";
import type { Database } from "../store/database.ts";
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

/** Lets the database know whether this window shows what is in it, and has it look for other windows' changes when the window gets focus. */
export function watchVisibility(
  database: Pick<Database, "setVisible" | "look">,
  { view }: Pick<TreeRoom, "view">,
): vscode.Disposable {
  const { tabGroups } = vscode.window;
  const update = () => {
    database.setVisible(
      view.visible ||
        tabGroups.all.some(({ activeTab }) => activeTab !== undefined && isOurs(activeTab.input)),
    );
  };
  update();
  return vscode.Disposable.from(
    view.onDidChangeVisibility(update),
    tabGroups.onDidChangeTabs(update),
    tabGroups.onDidChangeTabGroups(update),
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) database.look();
    }),
  );
}

/** Whether a tab shows an execution or the form. */
function isOurs(input: unknown): boolean {
  if (input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom)
    return input.uri.scheme === executionScheme;
  // VS Code puts a word of its own before a panel's type (observed).
  return input instanceof vscode.TabInputWebview && input.viewType.endsWith(formType);
}

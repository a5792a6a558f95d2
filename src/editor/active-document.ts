import * as vscode from "vscode";

/** The address of the document in front. In the box of a comment thread, an editor of its own, that is the document below the thread. */
export function activeDocument(): vscode.Uri | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== commentBoxScheme) return uri;
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputText ? input.uri : undefined;
}

/** What the address of a comment thread's box begins with (observed in 1.104 and 1.139). */
export const commentBoxScheme = "comment";

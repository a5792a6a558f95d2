import * as vscode from "vscode";

/** For a `describe` at its top, whose tests read executions as text. */
export function readAsText(): void {
  const openAs = (editor: "text" | undefined) =>
    vscode.workspace
      .getConfiguration("crewdeck")
      .update("openExecutionsAs", editor, vscode.ConfigurationTarget.Global);
  before(() => openAs("text"));
  after(() => openAs(undefined));
}

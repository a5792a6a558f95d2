import * as vscode from "vscode";

/** How many ended executions are kept on this machine (`crewdeck.keepEndedExecutions`); 0 keeps all, and so does what is no number. */
export function keepEndedExecutions(): number {
  const value: unknown = vscode.workspace.getConfiguration("crewdeck").get("keepEndedExecutions");
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}

import * as vscode from "vscode";
import type { ErrorAction } from "../base/errors.ts";

/** Opens settings of the machine: in a remote window, they are on a tab of their own. */
export function machineSettings(query: string): ErrorAction {
  const isRemote = vscode.env.remoteName !== undefined;
  return {
    title: vscode.l10n.t("Open Settings"),
    command: `workbench.action.open${isRemote ? "Remote" : ""}Settings`,
    arguments: [{ query }],
  };
}

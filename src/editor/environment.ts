import { config } from "@vscode/l10n";
import * as vscode from "vscode";
import { asObject, textAt } from "../base/json.ts";

/** Loads the translations for files without `vscode`, which use `@vscode/l10n`. Call before anything is shown. */
export function loadTranslations(): void {
  // Undefined for English, and without a translation.
  if (vscode.l10n.bundle !== undefined) config({ contents: vscode.l10n.bundle });
}

export function versionOf({ extension }: Pick<vscode.ExtensionContext, "extension">): string {
  return textAt(asObject(extension.packageJSON), "version") ?? "0";
}

/** The setting `crewdeck.keepEndedExecutions`: how many ended executions are kept; 0, and anything invalid, keeps all. */
export function keepEndedExecutions(): number {
  const value: unknown = vscode.workspace.getConfiguration("crewdeck").get("keepEndedExecutions");
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}

/** Scheme of a comment thread's input box, which is an editor of its own (observed in 1.104 and 1.139). */
export const commentBoxScheme = "comment";

/** The URI of the active document. For a comment thread's input box, the document of the active tab. */
export function activeDocument(): vscode.Uri | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== commentBoxScheme) return uri;
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputText ? input.uri : undefined;
}

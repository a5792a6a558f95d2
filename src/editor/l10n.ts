import { config } from "@vscode/l10n";
import * as vscode from "vscode";

/** Gives the files that know nothing of VS Code, and use `@vscode/l10n`, the words of the person's language. Before anything is shown. */
export function speakTheLanguage(): void {
  // None where VS Code speaks English, or there is no translation.
  if (vscode.l10n.bundle !== undefined) config({ contents: vscode.l10n.bundle });
}

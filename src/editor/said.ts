import * as vscode from "vscode";

/** Milliseconds that a word stays in the status bar. */
const shown = 5_000;

/** A word that a thing is done, where nobody needs to close it. */
export function said(text: string): void {
  vscode.window.setStatusBarMessage(text, shown);
}

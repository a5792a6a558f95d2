import * as vscode from "vscode";
import { plainLabel } from "./plain.ts";

/** Milliseconds that a word stays in the status bar. */
const shown = 5_000;

/** A word that a thing is done, where nobody needs to close it. Shown as it is: `$(name)` in it, which may be of a crew's name, is drawn as no icon. */
export function said(text: string): void {
  vscode.window.setStatusBarMessage(plainLabel(text), shown);
}

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { formType } from "../editor/ids.ts";
import { formPage } from "./form/html.ts";

/** Opens an empty panel for a form. What was typed is kept elsewhere, so the page need not live while it is hidden. */
export function openPanel(title: string): vscode.WebviewPanel {
  return vscode.window.createWebviewPanel(formType, title, vscode.ViewColumn.Active);
}

/** Gives a panel the form's page, with the right to load its own script and style and nothing else. */
export function furnishPanel(panel: vscode.WebviewPanel, extensionUri: vscode.Uri): void {
  const { webview } = panel;
  const folder = vscode.Uri.joinPath(extensionUri, "dist", "webview");
  webview.options = { enableScripts: true, localResourceRoots: [folder] };
  webview.html = formPage({
    language: vscode.env.language,
    title: panel.title,
    nonce: randomBytes(16).toString("base64url"),
    cspSource: webview.cspSource,
    scriptUri: webview.asWebviewUri(vscode.Uri.joinPath(folder, "form.js")).toString(),
    styleUri: webview.asWebviewUri(vscode.Uri.joinPath(folder, "form.css")).toString(),
  });
}

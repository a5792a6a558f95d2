import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { webviewHtml } from "./webview-html.ts";

/** Loads a page of `dist/webview`, which may read nothing else. */
export function showPage(
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  name: "form" | "timeline" | "page" | "comparison",
  title: string,
): void {
  const folder = vscode.Uri.joinPath(extensionUri, "dist", "webview");
  const uriOf = (file: string) => webview.asWebviewUri(vscode.Uri.joinPath(folder, file));
  webview.options = { enableScripts: true, localResourceRoots: [folder] };
  webview.html = webviewHtml({
    language: vscode.env.language,
    title,
    nonce: randomBytes(16).toString("base64url"),
    cspSource: webview.cspSource,
    scriptUri: uriOf(`${name}.js`).toString(),
    styleUri: uriOf(`${name}.css`).toString(),
    translations: vscode.l10n.bundle,
  });
}

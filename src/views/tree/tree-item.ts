import * as vscode from "vscode";
import type { TreeNode } from "./nodes.ts";
import type { Row } from "./rows.ts";

/** A row as VS Code wants it. What others wrote is never Markdown, HTML or an icon here. */
export function treeItem(node: TreeNode, row: Row, state: vscode.TreeItemCollapsibleState): vscode.TreeItem {
  const item = new vscode.TreeItem(row.label, state);
  item.id = idOf(node);
  item.description = row.description;
  item.iconPath = new vscode.ThemeIcon(row.icon.id, row.icon.color === undefined ? undefined : new vscode.ThemeColor(row.icon.color));
  item.contextValue = row.facts;
  item.tooltip = tooltip(row.tooltip);
  item.accessibilityInformation = { label: row.sentence };
  if (node.kind === "hint") item.command = { title: vscode.l10n.t("Kick Off…"), command: "crewdeck.kickoff", arguments: [node] };
  else if (node.kind !== "crew") item.command = { title: vscode.l10n.t("Open Execution"), command: "crewdeck.openExecution", arguments: [node] };
  return item;
}

/** The same for the same row in every window and after every start: selection and expansion stay by it. */
function idOf(node: TreeNode): string {
  switch (node.kind) {
    case "crew":
      return `crew ${node.crew}`;
    case "hint":
      return `hint ${node.crew}`;
    case "execution":
      return `execution ${node.localId}`;
    case "task":
      return `task ${node.localId} ${node.taskId}`;
  }
}

function tooltip(lines: readonly string[]): vscode.MarkdownString {
  const text = new vscode.MarkdownString(undefined, false);
  for (const line of lines) text.appendText(line).appendMarkdown("\n\n");
  return text;
}

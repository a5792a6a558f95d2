import * as vscode from "vscode";
import { idOf, type TreeNode } from "./nodes.ts";
import type { Row } from "./rows.ts";

/** A row as VS Code wants it, but for its tooltip. What others wrote is never Markdown, HTML or an icon here. */
export function treeItem(
  node: TreeNode,
  row: Row,
  state: vscode.TreeItemCollapsibleState,
): vscode.TreeItem {
  const item = new vscode.TreeItem(row.label, state);
  item.id = idOf(node);
  item.description = row.description;
  item.iconPath = new vscode.ThemeIcon(
    row.icon.id,
    row.icon.color === undefined ? undefined : new vscode.ThemeColor(row.icon.color),
  );
  item.contextValue = row.facts;
  item.accessibilityInformation = { label: row.sentence };
  if (node.kind === "hint")
    item.command = {
      title: vscode.l10n.t("Kick Off…"),
      command: "crewdeck.kickoff",
      arguments: [node],
    };
  else if (node.kind === "more")
    item.command = {
      title: vscode.l10n.t("Show More"),
      command: "crewdeck.showMore",
      arguments: [node],
    };
  else if (node.kind === "execution" || node.kind === "task")
    item.command = {
      title: vscode.l10n.t("Open Execution"),
      command: "crewdeck.openExecution",
      arguments: [node],
    };
  return item;
}

/** A row's tooltip, its first line as a heading, the rest close together. It is made when somebody points at the row: of ten thousand rows, few are pointed at. */
export function tooltipOf({ tooltip: [first = "", ...lines] }: Row): vscode.MarkdownString {
  return new vscode.MarkdownString(
    `**${escaped(first)}**\n\n${lines.map(escaped).join("  \n")}`,
    false,
  );
}

/** Text of others with nothing in it that Markdown understands. VS Code's own escape makes every blank a hard one, so that lines break within words; all but the first are made soft again (`1. a` must not begin a list). */
function escaped(text: string): string {
  const [start = "", ...rest] = new vscode.MarkdownString()
    .appendText(text.trim())
    .value.split("&nbsp;");
  const line = rest.length === 0 ? start : `${start}&nbsp;${rest.join(" ")}`;
  return line.replace(/^=/, "\\=");
}

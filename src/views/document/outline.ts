import * as vscode from "vscode";
import { headingsOf } from "../../view/embed.ts";
import { idsSection, type Rendered } from "../../view/sections.ts";

/** The headings of a document as VS Code's outline shows them. */
export function outlineOf(document: vscode.TextDocument): vscode.DocumentSymbol[] {
  const top: vscode.DocumentSymbol[] = [];
  const open: { readonly level: number; readonly children: vscode.DocumentSymbol[] }[] = [];
  for (const { name, level, line, end } of headingsOf(document.getText())) {
    const whole = new vscode.Range(line, 0, end, document.lineAt(end).text.length);
    const own = document.lineAt(line).range;
    const symbol = new vscode.DocumentSymbol(name, "", vscode.SymbolKind.String, whole, own);
    const parent = open.findLast((each) => each.level < level);
    (parent?.children ?? top).push(symbol);
    open.splice(parent === undefined ? 0 : open.indexOf(parent) + 1, Infinity, {
      level,
      children: symbol.children,
    });
  }
  return top;
}

/** What belongs to each heading. With `editor.foldingImportsByDefault`, VS Code opens a document with IDs and steps folded. */
export function foldingOf(
  document: vscode.TextDocument,
  rendered: Rendered | undefined,
): vscode.FoldingRange[] {
  const folded = rendered?.sections
    .filter(({ id }) => id === idsSection || / steps$/.test(id))
    .map(({ start }) => start);
  return headingsOf(document.getText())
    .filter(({ line, end }) => end > line)
    .map(({ line, end }) => {
      const kind = folded?.includes(line) ? vscode.FoldingRangeKind.Imports : undefined;
      return new vscode.FoldingRange(line, end, kind);
    });
}

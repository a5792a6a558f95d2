import * as vscode from "vscode";
import type { ExecutionDocuments } from "./documents.ts";
import { headingsOf } from "./headings.ts";
import { idsSection } from "./sections.ts";

/** VS Code's outline and folding, which it has only for Markdown itself. */
export function registerOutline(
  documents: Pick<ExecutionDocuments, "rendered">,
  selector: vscode.DocumentSelector,
): vscode.Disposable {
  const symbols = vscode.languages.registerDocumentSymbolProvider(selector, {
    provideDocumentSymbols(document) {
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
    },
  });
  const folding = vscode.languages.registerFoldingRangeProvider(selector, {
    provideFoldingRanges(document) {
      const rendered = documents.rendered(document);
      const folded = rendered?.sections
        .filter(({ id }) => id === idsSection || / steps$/.test(id))
        .map(({ start }) => start);
      return headingsOf(document.getText())
        .filter(({ line, end }) => end > line)
        .map(
          ({ line, end }) =>
            // With `editor.foldingImportsByDefault`, VS Code opens a document with these folded.
            new vscode.FoldingRange(
              line,
              end,
              folded?.includes(line) === true ? vscode.FoldingRangeKind.Imports : undefined,
            ),
        );
    },
  });
  return vscode.Disposable.from(symbols, folding);
}

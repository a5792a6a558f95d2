import * as vscode from "vscode";
import type { Execution } from "../../executions/model.ts";
import type { ExecutionDocuments } from "./documents.ts";
import type { Rendered } from "./sections.ts";

/** A lens of an execution's document, and the line that it stands over. */
export interface DocumentLens {
  readonly line: number;
  readonly command: vscode.Command;
}

/** Lenses over an execution's document; a document of a single output has none of them. */
export function documentLenses(
  documents: Pick<ExecutionDocuments, "execution" | "rendered">,
  lensesOf: (execution: Execution, rendered: Rendered) => readonly DocumentLens[],
) {
  return {
    provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
      const execution = documents.execution(document.uri);
      const rendered = documents.rendered(document);
      if (execution === undefined || rendered === undefined) return [];
      return lensesOf(execution, rendered).map(
        ({ line, command }) => new vscode.CodeLens(new vscode.Range(line, 0, line, 0), command),
      );
    },
  } satisfies vscode.CodeLensProvider;
}

import * as vscode from "vscode";
import type { ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionDocuments } from "./documents.ts";
import { lineOfTask, placeOf } from "./places.ts";

/** Milliseconds that opening waits for the editor to show what is stored, before it goes to a place in the text. */
const patience = 2000;

/**
 * Shows an execution's document: at a task, or at what waits for a person, else where its reader was. Opened as text, also where a person
 * lets the preview open Markdown: the preview has no lenses.
 */
export async function showExecution(
  documents: ExecutionDocuments,
  execution: ExecutionSummary,
  taskId?: string,
): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(documents.uriOf(execution));
  const editor = await vscode.window.showTextDocument(document, {
    preview: execution.waiting === undefined,
  });
  await untilCurrent(documents, document);
  const place = placeOf(documents, document);
  const first =
    taskId === undefined || taskId === place?.taskId
      ? place?.line
      : (lineOfTask(documents, document, taskId) ?? place?.line);
  if (first !== undefined) {
    const line = new vscode.Position(first, 0);
    editor.selection = new vscode.Selection(line, line);
    editor.revealRange(new vscode.Range(line, line), vscode.TextEditorRevealType.AtTop);
  }
  return editor;
}

/** Resolves when the open document shows what is stored, or after a while all the same. */
async function untilCurrent(
  documents: ExecutionDocuments,
  document: vscode.TextDocument,
): Promise<void> {
  if (documents.isCurrent(document)) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      changes.dispose();
      resolve();
    };
    const timer = setTimeout(done, patience);
    const changes = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document && documents.isCurrent(document)) done();
    });
  });
}

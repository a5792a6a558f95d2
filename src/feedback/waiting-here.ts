import * as vscode from "vscode";
import { setContext } from "../editor/manifest.ts";
import { asksFor, pendingResume } from "../executions/resumes.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { FeedbackDocuments } from "./lenses.ts";

/** Keeps the context keys `crewdeck.waitingHere` and `crewdeck.asksHere`, for the focused document. */
export function watchWaitingHere(
  documents: Pick<FeedbackDocuments, "find">,
  store: Pick<ExecutionStore, "onDidChange">,
): vscode.Disposable {
  const look = () => {
    const document = vscode.window.activeTextEditor?.document;
    const place = document && documents.find(document);
    const waits = place?.taskId !== undefined && pendingResume(place.execution) === undefined;
    setContext("crewdeck.waitingHere", waits);
    setContext("crewdeck.asksHere", waits && asksFor(place.execution, place.taskId));
  };
  look();
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor(look),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document === vscode.window.activeTextEditor?.document) look();
    }),
    store.onDidChange(look),
  );
}

import * as vscode from "vscode";
import { setContext } from "../editor/manifest.ts";
import { asksFor } from "../executions/resumes.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { canAnswer } from "../view/actions.ts";
import type { FeedbackDocuments } from "./lenses.ts";

type Documents = Pick<FeedbackDocuments, "find" | "summary" | "answersTo">;

/** Keeps the context keys `crewdeck.waitingHere` and `crewdeck.asksHere`, for the focused text or page. */
export function watchWaitingHere(
  documents: Documents,
  store: Pick<ExecutionStore, "onDidChange">,
): vscode.Disposable {
  const look = () => {
    const place = placeIn(documents);
    const waits = place?.taskId !== undefined && canAnswer(documents.answersTo(place.execution));
    setContext("crewdeck.waitingHere", waits);
    setContext("crewdeck.asksHere", waits && asksFor(place.execution, place.taskId));
  };
  look();
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor(look),
    vscode.window.tabGroups.onDidChangeTabs(look),
    vscode.window.tabGroups.onDidChangeTabGroups(look),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document === vscode.window.activeTextEditor?.document) look();
    }),
    store.onDidChange(look),
  );
}

function placeIn(documents: Documents) {
  const { activeTextEditor, tabGroups } = vscode.window;
  if (activeTextEditor !== undefined) return documents.find(activeTextEditor.document);
  const input = tabGroups.activeTabGroup.activeTab?.input;
  const execution = input instanceof vscode.TabInputCustom && documents.summary(input.uri);
  return execution ? { execution, taskId: execution.waiting?.taskId } : undefined;
}

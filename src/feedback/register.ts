import * as vscode from "vscode";
import type { Event } from "../base/events.ts";
import { setContext } from "../editor/manifest.ts";
import { asksFor } from "../executions/resumes.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { canAnswer } from "../view/actions.ts";
import type { Drafts } from "./drafts.ts";
import type { FeedbackDocuments } from "./lenses.ts";

/** The code is loaded with the first document. */
export function registerLenses(
  scheme: string,
  parts: {
    readonly documents: FeedbackDocuments;
    readonly store: Pick<ExecutionStore, "onDidChange">;
    readonly feedback: { readonly onDidChangeSending: Event<void> };
    readonly drafts: Drafts;
  },
): vscode.Disposable {
  const { store, feedback, drafts } = parts;
  const changed = new vscode.EventEmitter<void>();
  const fire = () => changed.fire();
  return vscode.Disposable.from(
    changed,
    store.onDidChange(fire),
    feedback.onDidChangeSending(fire),
    drafts.onDidChange(fire),
    // An editor that is shown again keeps its old lenses (observed in 1.139).
    vscode.window.onDidChangeVisibleTextEditors(fire),
    vscode.languages.registerCodeLensProvider(
      { scheme },
      {
        onDidChangeCodeLenses: changed.event,
        provideCodeLenses: async (document) =>
          (await import("./lenses.ts")).feedbackLenses(document, parts),
      },
    ),
  );
}

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

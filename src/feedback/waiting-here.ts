import * as vscode from "vscode";
import { setContext } from "../editor/context.ts";
import type { FeedbackLensesOptions } from "./lenses.ts";
import { pendingResume } from "./pending.ts";

/** Keeps the context key `crewdeck.waitingHere` true while the document with the keys asks a person for feedback: a keybinding's `when` reads it. */
export function watchWaitingHere({
  find,
  onDidChange,
}: Pick<FeedbackLensesOptions, "find" | "onDidChange">): vscode.Disposable {
  const look = () => {
    const document = vscode.window.activeTextEditor?.document;
    const place = document && find(document);
    setContext(
      "crewdeck.waitingHere",
      place?.taskId !== undefined && pendingResume(place.execution) === undefined,
    );
  };
  look();
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor(look),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document === vscode.window.activeTextEditor?.document) look();
    }),
    onDidChange(look),
  );
}

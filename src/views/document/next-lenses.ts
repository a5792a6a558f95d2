import * as vscode from "vscode";
import { keyOf, type Execution } from "../../executions/model.ts";
import type { ExecutionDocuments } from "./documents.ts";

/** What a person may do next, over the title of an execution that came to nothing, or of which nobody knows whether it started. */
export class NextLenses implements vscode.CodeLensProvider {
  readonly #documents: Pick<ExecutionDocuments, "execution" | "rendered">;

  constructor(documents: Pick<ExecutionDocuments, "execution" | "rendered">) {
    this.#documents = documents;
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const execution = this.#documents.execution(document.uri);
    // A document of a single output has no title to stand over.
    if (execution === undefined || this.#documents.rendered(document) === undefined) return [];
    return nextSteps(execution).map((command) => new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), command));
  }
}

function nextSteps(execution: Execution): readonly vscode.Command[] {
  const { state, crew, request } = execution;
  const target = { crew: crew.id, kickoffId: keyOf(execution), fromLens: true };
  const again: readonly vscode.Command[] = request === undefined ? [] : [{ title: vscode.l10n.t("Run again…"), command: "crewdeck.runAgain", arguments: [target] }];
  switch (state) {
    case "failed":
    case "stopped":
      return again.length === 0 ? [] : [...again, { title: vscode.l10n.t("Run again in form…"), command: "crewdeck.runAgainInForm", arguments: [target] }];
    case "unconfirmed":
      return [
        { title: vscode.l10n.t("Track by its ID…"), command: "crewdeck.trackExecution", arguments: [{ crew: crew.id, fromLens: true }] },
        ...again,
        { title: vscode.l10n.t("Untrack…"), command: "crewdeck.untrackExecution", arguments: [target] },
      ];
    default:
      return [];
  }
}

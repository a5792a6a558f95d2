import * as vscode from "vscode";
import { attemptPairs } from "../../executions/attempts.ts";
import { keyOf } from "../../executions/model.ts";
import type { ExecutionDocuments } from "./documents.ts";
import { sectionOf } from "./sections.ts";
import { attemptSection } from "./task.ts";

/** Over every attempt after a rejection: what the words changed. */
export class CompareLenses implements vscode.CodeLensProvider {
  readonly #documents: Pick<ExecutionDocuments, "execution" | "rendered">;

  constructor(documents: Pick<ExecutionDocuments, "execution" | "rendered">) {
    this.#documents = documents;
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const execution = this.#documents.execution(document.uri);
    const rendered = this.#documents.rendered(document);
    if (execution === undefined || rendered === undefined) return [];
    return attemptPairs(execution).flatMap(({ taskId, previous, attempt }) => {
      const section = sectionOf(rendered, attemptSection(taskId, attempt));
      if (section === undefined) return [];
      const command: vscode.Command = {
        title: vscode.l10n.t("Compare with attempt {0}", previous),
        command: "crewdeck.compareAttempts",
        tooltip: vscode.l10n.t("Shows what your feedback changed"),
        arguments: [{ crew: execution.crew.id, kickoffId: keyOf(execution), taskId, attempt, fromLens: true }],
      };
      return [new vscode.CodeLens(new vscode.Range(section.start, 0, section.start, 0), command)];
    });
  }
}

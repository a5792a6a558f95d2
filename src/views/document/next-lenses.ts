import * as vscode from "vscode";
import { keyOf, type ExecutionSummary } from "../../executions/model.ts";
import type { DocumentLens } from "./document-lenses.ts";

/** What a person may do next, over the title of an execution that came to nothing, or of which nobody knows whether it started. */
export function nextLenses(execution: ExecutionSummary): readonly DocumentLens[] {
  return nextSteps(execution).map((command) => ({ line: 0, command }));
}

function nextSteps(execution: ExecutionSummary): readonly vscode.Command[] {
  const { state, crew, request } = execution;
  const target = { crew: crew.id, kickoffId: keyOf(execution), fromLens: true };
  const again: readonly vscode.Command[] =
    request === undefined
      ? []
      : [{ title: vscode.l10n.t("Run again…"), command: "crewdeck.runAgain", arguments: [target] }];
  switch (state) {
    case "failed":
    case "stopped":
      return again.length === 0
        ? []
        : [
            ...again,
            {
              title: vscode.l10n.t("Run again in form…"),
              command: "crewdeck.runAgainInForm",
              arguments: [target],
            },
          ];
    case "unconfirmed":
      return [
        {
          title: vscode.l10n.t("Track by its ID…"),
          command: "crewdeck.trackExecution",
          arguments: [{ crew: crew.id, fromLens: true }],
        },
        ...again,
        {
          title: vscode.l10n.t("Remove from list…"),
          command: "crewdeck.untrackExecution",
          arguments: [target],
        },
      ];
    default:
      return [];
  }
}

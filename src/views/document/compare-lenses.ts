import * as vscode from "vscode";
import { attemptPairs } from "../../executions/tasks.ts";
import { keyOf, type ExecutionSummary } from "../../executions/model.ts";
import type { DocumentLens } from "./document-lenses.ts";
import { sectionOf, type Rendered } from "./sections.ts";
import { attemptSection } from "./section-ids.ts";

/** Over every attempt after a rejection: what the words changed. */
export function compareLenses(
  execution: ExecutionSummary,
  rendered: Rendered,
): readonly DocumentLens[] {
  return attemptPairs(execution).flatMap(({ taskId, previous, attempt }) => {
    const section = sectionOf(rendered, attemptSection(taskId, attempt));
    if (section === undefined) return [];
    const command: vscode.Command = {
      title: vscode.l10n.t("Compare with attempt {0}", previous),
      command: "crewdeck.compareAttempts",
      tooltip: vscode.l10n.t("Shows what your feedback changed"),
      arguments: [
        { crew: execution.crew.id, kickoffId: keyOf(execution), taskId, attempt, fromLens: true },
      ],
    };
    return [{ line: section.start, command }];
  });
}

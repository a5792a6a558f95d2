import type * as vscode from "vscode";
import type { FeedbackPlace } from "../../feedback/lenses.ts";
import type { ExecutionDocuments } from "./documents.ts";
import { sectionOf } from "./sections.ts";
import { attemptSection, mayBeWaitingSection, taskSection } from "./section-ids.ts";

/** Where in a document's text a person gives feedback; nothing while nobody is asked for any. */
export function placeOf(
  documents: Pick<ExecutionDocuments, "summary" | "rendered">,
  document: vscode.TextDocument,
): FeedbackPlace | undefined {
  const execution = documents.summary(document.uri);
  const rendered = documents.rendered(document);
  if (execution === undefined || rendered === undefined) return undefined;
  if (execution.state === "waiting" && execution.waiting !== undefined) {
    const { taskId, attempt } = execution.waiting;
    // The newest output stands last: above it, and not above those that were rejected before it.
    const section =
      sectionOf(rendered, attemptSection(taskId, attempt)) ??
      sectionOf(rendered, taskSection(taskId));
    return section && { execution, taskId, line: section.start };
  }
  const section =
    execution.mayBeWaiting === true ? sectionOf(rendered, mayBeWaitingSection) : undefined;
  return section && { execution, line: section.start };
}

/** The line where a task begins in a document's text; nothing where it shows no such task. */
export function lineOfTask(
  documents: Pick<ExecutionDocuments, "rendered">,
  document: vscode.TextDocument,
  taskId: string,
): number | undefined {
  const rendered = documents.rendered(document);
  return rendered && sectionOf(rendered, taskSection(taskId))?.start;
}

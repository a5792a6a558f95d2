import type * as vscode from "vscode";
import { mayWait } from "../../executions/model.ts";
import type { FeedbackPlace } from "../../feedback/lenses.ts";
import {
  attemptSection,
  mayBeWaitingSection,
  sectionOf,
  taskSection,
} from "../../view/sections.ts";
import type { ExecutionDocuments } from "./documents.ts";

/** Where the text of an execution shows what waits, or may wait. */
export function placeOf(
  documents: Pick<ExecutionDocuments, "summary" | "rendered">,
  document: vscode.TextDocument,
): FeedbackPlace | undefined {
  const execution = documents.summary(document.uri);
  const rendered = documents.rendered(document);
  if (execution === undefined || rendered === undefined) return undefined;
  const { state, waiting } = execution;
  if (state === "waiting" && waiting !== undefined) {
    const { taskId, attempt } = waiting;
    const section =
      sectionOf(rendered, attemptSection(taskId, attempt)) ??
      sectionOf(rendered, taskSection(taskId));
    return section && { execution, taskId, line: section.start };
  }
  const section = mayWait(execution) ? sectionOf(rendered, mayBeWaitingSection) : undefined;
  return section && { execution, line: section.start };
}

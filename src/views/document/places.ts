import type * as vscode from "vscode";
import type { FeedbackPlace } from "../../feedback/place.ts";
import type { ExecutionDocuments } from "./documents.ts";
import { sectionOf } from "./sections.ts";
import { mayBeWaitingSection } from "./situation.ts";
import { taskSection } from "./task.ts";

/** Where in a document's text a person gives feedback; nothing while nobody is asked for any. */
export function placeOf(documents: Pick<ExecutionDocuments, "execution" | "rendered">, document: vscode.TextDocument): FeedbackPlace | undefined {
  const execution = documents.execution(document.uri);
  const rendered = documents.rendered(document);
  if (execution === undefined || rendered === undefined) return undefined;
  if (execution.state === "waiting" && execution.waiting !== undefined) {
    const section = sectionOf(rendered, taskSection(execution.waiting.taskId));
    return section && { execution, taskId: execution.waiting.taskId, line: section.start };
  }
  const section = execution.mayBeWaiting === true ? sectionOf(rendered, mayBeWaitingSection) : undefined;
  return section && { execution, line: section.start };
}

/** The line where a task begins in a document's text; nothing where it shows no such task. */
export function lineOfTask(documents: Pick<ExecutionDocuments, "rendered">, document: vscode.TextDocument, taskId: string): number | undefined {
  const rendered = documents.rendered(document);
  return rendered && sectionOf(rendered, taskSection(taskId))?.start;
}

import * as vscode from "vscode";
import { keyOf, type Execution } from "../../executions/model.ts";
import { formatSize } from "../../base/text.ts";
import type { DocumentLens } from "./document-lenses.ts";
import { isLarge, outputsOf, type Output } from "./outputs.ts";
import { sectionOf, type Rendered } from "./sections.ts";
import { attemptSection, isOnlyAttempt, resultSection, taskSection } from "./section-ids.ts";

/** "Open output" above each output in an execution's document. */
export function outputLenses(execution: Execution, rendered: Rendered): readonly DocumentLens[] {
  return outputsOf(execution).flatMap((output) => {
    const section = sectionOf(rendered, sectionOfOutput(output, execution));
    return section === undefined
      ? []
      : [{ line: section.start, command: openCommand(output, execution) }];
  });
}

/** The section with the heading that an output stands under. */
function sectionOfOutput({ part }: Output, execution: Execution): string {
  if (part.kind === "result") return resultSection;
  const task = execution.tasks.find(({ taskId }) => taskId === part.taskId);
  const attempt = task?.attempts.find(({ number }) => number === part.attempt);
  const isPlain =
    task !== undefined && attempt !== undefined && isOnlyAttempt(attempt, task, execution);
  return isPlain ? taskSection(part.taskId) : attemptSection(part.taskId, part.attempt);
}

function openCommand({ part, output }: Output, execution: Execution): vscode.Command {
  const task =
    part.kind === "result" ? { result: true } : { taskId: part.taskId, attempt: part.attempt };
  return {
    title: isLarge(output)
      ? vscode.l10n.t("Open all of this output ({0})", formatSize(Buffer.byteLength(output)))
      : vscode.l10n.t("Open output"),
    command: "crewdeck.openOutput",
    tooltip: vscode.l10n.t("Shows this output in an editor of its own"),
    arguments: [{ crew: execution.crew.id, kickoffId: keyOf(execution), ...task, fromLens: true }],
  };
}

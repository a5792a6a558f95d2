import path from "node:path";
import * as vscode from "vscode";
import { UserError } from "../../base/errors.ts";
import { shortName } from "../../base/text.ts";
import { inspectProject } from "../../projects/inspect.ts";

/**
 * Opens where a task, or without one its crew, is defined.
 * @param folder the local crew's, as a URI
 * @throws UserError if it can't be found
 */
export async function openDefinition(folder: string | undefined, taskId?: string): Promise<void> {
  if (folder === undefined)
    throw new UserError(vscode.l10n.t("This crew is no longer served from a folder here."));
  const { fsPath } = vscode.Uri.parse(folder, true);
  const { spots } = await inspectProject(fsPath);
  // Those of tasks come last, after methods and agents.
  const spot = spots.findLast(({ crew, tasks }) =>
    taskId === undefined ? crew === "whole" : tasks.includes(taskId),
  );
  if (spot === undefined)
    throw new UserError(
      taskId === undefined
        ? vscode.l10n.t("The crew's definition could not be found in {0}.", fsPath)
        : vscode.l10n.t(
            "The task “{0}” could not be found in {1}. It may have been renamed since.",
            shortName(taskId),
            fsPath,
          ),
    );
  const { file, line, column } = spot.at;
  const start = new vscode.Position(line - 1, column - 1);
  await vscode.window.showTextDocument(vscode.Uri.file(path.join(fsPath, file)), {
    selection: new vscode.Range(start, start),
  });
}

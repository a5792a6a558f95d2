import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { plainLabel } from "../editor/messages.ts";
import { isRequestFile, requestFileEnding } from "../kickoff/request-files/name.ts";
import { recordOf, stringOf } from "./arguments.ts";

/** Files offered at most; whoever has more opens the one that is meant. */
const most = 1000;

/** The request file that an argument names: a document's address, or an object with `file`; with no argument at all the one in the active editor. */
export function requestFileIn(argument: unknown): vscode.Uri | undefined {
  if (argument instanceof vscode.Uri) return isRequestFile(argument) ? argument : undefined;
  const named = stringOf(recordOf(argument), "file");
  if (named !== undefined) return uriOf(named);
  const active = vscode.window.activeTextEditor?.document.uri;
  return (argument === undefined || argument === null) &&
    active !== undefined &&
    isRequestFile(active)
    ? active
    : undefined;
}

/** The request file an argument names, else one of the workspace that the person chooses. @throws UserError where there is none */
export async function chooseRequestFile(argument: unknown): Promise<vscode.Uri | undefined> {
  const named = requestFileIn(argument);
  if (named !== undefined) return named;
  if (argument instanceof vscode.Uri)
    throw new UserError(vscode.l10n.t("A request file's name ends with {0}.", requestFileEnding));
  const files = await vscode.workspace.findFiles(`**/*${requestFileEnding}`, undefined, most);
  if (files.length === 0)
    throw new UserError(
      vscode.l10n.t(
        "This workspace has no request file (*{0}) yet. Save one from a form or an execution.",
        requestFileEnding,
      ),
    );
  const items = files
    .map((file) => ({ label: plainLabel(vscode.workspace.asRelativePath(file)), file }))
    .sort((one, other) => one.label.localeCompare(other.label));
  return (
    await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t("Which request file?") })
  )?.file;
}

/** The address of a file that is named as an address, a whole path, or a path in the workspace's first folder. @throws UserError for a path in no folder */
export function uriOf(file: string): vscode.Uri {
  if (/^[a-z][a-z0-9+.-]+:/i.test(file)) return vscode.Uri.parse(file, true);
  if (file.startsWith("/") || /^[a-z]:[\\/]/i.test(file)) return vscode.Uri.file(file);
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (folder === undefined)
    throw new UserError(
      vscode.l10n.t("“{0}” must be a whole path, since no folder is open.", "file"),
    );
  return vscode.Uri.joinPath(folder.uri, file);
}

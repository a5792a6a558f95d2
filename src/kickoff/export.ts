import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import type { Prefill } from "./form/values.ts";
import { wholeRequest } from "./request-files/whole-request.ts";
import { suggestFileName, withEnding } from "./request-files/file-name.ts";
import { writeRequestFile } from "./request-files/write.ts";

/** What goes into a request file. */
export interface RequestToSave {
  readonly crewName: string;
  readonly values: Prefill;
  readonly label?: string | undefined;
}

/** Writes a request file where the person says, and opens it. Nothing where the person leaves. */
export async function askAndSave(request: RequestToSave): Promise<vscode.Uri | undefined> {
  const chosen = await vscode.window.showSaveDialog({
    title: vscode.l10n.t("Save as request file"),
    saveLabel: vscode.l10n.t("Save Request File"),
    defaultUri: await suggestedUri(request),
    // VS Code's own dialog (in a browser, on a remote) looks at the last part of an ending only, and would put "kickoff.json" behind "kickoff.json".
    filters: { [vscode.l10n.t("Request files")]: ["json"] },
  });
  if (chosen === undefined) return undefined;
  const uri = chosen.with({ path: withEnding(chosen.path) });
  // The dialog asks for the name that was typed, not for the one that is written.
  if (uri.path !== chosen.path && (await exists(uri)) && !(await confirmReplacing(uri)))
    return undefined;
  await write(uri, request);
  await vscode.window.showTextDocument(uri);
  tellWhatIsLeftOut(request.values);
  return uri;
}

/** Writes a request file that must not be there yet. @throws UserError where it is */
export async function saveNew(uri: vscode.Uri, request: RequestToSave): Promise<vscode.Uri> {
  const target = uri.with({ path: withEnding(uri.path) });
  if (await exists(target))
    throw new UserError(
      vscode.l10n.t(
        "{0} exists already. Nothing was written.",
        vscode.workspace.asRelativePath(target),
      ),
    );
  await write(target, request);
  return target;
}

async function write(uri: vscode.Uri, { crewName, values, label }: RequestToSave): Promise<void> {
  await vscode.workspace.fs.writeFile(
    uri,
    new TextEncoder().encode(writeRequestFile(crewName, values, label)),
  );
}

/** In the first folder of the workspace, under a name that is free there. */
async function suggestedUri({ crewName, values }: RequestToSave): Promise<vscode.Uri> {
  const name = suggestFileName(crewName, values.inputs);
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (folder === undefined) return vscode.Uri.file(name);
  for (let number = 1; ; number++) {
    const uri = vscode.Uri.joinPath(
      folder.uri,
      number === 1 ? name : name.replace(/(?=\.kickoff\.json$)/, `-${number}`),
    );
    if (!(await exists(uri))) return uri;
  }
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === "FileNotFound") return false;
    throw error;
  }
}

async function confirmReplacing(uri: vscode.Uri): Promise<boolean> {
  const replace = vscode.l10n.t("Replace");
  return (
    (await vscode.window.showWarningMessage(
      vscode.l10n.t("{0} exists already. Replace it?", vscode.workspace.asRelativePath(uri)),
      { modal: true },
      replace,
    )) === replace
  );
}

function tellWhatIsLeftOut(values: Prefill): void {
  if (wholeRequest(values) !== undefined) return;
  void vscode.window.showInformationMessage(
    vscode.l10n.t(
      "The secrets of its callbacks are not in the file. They are entered in the form.",
    ),
  );
}

import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { runAction } from "../editor/messages.ts";
import { isLocalCrew, type CrewRef } from "../executions/model.ts";
import { hasCredentials } from "../sending/secrets.ts";
import type { Prefill } from "./callbacks.ts";
import { curlCommand } from "./curl.ts";
import { crewInFile } from "./request-files/crew.ts";
import { suggestFileName, withEnding } from "./request-files/name.ts";
import { writeRequestFile } from "./request-files/request-file.ts";

interface RequestToSave {
  readonly crew: Pick<CrewRef, "id" | "name">;
  readonly values: Prefill;
  readonly label?: string | undefined;
}

export async function copyCurl(crew: Pick<CrewRef, "id" | "url">, values: Prefill): Promise<void> {
  const { command, variables } = curlCommand(crew.url, values);
  await vscode.env.clipboard.writeText(command);
  const copyToken = vscode.l10n.t("Copy Token");
  const shown = vscode.window.showInformationMessage(
    vscode.l10n.t("Copied for a POSIX shell. Set {0} before you run it.", variables.join(", ")),
    ...(isLocalCrew(crew) ? [copyToken] : []),
  );
  void shown.then(async (title) => {
    const [command, given] = ["crewdeck.copyToken", { crew: crew.id }];
    if (title === copyToken) await runAction({ title, command, arguments: [given] });
  });
}

/** An editor of a request file that isn't saved yet. */
export async function openUnsaved(request: RequestToSave): Promise<vscode.Uri> {
  const suggested = await suggestedUri(request);
  const hasFolder = vscode.workspace.workspaceFolders !== undefined;
  // An absolute path is where it will be saved, without a question.
  const path = hasFolder ? suggested.path : suggested.path.slice(1);
  const uri = suggested.with({ scheme: "untitled", path });
  const document = await vscode.workspace.openTextDocument(uri);
  const edit = new vscode.WorkspaceEdit();
  edit.insert(uri, new vscode.Position(0, 0), textOf(request, uri));
  await vscode.workspace.applyEdit(edit);
  await vscode.window.showTextDocument(document, { preview: false });
  if (hasCredentials(request.values))
    void vscode.window.showInformationMessage(
      vscode.l10n.t(
        "The secrets of its callbacks are not in the file. They are entered in the form.",
      ),
    );
  return uri;
}

/** @throws UserError if the file exists */
export async function saveNew(uri: vscode.Uri, request: RequestToSave): Promise<vscode.Uri> {
  const target = uri.with({ path: withEnding(uri.path) });
  const name = vscode.workspace.asRelativePath(target);
  if (await exists(target))
    throw new UserError(vscode.l10n.t("{0} exists already. Nothing was written.", name));
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(textOf(request, target)));
  return target;
}

function textOf({ crew, values, label }: RequestToSave, file: vscode.Uri): string {
  return writeRequestFile(crewInFile(crew, file), values, label);
}

async function suggestedUri({ crew, values }: RequestToSave): Promise<vscode.Uri> {
  const name = suggestFileName(crew.name, values.inputs);
  const folder = vscode.workspace.workspaceFolders?.[0];
  // An editor that isn't saved yet has a name, too.
  const open = vscode.workspace.textDocuments.map(({ uri }) => uri.path.split("/").at(-1));
  for (let number = 1; ; number++) {
    const free = number === 1 ? name : name.replace(/(?=\.kickoff\.json$)/, `-${number}`);
    const uri =
      folder === undefined ? vscode.Uri.file(free) : vscode.Uri.joinPath(folder.uri, free);
    if (!open.includes(free) && !(await exists(uri))) return uri;
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

import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { confirm, runAction } from "../editor/messages.ts";
import { isLocalCrew, type CrewRef } from "../executions/model.ts";
import { hasCredentials } from "../sending/secrets.ts";
import type { Prefill } from "./callbacks.ts";
import { curlCommand } from "./curl.ts";
import { suggestFileName, withEnding } from "./request-files/name.ts";
import { writeRequestFile } from "./request-files/request-file.ts";

interface RequestToSave {
  readonly crewName: string;
  readonly values: Prefill;
  readonly label?: string | undefined;
}

/** Copies a kickoff as a cURL command, and says which variables it needs. A local crew's token can be copied next. */
export async function copyCurl(crew: Pick<CrewRef, "id" | "url">, values: Prefill): Promise<void> {
  const { command, variables } = curlCommand(crew.url, values);
  await vscode.env.clipboard.writeText(command);
  const copyToken = vscode.l10n.t("Copy Token");
  const shown = vscode.window.showInformationMessage(
    vscode.l10n.t("Copied for a POSIX shell. Set {0} before you run it.", variables.join(", ")),
    ...(isLocalCrew(crew) ? [copyToken] : []),
  );
  void shown.then(async (title) => {
    const [command, given] = ["crewdeck.copyToken", { crew: crew.id, kind: "message" }];
    if (title === copyToken) await runAction({ title, command, arguments: [given] });
  });
}

/** Writes a request file where the person chooses, and opens it. Undefined if the person cancels. */
export async function askAndSave(request: RequestToSave): Promise<vscode.Uri | undefined> {
  const chosen = await vscode.window.showSaveDialog({
    title: vscode.l10n.t("Save as Request File"),
    saveLabel: vscode.l10n.t("Save Request File"),
    defaultUri: await suggestedUri(request),
    // VS Code's own dialog (in a browser, on a remote) compares only the last part of the ending, and would repeat "kickoff.json".
    filters: { [vscode.l10n.t("Request files")]: ["json"] },
  });
  if (chosen === undefined) return undefined;
  const uri = chosen.with({ path: withEnding(chosen.path) });
  // The dialog asked only for the name that was typed.
  if (uri.path !== chosen.path && (await exists(uri))) {
    const name = vscode.workspace.asRelativePath(uri);
    const question = vscode.l10n.t("{0} exists already. Replace it?", name);
    if (!(await confirm(question, "", vscode.l10n.t("Replace")))) return undefined;
  }
  await write(uri, request);
  await vscode.window.showTextDocument(uri, { preview: false });
  if (hasCredentials(request.values))
    void vscode.window.showInformationMessage(
      vscode.l10n.t(
        "The secrets of its callbacks are not in the file. They are entered in the form.",
      ),
    );
  return uri;
}

/** Writes a new request file. @throws UserError if it exists */
export async function saveNew(uri: vscode.Uri, request: RequestToSave): Promise<vscode.Uri> {
  const target = uri.with({ path: withEnding(uri.path) });
  const name = vscode.workspace.asRelativePath(target);
  if (await exists(target))
    throw new UserError(vscode.l10n.t("{0} exists already. Nothing was written.", name));
  await write(target, request);
  return target;
}

async function write(uri: vscode.Uri, { crewName, values, label }: RequestToSave): Promise<void> {
  const text = writeRequestFile(crewName, values, label);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
}

async function suggestedUri({ crewName, values }: RequestToSave): Promise<vscode.Uri> {
  const name = suggestFileName(crewName, values.inputs);
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (folder === undefined) return vscode.Uri.file(name);
  for (let number = 1; ; number++) {
    const free = number === 1 ? name : name.replace(/(?=\.kickoff\.json$)/, `-${number}`);
    const uri = vscode.Uri.joinPath(folder.uri, free);
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

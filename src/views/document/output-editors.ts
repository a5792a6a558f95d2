import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import type { Picture } from "../../api/types.ts";
import { hashOf } from "../../base/bearer.ts";
import { fileName } from "../../base/files.ts";
import { type ExecutionPart, partName, partUri } from "../../editor/execution-uri.ts";
import { type Execution, type ExecutionSummary, keyOf } from "../../executions/model.ts";
import { titleOf } from "../../executions/title.ts";
import { outputContent } from "../../view/markdown.ts";
import { isLarge, type Output, outputOf, shownOutput } from "../../view/outputs.ts";
import { formatTime } from "../../view/words.ts";

export function outputUri(execution: Execution, part: ExecutionPart, scheme?: string) {
  const output = outputOf(execution, part);
  const address = { crewName: execution.crew.name, key: keyOf(execution) };
  return output === undefined
    ? undefined
    : partUri(address, part, outputContent(output).extension, scheme);
}

/** Large outputs are files in `folder`, which VS Code loads in pieces. */
export async function openOutput(folder: string, execution: Execution, { part, output }: Output) {
  if (!isLarge(output)) {
    const uri = outputUri(execution, part);
    if (uri !== undefined) await vscode.window.showTextDocument(uri);
    return uri;
  }
  const { extension, text } = shownOutput(output);
  // No other part has this name.
  const name = partName(part);
  const plain = fileName(name);
  const unique = plain === name ? plain : `${plain} ${hashOf(name).slice(0, 12)}`;
  return await openFile(folder, execution, `${unique}.${extension}`, text);
}

/** A file that says when it was asked for (ms since 1970), and of an error its status. */
export async function openAnswer(
  folder: string,
  execution: ExecutionSummary,
  { text, status, askedAt }: { text: string; status?: number; askedAt: number },
): Promise<vscode.Uri> {
  // With milliseconds, since two answers may arrive in one second.
  const milliseconds = String(askedAt % 1_000).padStart(3, "0");
  const time = `${formatTime(askedAt).replaceAll(":", ".")}.${milliseconds}`;
  const name = status === undefined ? `status at ${time}` : `status ${status} at ${time}`;
  const shown = shownOutput(text);
  return await openFile(folder, execution, `${name}.${shown.extension}`, shown.text);
}

export async function saveOutput(execution: Execution, { part, output }: Output) {
  const { extension, text } = outputContent(output);
  const name = `${fileName(titleOf(execution))} - ${fileName(partName(part))}.${extension}`;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
  const title = vscode.l10n.t("Save Output");
  const defaultUri = vscode.Uri.joinPath(folder, name);
  const target = await vscode.window.showSaveDialog({ title, defaultUri });
  if (target !== undefined)
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
  return target;
}

export async function openPicture(
  folder: string,
  execution: ExecutionSummary,
  { type, base64 }: Required<Picture>,
): Promise<vscode.Uri> {
  const name = `picture ${hashOf(base64).slice(0, 12)}.${type}`;
  return await openFile(folder, execution, name, Buffer.from(base64, "base64"));
}

async function openFile(
  folder: string,
  { localId }: ExecutionSummary,
  name: string,
  data: string | Buffer,
): Promise<vscode.Uri> {
  const file = path.join(folder, localId, name);
  // An attempt's output never changes, so its size is enough.
  const known = await stat(file).catch(() => undefined);
  if (known?.size !== Buffer.byteLength(data)) {
    // For this user only, as the database.
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await rm(file, { force: true });
    await writeFile(file, data, { mode: 0o444 });
  }
  const uri = vscode.Uri.file(file);
  await vscode.commands.executeCommand("vscode.open", uri, { preview: true });
  await vscode.commands.executeCommand("workbench.action.files.setActiveEditorReadonlyInSession");
  return uri;
}

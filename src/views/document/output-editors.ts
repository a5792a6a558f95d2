import { chmod, mkdir, stat, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import type { Picture } from "../../api/types.ts";
import { fileName, writeText } from "../../base/files.ts";
import { partName, partUri, type ExecutionPart } from "../../editor/execution-uri.ts";
import { withCancel } from "../../editor/messages.ts";
import { keyOf, type Execution, type ExecutionSummary } from "../../executions/model.ts";
import { titleOf } from "../../executions/title.ts";
import { formatTime } from "../../view/words.ts";
import { outputContent } from "../../view/markdown.ts";
import { isLarge, outputOf, shownOutput, type Output } from "../../view/outputs.ts";

/** Undefined if the attempt's output isn't known. */
export function outputUri(
  execution: Execution,
  taskId: string,
  attempt: number,
  scheme?: string,
): vscode.Uri | undefined {
  const part = { kind: "attempt", taskId, attempt } as const;
  const output = outputOf(execution, part);
  return output === undefined ? undefined : uriOf(execution, part, output, scheme);
}

export interface RawAnswer {
  readonly text: string;
  /** Only for an error. */
  readonly status?: number;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
}

/** A file that says when it was asked for. Undefined if cancelled. */
export async function openAnswer(
  folder: string,
  { localId }: ExecutionSummary,
  { text, status, askedAt }: RawAnswer,
): Promise<vscode.Uri | undefined> {
  const asked = new Date(askedAt).toISOString();
  // With milliseconds, since two answers may arrive in one second.
  const time = `${formatTime(asked).replaceAll(":", ".")}.${asked.slice(-4, -1)}`;
  const name = status === undefined ? `status at ${time}` : `status ${status} at ${time}`;
  const shown = shownOutput(text);
  return await openFile(path.join(folder, localId, `${name}.${shown.extension}`), shown.text);
}

/** Formats only JSON. Undefined if cancelled. */
export async function saveOutput(
  execution: ExecutionSummary,
  { part, output }: Output,
): Promise<vscode.Uri | undefined> {
  const { extension, text } = outputContent(output);
  const name = `${fileName(titleOf(execution))} - ${fileName(partName(part))}.${extension}`;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t("Save Output"),
    defaultUri: vscode.Uri.joinPath(folder, name),
    filters:
      extension === "json"
        ? { JSON: ["json"] }
        : { Markdown: ["md"], [vscode.l10n.t("Text")]: ["txt"] },
  });
  if (target === undefined) return undefined;
  if (target.scheme !== "file")
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
  else if (!isLarge(output)) await writeText(target.fsPath, text);
  else {
    const title = vscode.l10n.t("Saving {0}", path.posix.basename(target.path));
    return await withCancel(title, async (signal) => {
      await writeText(target.fsPath, text, { signal });
      return target;
    });
  }
  return target;
}

export function uriOf(
  { crew: { name: crewName }, ...ids }: ExecutionSummary,
  part: ExecutionPart,
  output: string,
  scheme?: string,
): vscode.Uri {
  return partUri({ crewName, key: keyOf(ids) }, part, outputContent(output).extension, scheme);
}

/** Large outputs are files in `folder`, which VS Code loads in pieces. Undefined if cancelled. */
export async function openOutput(
  folder: string,
  execution: ExecutionSummary,
  part: ExecutionPart,
  output: string,
): Promise<vscode.Uri | undefined> {
  if (!isLarge(output)) {
    const uri = uriOf(execution, part, output);
    await vscode.window.showTextDocument(uri);
    return uri;
  }
  const { extension, text } = shownOutput(output);
  const name = `${uniqueName(part)}.${extension}`;
  return await openFile(path.join(folder, execution.localId, name), text);
}

/** Read-only. Undefined if cancelled. */
async function openFile(file: string, text: string): Promise<vscode.Uri | undefined> {
  // An attempt's output never changes, so its size is enough.
  const known = await stat(file).catch(() => undefined);
  if (known?.size !== Buffer.byteLength(text)) {
    // For this user only, as the database.
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const title = vscode.l10n.t("Opening {0}", path.basename(file));
    const written = await withCancel(title, async (signal) => {
      await writeText(file, text, { signal });
      return true;
    });
    if (written === undefined) return undefined;
    await chmod(file, 0o444);
  }
  const uri = vscode.Uri.file(file);
  await vscode.commands.executeCommand("vscode.open", uri, { preview: true });
  await vscode.commands.executeCommand("workbench.action.files.setActiveEditorReadonlyInSession");
  return uri;
}

/** Opens a file, from where VS Code saves or copies it. */
export async function openPicture(
  folder: string,
  { localId }: ExecutionSummary,
  { type, base64 }: Required<Picture>,
): Promise<vscode.Uri> {
  const name = createHash("sha256").update(base64).digest("hex").slice(0, 12);
  const file = path.join(folder, localId, `picture ${name}.${type}`);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, base64, { encoding: "base64", mode: 0o600 });
  const uri = vscode.Uri.file(file);
  await vscode.commands.executeCommand("vscode.open", uri, { preview: true });
  return uri;
}

/** A file name that no other part has, without extension. */
function uniqueName(part: ExecutionPart): string {
  const name = partName(part);
  const plain = fileName(name);
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 12);
  return plain === name ? plain : `${plain} ${hash}`;
}

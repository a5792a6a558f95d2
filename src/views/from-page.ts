import path from "node:path";
import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { shortName } from "../base/text.ts";
import { inspectProject } from "../projects/inspect.ts";
import { isFile } from "../projects/reading.ts";

/** @param folder the local crew's, as a URI. @throws UserError if it can't be found */
export async function openDefinition(folder: string | undefined, taskId?: string): Promise<void> {
  const { fsPath } = vscode.Uri.parse(folderOf(folder), true);
  const { spots } = await inspectProject(fsPath);
  // The crew comes first; tasks come last, after methods and agents.
  const spot =
    taskId === undefined
      ? spots.find(({ isCrew }) => isCrew)
      : spots.findLast(({ tasks }) => tasks.includes(taskId));
  if (spot === undefined) throw notFound(shortName(taskId ?? path.basename(fsPath)), fsPath);
  await showAt(vscode.Uri.file(path.join(fsPath, spot.at.file)), spot.at);
}

/** There may be no .env yet. @throws UserError if it can't be found */
export async function openFile(
  folder: string | undefined,
  { file, line = 1 }: { readonly file: string; readonly line?: number },
): Promise<void> {
  const project = vscode.Uri.parse(folderOf(folder), true);
  const named = await findFile(project, file);
  if (named === undefined && file !== ".env") throw notFound(file, project.fsPath);
  const empty = vscode.Uri.joinPath(project, file).with({ scheme: "untitled" });
  await showAt(named ?? empty, { line, column: 1 });
}

/** A file of a project, never one outside of it: at this path, or else the first that ends with it. */
async function findFile(project: vscode.Uri, file: string): Promise<vscode.Uri | undefined> {
  const root = path.posix.resolve(project.path);
  const exact = project.with({ path: path.posix.resolve(root, file) });
  if (exact.path.startsWith(`${root}/`) && (await isFile(exact.fsPath))) return exact;
  if (file === ".env" || path.posix.isAbsolute(file)) return undefined;
  const pattern = new vscode.RelativePattern(project, `**/${path.posix.basename(file)}`);
  const found = await vscode.workspace.findFiles(pattern, "**/{.venv,venv,node_modules}/**");
  const ending = `/${path.posix.normalize(file)}`;
  return found.find((uri) => uri.path.slice(root.length).endsWith(ending));
}

function notFound(name: string, folder: string): UserError {
  return new UserError(
    vscode.l10n.t("“{0}” could not be found in {1}. It may have been renamed.", name, folder),
  );
}

function folderOf(folder: string | undefined): string {
  if (folder !== undefined) return folder;
  throw new UserError(vscode.l10n.t("This crew is no longer served from a folder here."));
}

/** @param at from 1 */
async function showAt(uri: vscode.Uri, at: { readonly line: number; readonly column: number }) {
  const start = new vscode.Position(at.line - 1, at.column - 1);
  await vscode.window.showTextDocument(uri, { selection: new vscode.Range(start, start) });
}

import * as vscode from "vscode";
import type { ExecutionSummary } from "../../executions/model.ts";
import {
  attemptSection,
  mapLine,
  type Rendered,
  sectionOf,
  stepSection,
  taskSection,
} from "../../view/sections.ts";
import { placeOfWaiting } from "../../view/text.ts";
import type { ExecutionDocuments } from "./documents.ts";

export interface ShowOptions {
  readonly attempt?: number | undefined;
  /** Its ID. The text has not all of them. */
  readonly step?: string;
  readonly keepsFocus?: boolean;
}

/** How long to wait for the current state before moving to a place in it (ms). */
const maxWait = 2000;

/** As text: the preview has no lenses. At the task, its attempt or step, at what waits, or where the reader was. */
export async function showExecution(
  documents: ExecutionDocuments,
  execution: ExecutionSummary,
  taskId?: string,
  { attempt, step, keepsFocus = false }: ShowOptions = {},
): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(documents.uriOf(execution));
  const preview = execution.waiting === undefined;
  const options = { preview, preserveFocus: keepsFocus };
  const editor = await vscode.window.showTextDocument(document, options);
  const isCurrent = () => documents.isCurrent(document);
  if (!isCurrent()) await until(vscode.workspace.onDidChangeTextDocument, isCurrent, maxWait);
  const rendered = documents.rendered(document);
  const place = rendered && placeOfWaiting(execution, rendered);
  const isElsewhere =
    taskId !== undefined &&
    (taskId !== place?.taskId || (attempt !== undefined && attempt !== execution.waiting?.attempt));
  const wanted = [
    ...(step === undefined ? [] : [stepSection(step)]),
    ...(isElsewhere && attempt !== undefined ? [attemptSection(taskId, attempt)] : []),
    ...(isElsewhere ? [taskSection(taskId)] : []),
  ];
  const [section] = wanted.flatMap((id) => (rendered && sectionOf(rendered, id)) ?? []);
  const line = section?.start ?? place?.first;
  if (line !== undefined) {
    editor.selection = new vscode.Selection(line, 0, line, 0);
    // Its lenses are between this line and the one above.
    revealAtTop(editor, Math.max(0, line - 1));
  }
  return editor;
}

/** VS Code replaces all lines from the first to the last change, with the cursor (observed in 1.139). */
export function keepReaderPlaces(
  documents: Pick<ExecutionDocuments, "rendered">,
): vscode.Disposable {
  const { workspace, window } = vscode;
  const shown = new Map<string, Rendered>();
  const remember = (document: vscode.TextDocument) => {
    const rendered = documents.rendered(document);
    if (rendered !== undefined) shown.set(document.uri.toString(), rendered);
    return rendered;
  };
  /** Editors still have the old selection and view. */
  const changed = ({ document, contentChanges }: vscode.TextDocumentChangeEvent) => {
    if (contentChanges.length === 0) return;
    const from = shown.get(document.uri.toString());
    const to = remember(document);
    if (from === undefined || to === undefined) return;
    const firstChanged = Math.min(...contentChanges.map(({ range }) => range.start.line));
    for (const editor of window.visibleTextEditors) {
      if (editor.document !== document) continue;
      if (firstChanged <= lastLineOf(editor)) restore(editor, from, to);
    }
  };
  workspace.textDocuments.forEach(remember);
  return vscode.Disposable.from(
    workspace.onDidOpenTextDocument(remember),
    workspace.onDidCloseTextDocument(({ uri }) => shown.delete(uri.toString())),
    workspace.onDidChangeTextDocument(changed),
  );
}

/** A change below the last visible or selected line moves nothing. */
function lastLineOf({ visibleRanges, selections }: vscode.TextEditor): number {
  return Math.max(...[...visibleRanges, ...selections].map(({ end }) => end.line));
}

/** Below sticky headings. */
function revealAtTop(editor: vscode.TextEditor, line: number): void {
  const range = new vscode.Range(line, 0, line, 0);
  editor.revealRange(range, vscode.TextEditorRevealType.AtTop);
}

function restore(editor: vscode.TextEditor, from: Rendered, to: Rendered): void {
  const now = (position: vscode.Position) =>
    editor.document.validatePosition(position.with(mapLine(position.line, from, to)));
  const top = editor.visibleRanges[0]?.start;
  editor.selections = editor.selections.map(
    ({ anchor, active }) => new vscode.Selection(now(anchor), now(active)),
  );
  if (top !== undefined) showAtTop(editor, now(top).line);
}

/** `revealRange` leaves room for sticky headings (observed in 1.104, 1.139). Only an active editor can be scrolled. */
function showAtTop(editor: vscode.TextEditor, line: number): void {
  const room = Math.min(line, roomAbove(editor.document));
  const isActive = editor === vscode.window.activeTextEditor;
  revealAtTop(editor, isActive ? line : line + room);
  if (isActive && room > 0)
    void vscode.commands.executeCommand("editorScroll", {
      to: "down",
      by: "wrappedLine",
      value: room,
      revealCursor: false,
    });
}

/** The lines that `revealRange` leaves above. */
function roomAbove(document: vscode.TextDocument): number {
  const settings = vscode.workspace.getConfiguration("editor", document);
  const isSticky = settings.get<boolean>("stickyScroll.enabled") === true;
  const sticky = isSticky ? settings.get<number>("stickyScroll.maxLineCount", 5) : 0;
  return Math.max(sticky, settings.get<number>("cursorSurroundingLines", 0));
}

/** Resolves at the first event for which `isIt` is true, or after `limit` milliseconds. */
async function until<T>(
  event: vscode.Event<T>,
  isIt: (value: T) => boolean,
  limit: number,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      listener.dispose();
      resolve();
    };
    const timer = setTimeout(done, limit);
    const listener = event((value) => {
      if (isIt(value)) done();
    });
  });
}

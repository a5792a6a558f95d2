import * as vscode from "vscode";
import type { ExecutionDocuments } from "./documents.ts";
import { nextAttempt } from "./next-attempt.ts";
import { mapLine, type Rendered, type Section } from "./sections.ts";

/**
 * Keeps a reader where he is while a document changes under him, or shows the next attempt to one who waits for it. VS Code replaces everything from the first changed line to
 * the last, which throws the cursor to the end and moves the view (observed in 1.139).
 */
export class ReaderPlaces implements vscode.Disposable {
  readonly #documents: Pick<ExecutionDocuments, "rendered">;
  /** What each open document showed before its next change. */
  readonly #shown = new Map<string, Rendered>();
  readonly #subscriptions: vscode.Disposable;

  constructor(documents: Pick<ExecutionDocuments, "rendered">) {
    this.#documents = documents;
    for (const document of vscode.workspace.textDocuments) this.#remember(document);
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.onDidOpenTextDocument((document) => {
        this.#remember(document);
      }),
      vscode.workspace.onDidCloseTextDocument((document) =>
        this.#shown.delete(document.uri.toString()),
      ),
      vscode.workspace.onDidChangeTextDocument((event) => {
        this.#changed(event);
      }),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #remember(document: vscode.TextDocument): Rendered | undefined {
    const rendered = this.#documents.rendered(document);
    if (rendered !== undefined) this.#shown.set(document.uri.toString(), rendered);
    return rendered;
  }

  /** At this moment an editor still says where its reader was before the change. */
  #changed({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (contentChanges.length === 0) return;
    const from = this.#shown.get(document.uri.toString());
    const to = this.#remember(document);
    if (from === undefined || to === undefined) return;
    const firstChanged = Math.min(...contentChanges.map((change) => change.range.start.line));
    for (const editor of vscode.window.visibleTextEditors.filter(
      (each) => each.document === document,
    )) {
      const next = awaited(editor, from, to);
      if (next !== undefined) goTo(editor, next);
      else if (firstChanged <= lastLineOf(editor)) restore(editor, from, to);
    }
  }
}

/** The last line that the reader sees or has the cursor in; a change below it moves nothing. */
function lastLineOf(editor: vscode.TextEditor): number {
  return Math.max(
    ...editor.visibleRanges.map((range) => range.end.line),
    ...editor.selections.map((selection) => selection.end.line),
  );
}

/**
 * Puts the cursor on a heading and shows it below the sticky headings, for which `revealRange` keeps room; the line above
 * it is shown as well, since the row of lenses stands between the two.
 */
function goTo(editor: vscode.TextEditor, { start }: Section): void {
  const position = new vscode.Position(start, 0);
  editor.selection = new vscode.Selection(position, position);
  const above = new vscode.Position(Math.max(0, start - 1), 0);
  editor.revealRange(new vscode.Range(above, above), vscode.TextEditorRevealType.AtTop);
}

function restore(editor: vscode.TextEditor, from: Rendered, to: Rendered): void {
  const now = (position: vscode.Position) =>
    editor.document.validatePosition(position.with(mapLine(position.line, from, to)));
  const top = editor.visibleRanges[0]?.start;
  editor.selections = editor.selections.map(
    (selection) => new vscode.Selection(now(selection.anchor), now(selection.active)),
  );
  if (top !== undefined) showAtTop(editor, now(top).line);
}

/** The next attempt, if its reader waits for it: the cursor is still in the one that was answered, which is in view, and nothing is selected. */
function awaited(editor: vscode.TextEditor, from: Rendered, to: Rendered): Section | undefined {
  const { selection, visibleRanges } = editor;
  const isThere =
    selection.isEmpty && visibleRanges.some((range) => range.contains(selection.active));
  return isThere ? nextAttempt(selection.active.line, from, to) : undefined;
}

/**
 * Makes a line the first that is seen. `revealRange` keeps room above it for sticky headings (observed in 1.104 and 1.139), so
 * that the view would go up by as much at every refresh; the rest is scrolled, which VS Code does for the active editor only.
 */
function showAtTop(editor: vscode.TextEditor, line: number): void {
  const room = Math.min(line, roomAbove(editor.document));
  const isActive = editor === vscode.window.activeTextEditor;
  const target = new vscode.Position(isActive ? line : line + room, 0);
  editor.revealRange(new vscode.Range(target, target), vscode.TextEditorRevealType.AtTop);
  if (isActive && room > 0)
    void vscode.commands.executeCommand("editorScroll", {
      to: "down",
      by: "wrappedLine",
      value: room,
      revealCursor: false,
    });
}

/** How many lines `revealRange` keeps free above what it reveals. */
function roomAbove(document: vscode.TextDocument): number {
  const settings = vscode.workspace.getConfiguration("editor", document);
  const sticky =
    settings.get<boolean>("stickyScroll.enabled") === true
      ? settings.get<number>("stickyScroll.maxLineCount", 5)
      : 0;
  return Math.max(sticky, settings.get<number>("cursorSurroundingLines", 0));
}

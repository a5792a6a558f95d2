import * as vscode from "vscode";
import type { ExecutionSummary } from "../../executions/model.ts";
import { headingsOf } from "../../view/embed.ts";
import {
  attemptSection,
  idsSection,
  mapLine,
  placeOfWaiting,
  type Rendered,
  sectionOf,
  taskSection,
} from "../../view/text.ts";
import type { ExecutionDocuments } from "./documents.ts";

export interface ShowOptions {
  readonly attempt?: number | undefined;
  readonly keepsFocus?: boolean;
}

export async function showExecution(
  documents: ExecutionDocuments,
  execution: ExecutionSummary,
  taskId?: string,
  { attempt, keepsFocus = false }: ShowOptions = {},
): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(documents.uriOf(execution));
  const preview = execution.waiting === undefined;
  const options = { preview, preserveFocus: keepsFocus };
  const editor = await vscode.window.showTextDocument(document, options);
  await untilCurrent(documents, document);
  const rendered = documents.rendered(document);
  const place = rendered && placeOfWaiting(execution, rendered);
  const isElsewhere =
    taskId !== undefined &&
    (taskId !== place?.taskId || (attempt !== undefined && attempt !== execution.waiting?.attempt));
  const startOf = (id: string) => rendered && sectionOf(rendered, id)?.start;
  const own = attempt === undefined ? undefined : startOf(attemptSection(taskId ?? "", attempt));
  const line = isElsewhere ? (own ?? startOf(taskSection(taskId)) ?? place?.first) : place?.first;
  if (line !== undefined) {
    editor.selection = new vscode.Selection(line, 0, line, 0);
    // Its lenses are between this line and the one above.
    revealAtTop(editor, Math.max(0, line - 1));
  }
  return editor;
}

async function untilCurrent(documents: ExecutionDocuments, document: vscode.TextDocument) {
  if (documents.isCurrent(document)) return;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, 2_000, undefined);
  const listener = vscode.workspace.onDidChangeTextDocument(() => {
    if (documents.isCurrent(document)) resolve(undefined);
  });
  await promise;
  clearTimeout(timer);
  listener.dispose();
}

/** At the right edge, as high as its line. VS Code takes no theme colour for it: this one is seen in all. */
const bar =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10" preserveAspectRatio="none"><rect x="7" width="2" height="10" fill="#b58900"/></svg>';

export function markDrafts(documents: ExecutionDocuments): vscode.Disposable {
  const draft = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    // A border of the lines would cross their first letters.
    gutterIconPath: vscode.Uri.parse(`data:image/svg+xml;base64,${btoa(bar)}`),
    gutterIconSize: "100% 100%",
    overviewRulerColor: new vscode.ThemeColor("list.warningForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  const show = () => {
    for (const editor of vscode.window.visibleTextEditors) {
      const execution = documents.summary(editor.document.uri);
      const rendered = documents.rendered(editor.document);
      const place = execution && rendered && placeOfWaiting(execution, rendered);
      if (rendered !== undefined)
        editor.setDecorations(
          draft,
          place?.taskId ? [new vscode.Range(place.first, 0, place.last, 0)] : [],
        );
    }
  };
  show();
  return vscode.Disposable.from(
    draft,
    vscode.window.onDidChangeVisibleTextEditors(show),
    vscode.workspace.onDidChangeTextDocument(show),
  );
}

/** VS Code replaces all lines from the first to the last change, with the cursor (observed in 1.139). */
export function keepReaderPlaces(documents: ExecutionDocuments): vscode.Disposable {
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
      // A change below the last visible or selected line moves nothing.
      const seen = [...editor.visibleRanges, ...editor.selections].map(({ end }) => end.line);
      if (firstChanged <= Math.max(...seen)) restore(editor, from, to);
    }
  };
  workspace.textDocuments.forEach(remember);
  return vscode.Disposable.from(
    workspace.onDidOpenTextDocument(remember),
    workspace.onDidCloseTextDocument(({ uri }) => shown.delete(uri.toString())),
    workspace.onDidChangeTextDocument(changed),
  );
}

/** Below sticky headings. */
function revealAtTop(editor: vscode.TextEditor, line: number): void {
  editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.AtTop);
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
  const settings = vscode.workspace.getConfiguration("editor", editor.document);
  const isSticky = settings.get<boolean>("stickyScroll.enabled") === true;
  const sticky = isSticky ? settings.get<number>("stickyScroll.maxLineCount", 5) : 0;
  const left = Math.max(sticky, settings.get<number>("cursorSurroundingLines", 0));
  const value = Math.min(line, left);
  const isActive = editor === vscode.window.activeTextEditor;
  revealAtTop(editor, isActive ? line : line + value);
  const how = { to: "down", by: "wrappedLine", value, revealCursor: false };
  if (isActive && value > 0) void vscode.commands.executeCommand("editorScroll", how);
}

/** The headings of a document as VS Code's outline shows them: it has its own only for Markdown itself. */
export function outlineOf(document: vscode.TextDocument): vscode.DocumentSymbol[] {
  const top: vscode.DocumentSymbol[] = [];
  const open: { readonly level: number; readonly children: vscode.DocumentSymbol[] }[] = [];
  for (const { name, level, line, end } of headingsOf(document.getText())) {
    const whole = new vscode.Range(line, 0, end, document.lineAt(end).text.length);
    const own = document.lineAt(line).range;
    const symbol = new vscode.DocumentSymbol(name, "", vscode.SymbolKind.String, whole, own);
    const parent = open.findLast((each) => each.level < level);
    (parent?.children ?? top).push(symbol);
    open.splice(parent === undefined ? 0 : open.indexOf(parent) + 1, Infinity, {
      level,
      children: symbol.children,
    });
  }
  return top;
}

export function foldingOf(document: vscode.TextDocument, rendered: Rendered | undefined) {
  const ids = rendered && sectionOf(rendered, idsSection)?.start;
  return headingsOf(document.getText())
    .filter(({ line, end }) => end > line)
    .map(({ line, end }) => {
      const kind = line === ids ? vscode.FoldingRangeKind.Imports : undefined;
      return new vscode.FoldingRange(line, end, kind);
    });
}

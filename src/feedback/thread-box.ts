import * as vscode from "vscode";
import { commentBoxScheme } from "../editor/environment.ts";
import { fillThread, focusThread } from "./focus-thread.ts";
import type { OpenThread } from "./open-thread.ts";
import { UnsentWords } from "./unsent.ts";

/** Milliseconds after which a thread that does not come is taken for deleted: one that was there before, and a new one, for which a busy machine takes longer. */
const longest = { known: 5_000, new: 30_000 };

/** Unfolds a thread and gives the focus to its box. False if the thread is no longer there. */
export async function showThread(
  editor: vscode.TextEditor,
  open: OpenThread,
  limit = longest.known,
): Promise<boolean> {
  open.thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
  return await focusThread(editor, open.thread, () => open.isOpen, limit);
}

/** Shows a new thread and puts text into its box. False where the box does not take it; `old` is the box of the thread before it, which may still be there. */
export async function beginThread(
  editor: vscode.TextEditor,
  open: OpenThread,
  text = "",
  old?: vscode.TextDocument,
): Promise<boolean> {
  const isThere = await showThread(editor, open, longest.new);
  return (
    text === "" || !open.isOpen || (isThere && (await fillThread(editor, open.thread, text, old)))
  );
}

/** The editor in which a thread is, while the person is there or in the thread's box; `box` is its document, where it is known. */
export function editorInUse(
  open: OpenThread,
  box: vscode.TextDocument | undefined,
): vscode.TextEditor | undefined {
  const active = vscode.window.activeTextEditor?.document;
  const isInBox = box === undefined ? active?.uri.scheme === commentBoxScheme : active === box;
  return isInBox || active?.uri.toString() === open.thread.uri.toString()
    ? editorOf(open)
    : undefined;
}

/** Shows words as a comment that is open for editing: VS Code has emptied the box, as it does when it hands words over. */
export function putForEditing(open: OpenThread, text: string, why?: string): void {
  open.thread.canReply = false;
  open.thread.comments = [new UnsentWords(open.thread, text, why)];
}

/** The box that holds these words, while it is there: what is typed on in it can be read in it. Nothing where several do. */
export function boxHolding(text: string): vscode.TextDocument | undefined {
  const lines = (words: string) => words.replaceAll("\r\n", "\n");
  const [box, other] = vscode.workspace.textDocuments.filter(
    (document) =>
      document.uri.scheme === commentBoxScheme && lines(document.getText()) === lines(text),
  );
  return other === undefined ? box : undefined;
}

/** The editor in which a thread is. */
export function editorOf({ thread }: OpenThread): vscode.TextEditor | undefined {
  return vscode.window.visibleTextEditors.find(
    ({ document }) => document.uri.toString() === thread.uri.toString(),
  );
}

import * as vscode from "vscode";
import { commentBoxScheme } from "../editor/active-document.ts";
import { fillThread, focusThread } from "./focus-thread.ts";
import type { OpenThread } from "./open-thread.ts";
import { UnsentWords } from "./unsent.ts";

/** Unfolds a thread and gives the keys to its box. False if the thread is no longer there. */
export async function showThread(editor: vscode.TextEditor, open: OpenThread): Promise<boolean> {
  open.thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
  return await focusThread(editor, open.thread, () => open.isOpen);
}

/** Shows a new thread and puts words into its box, or below it where it does not take them. */
export async function beginThread(editor: vscode.TextEditor, open: OpenThread, text = ""): Promise<void> {
  if (!(await fill(editor, open, text, ""))) putForEditing(open, text);
}

/** Puts words back, which a command was handed with `before`, into the box that VS Code has emptied for it. */
export async function putBack(open: OpenThread, text: string, before: string): Promise<void> {
  const editor = editorOf(open);
  if (editor === undefined || !(await refill(editor, open, text, before))) putForEditing(open, text);
}

/**
 * Puts words that were not sent back into their box, where the person still is; `box` is its document, where it is known, and `before`
 * what was in it. False where they are not in it, as where the person has gone elsewhere: who writes there keeps the keys.
 */
export async function giveBack(open: OpenThread, text: string, { box, before }: { readonly box: vscode.TextDocument | undefined; readonly before: string }): Promise<boolean> {
  const editor = editorOf(open);
  const active = vscode.window.activeTextEditor?.document;
  const isInBox = box === undefined ? active?.uri.scheme === commentBoxScheme : active === box;
  const isHere = isInBox || active?.uri.toString() === open.thread.uri.toString();
  return editor !== undefined && isHere && (await refill(editor, open, text, before));
}

/** Shows words as a comment that is open for editing: VS Code has emptied the box, as it does when it hands words over. */
export function putForEditing(open: OpenThread, text: string, why?: string): void {
  open.thread.canReply = false;
  open.thread.comments = [new UnsentWords(open.thread, text, why)];
}

/** The box that holds these words, while it is there: what is typed on in it can be read in it. Nothing where several do. */
export function boxHolding(text: string): vscode.TextDocument | undefined {
  const lines = (words: string) => words.replaceAll("\r\n", "\n");
  const [box, other] = vscode.workspace.textDocuments.filter((document) => document.uri.scheme === commentBoxScheme && lines(document.getText()) === lines(text));
  return other === undefined ? box : undefined;
}

/** True also where the thread was closed meanwhile: nothing is left to be put anywhere. */
async function refill(editor: vscode.TextEditor, open: OpenThread, text: string, before: string): Promise<boolean> {
  if (!open.isOpen) return true;
  open.thread.comments = [];
  open.thread.canReply = true;
  return await fill(editor, open, text, before);
}

async function fill(editor: vscode.TextEditor, open: OpenThread, text: string, before: string): Promise<boolean> {
  const isThere = await showThread(editor, open);
  if (text === "" || !open.isOpen) return true;
  return isThere && (await fillThread(text, before));
}

function editorOf({ thread }: OpenThread): vscode.TextEditor | undefined {
  return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === thread.uri.toString());
}

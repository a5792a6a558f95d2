import { setTimeout as delay } from "node:timers/promises";
import * as vscode from "vscode";
import { commentBoxScheme } from "../editor/environment.ts";
import { joined } from "./words-under-way.ts";

/** Milliseconds between two looks for the thread. VS Code draws a new thread a moment later and does not say when. */
const step = 50;

/**
 * Gives a thread's box the focus, which VS Code leaves to the editor below it (observed in 1.104 and 1.139; `reveal` of a
 * thread is not in the stable API). The thread is there once "next comment thread" leads the cursor to it. False if it does
 * not come within `longest` milliseconds: the person has deleted it. `isOpen` ends the search when the thread has been closed.
 */
export async function focusThread(
  editor: vscode.TextEditor,
  thread: vscode.CommentThread,
  isOpen: () => boolean,
  longest: number,
): Promise<boolean> {
  const end = performance.now() + longest;
  // It moves with its text, also while it is looked for.
  const lineNow = () => thread.range?.start.line ?? 0;
  while (isOpen() && performance.now() < end) {
    const above = new vscode.Position(Math.max(0, lineNow() - 1), 0);
    editor.selection = new vscode.Selection(above, above);
    await vscode.commands.executeCommand("editor.action.nextCommentThreadAction");
    if (editor.selection.active.line === lineNow()) {
      await enterBox();
      return true;
    }
    await delay(step);
  }
  return !isOpen();
}

async function enterBox(): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.focusCommentOnCurrentLine");
  await vscode.commands.executeCommand("widgetNavigation.focusNext");
}

/** Milliseconds after which a box that has not become the active editor is given the focus once more, and how often. */
const patience = 1_000;
const tries = 20;

/**
 * Puts text into the box of a thread that has just been given the focus; what was typed there meanwhile stays below it. The API has no
 * other way to fill it, and a comment that holds the text would open the Comments panel. False, and nothing changed, where the person
 * has gone to another editor than `editor`, in which the thread is. `old` is a box that may still be there and is not meant.
 */
export async function fillThread(
  editor: vscode.TextEditor,
  thread: vscode.CommentThread,
  text: string,
  old?: vscode.TextDocument,
): Promise<boolean> {
  const isElsewhere = () => {
    const active = vscode.window.activeTextEditor?.document;
    return (
      active !== undefined && active !== editor.document && active.uri.scheme !== commentBoxScheme
    );
  };
  let box = await activeBox(old);
  // VS Code makes a thread's box after the thread, late where it is busy (observed after a reload): focus that came before it stays with the thread.
  for (let again = 0; again < tries && box === undefined && !isElsewhere(); again++) {
    // A refresh of the document may have moved the cursor off the thread's line.
    const start = thread.range?.start;
    if (start !== undefined && editor.selection.active.line !== start.line)
      editor.selection = new vscode.Selection(start, start);
    await enterBox();
    box = await activeBox(old);
  }
  if (box === undefined) return false;
  const { document } = box;
  const whole = document.validateRange(new vscode.Range(0, 0, document.lineCount, 0));
  // A snippet brings the cursor to its end in the same step. A selection that is set afterwards arrives late, among what the person types next.
  return await box.insertSnippet(
    new vscode.SnippetString().appendText(joined(text, document.getText())),
    whole,
  );
}

/** The box that is the active editor, or becomes it soon. */
async function activeBox(
  old: vscode.TextDocument | undefined,
): Promise<vscode.TextEditor | undefined> {
  const box = (editor = vscode.window.activeTextEditor) =>
    editor?.document.uri.scheme === commentBoxScheme && editor.document !== old
      ? editor
      : undefined;
  const now = box();
  if (now !== undefined) return now;
  return await new Promise((resolve) => {
    const done = (editor: vscode.TextEditor | undefined) => {
      clearTimeout(timer);
      changes.dispose();
      resolve(editor);
    };
    const timer = setTimeout(() => done(box()), patience);
    const changes = vscode.window.onDidChangeActiveTextEditor((editor) => {
      if (box(editor) !== undefined) done(editor);
    });
  });
}

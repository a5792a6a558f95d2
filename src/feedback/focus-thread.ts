import { setTimeout as delay } from "node:timers/promises";
import * as vscode from "vscode";

/** Milliseconds between two looks for the thread, and how often it is looked for. VS Code draws a new thread a moment later and does not say when. */
const step = 50;
const looks = 60;

/**
 * Puts the keys into a thread's box, which VS Code leaves to the editor below it (observed in 1.104 and 1.139; `reveal` of a
 * thread is not in the stable API). The thread is there once "next comment thread" leads the cursor to it. False if it does
 * not come: the person has deleted it. `isOpen` ends the search when the thread has been closed.
 */
export async function focusThread(editor: vscode.TextEditor, thread: vscode.CommentThread, isOpen: () => boolean): Promise<boolean> {
  const line = thread.range?.start.line ?? 0;
  const above = new vscode.Position(Math.max(0, line - 1), 0);
  for (let look = 0; look < looks && isOpen(); look++) {
    editor.selection = new vscode.Selection(above, above);
    await vscode.commands.executeCommand("editor.action.nextCommentThreadAction");
    if (editor.selection.active.line === line) {
      await vscode.commands.executeCommand("workbench.action.focusCommentOnCurrentLine");
      await vscode.commands.executeCommand("widgetNavigation.focusNext");
      return true;
    }
    await delay(step);
  }
  return !isOpen();
}

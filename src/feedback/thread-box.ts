import { setTimeout as delay } from "node:timers/promises";
import * as vscode from "vscode";
import { isObject } from "../base/json.ts";
import { commentBoxScheme } from "../editor/execution-uri.ts";
import { until } from "../editor/until.ts";
import type { OpenThread } from "./open-thread.ts";
import { joined } from "./typed-text.ts";

export class UnsentText implements vscode.Comment {
  readonly author: vscode.CommentAuthorInformation = { name: vscode.l10n.t("Not sent") };
  readonly mode = vscode.CommentMode.Editing;
  readonly contextValue = "unsent";
  /** VS Code sets it to the edited text before it runs a command. */
  body: string | vscode.MarkdownString;
  readonly label?: string;
  readonly thread: vscode.CommentThread;

  constructor(thread: vscode.CommentThread, body: string, why?: string) {
    this.thread = thread;
    this.body = body;
    if (why !== undefined) this.label = why;
  }
}

/** The text of a reply, or text that was not sent before. */
export function textIn(argument: unknown): { thread?: vscode.CommentThread; text?: string } {
  if (argument instanceof UnsentText) {
    const { thread, body } = argument;
    return { thread, text: typeof body === "string" ? body : body.value };
  }
  return isReply(argument) ? argument : {};
}

function isReply(argument: unknown): argument is vscode.CommentReply {
  return isObject(argument) && "thread" in argument && typeof argument["text"] === "string";
}

/** After this time, a missing thread counts as deleted (ms). */
const longest = { known: 5_000, new: 30_000 };

/** VS Code draws a new thread later and fires no event (ms). */
const step = 50;

/**
 * Expands a thread and focuses its box, which VS Code doesn't do (observed in 1.104 and 1.139). The
 * thread exists once "next comment thread" moves the cursor to it. False after `limit` ms.
 */
export async function showThread(
  editor: vscode.TextEditor,
  open: Pick<OpenThread, "thread" | "isOpen">,
  limit = longest.known,
): Promise<boolean> {
  const { thread } = open;
  thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
  const end = performance.now() + limit;
  const lineNow = () => thread.range?.start.line ?? 0;
  while (open.isOpen && performance.now() < end) {
    const above = new vscode.Position(Math.max(0, lineNow() - 1), 0);
    editor.selection = new vscode.Selection(above, above);
    await vscode.commands.executeCommand("editor.action.nextCommentThreadAction");
    if (editor.selection.active.line === lineNow()) {
      await enterBox();
      return true;
    }
    await delay(step);
  }
  return !open.isOpen;
}

/** False if the box doesn't take the text. `old`: an earlier thread's box, perhaps still there. */
export async function beginThread(
  editor: vscode.TextEditor,
  open: OpenThread,
  text = "",
  old?: vscode.TextDocument,
): Promise<boolean> {
  const isThere = await showThread(editor, open, longest.new);
  if (!open.isOpen) return true;
  const isFilled = isThere && (await fillThread(editor, open.thread, text, old));
  return isFilled || text === "";
}

/** The thread's editor, if the document or the box is active. */
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

/** Shows text as a comment in edit mode: VS Code has emptied the box. */
export function putForEditing(open: OpenThread, text: string, why?: string): void {
  open.thread.canReply = false;
  open.thread.comments = [new UnsentText(open.thread, text, why)];
}

/** The box with this text, to read later edits. Undefined if there are several. */
export function boxHolding(text: string): vscode.TextDocument | undefined {
  const lines = (any: string) => any.replaceAll("\r\n", "\n");
  const [box, ...others] = vscode.workspace.textDocuments.filter(
    (each) => each.uri.scheme === commentBoxScheme && lines(each.getText()) === lines(text),
  );
  return others.length === 0 ? box : undefined;
}

export function editorOf({ thread }: OpenThread): vscode.TextEditor | undefined {
  return vscode.window.visibleTextEditors.find(
    ({ document }) => document.uri.toString() === thread.uri.toString(),
  );
}

async function enterBox(): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.focusCommentOnCurrentLine");
  await vscode.commands.executeCommand("widgetNavigation.focusNext");
}

/** How long to wait for the comment box to get focus (ms), and how often to try. */
const focusWait = 1_000;
const tries = 20;

/** Undefined if the person left `editor`. */
async function focusBox(
  editor: vscode.TextEditor,
  thread: vscode.CommentThread,
  old: vscode.TextDocument | undefined,
): Promise<vscode.TextEditor | undefined> {
  const isElsewhere = () => {
    const active = vscode.window.activeTextEditor?.document;
    return (
      active !== undefined && active !== editor.document && active.uri.scheme !== commentBoxScheme
    );
  };
  let box = await activeBox(old);
  // VS Code creates the box after the thread, sometimes late (observed after a reload).
  for (let again = 0; again < tries && box === undefined && !isElsewhere(); again++) {
    // A refresh may have moved the cursor off the thread's line.
    const start = thread.range?.start;
    if (start !== undefined && editor.selection.active.line !== start.line)
      editor.selection = new vscode.Selection(start, start);
    await enterBox();
    box = await activeBox(old);
  }
  return box;
}

/**
 * Focuses a thread's box and puts text above what is in it; the API can't, and a comment would open
 * the Comments panel. False, without a change, if the person left `editor`.
 */
export async function fillThread(
  editor: vscode.TextEditor,
  thread: vscode.CommentThread,
  text: string,
  old?: vscode.TextDocument,
): Promise<boolean> {
  const box = await focusBox(editor, thread, old);
  if (box === undefined || text === "") return box !== undefined;
  const { document } = box;
  const whole = document.validateRange(new vscode.Range(0, 0, document.lineCount, 0));
  // A snippet also moves the cursor; a later selection could arrive while the person types.
  return await box.insertSnippet(
    new vscode.SnippetString().appendText(joined(text, document.getText())),
    whole,
  );
}

async function activeBox(
  old: vscode.TextDocument | undefined,
): Promise<vscode.TextEditor | undefined> {
  const isBox = (editor = vscode.window.activeTextEditor) =>
    editor?.document.uri.scheme === commentBoxScheme && editor.document !== old;
  if (!isBox()) await until(vscode.window.onDidChangeActiveTextEditor, isBox, focusWait);
  return isBox() ? vscode.window.activeTextEditor : undefined;
}

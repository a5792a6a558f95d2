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
  /** VS Code puts the edited text here before it runs a command on the comment. */
  body: string | vscode.MarkdownString;
  readonly label?: string;
  readonly thread: vscode.CommentThread;

  constructor(thread: vscode.CommentThread, body: string, why?: string) {
    this.thread = thread;
    this.body = body;
    if (why !== undefined) this.label = why;
  }
}

/** The thread and the text that VS Code passes to a command of a thread: its reply, or text that was not sent before. */
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

/** After this time, a thread that doesn't appear has been deleted (ms). On a busy machine a new one takes longer. */
const longest = { known: 5_000, new: 30_000 };

/** Time between two looks for the thread (ms). VS Code draws a new thread a moment later and doesn't say when. */
const step = 50;

/**
 * Expands a thread and focuses its box; VS Code leaves focus to the editor (observed in 1.104 and 1.139; `reveal` of a thread is not in
 * the stable API). The thread is there once "next comment thread" moves the cursor to it. False if it doesn't appear within `limit` ms:
 * the person has deleted it.
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

/** Shows a new thread and puts text into its box. False if the box doesn't take it; `old` is the box of the thread before it, which may still be there. */
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

/** The editor of a thread, while the person is there or in the thread's box. */
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

/** Shows text as a comment that is open for editing: VS Code has emptied the box. */
export function putForEditing(open: OpenThread, text: string, why?: string): void {
  open.thread.canReply = false;
  open.thread.comments = [new UnsentText(open.thread, text, why)];
}

/** The box that holds this text, as long as it exists, to read what is typed in it later. Undefined if several do. */
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
const patience = 1_000;
const tries = 20;

/**
 * Puts text into the box of a thread that was just focused; what was typed there meanwhile stays below it. The API has no other way to
 * fill it, and a comment with the text would open the Comments panel. False, and nothing changed, if the person has gone to another
 * editor than `editor`, in which the thread is. `old` is another box that may still be there.
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
  // VS Code makes a thread's box after the thread, late if it is busy (observed after a reload): earlier focus stays with the thread.
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
  // A snippet moves the cursor to its end in the same step. A selection that is set afterwards arrives late, while the person types.
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
  if (!isBox()) await until(vscode.window.onDidChangeActiveTextEditor, isBox, patience);
  return isBox() ? vscode.window.activeTextEditor : undefined;
}

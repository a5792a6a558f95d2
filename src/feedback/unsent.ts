import * as vscode from "vscode";

/** Words that could not be sent, in a thread, open for editing. */
export class UnsentWords implements vscode.Comment {
  readonly author: vscode.CommentAuthorInformation = { name: vscode.l10n.t("Not sent") };
  readonly mode = vscode.CommentMode.Editing;
  readonly contextValue = "unsent";
  /** VS Code puts the edited text here before it runs a command on the comment. */
  body: string | vscode.MarkdownString;
  /** Why they were not sent, beside the author's “Not sent”. */
  readonly label?: string;
  readonly thread: vscode.CommentThread;

  constructor(thread: vscode.CommentThread, body: string, why?: string) {
    this.thread = thread;
    this.body = body;
    if (why !== undefined) this.label = why;
  }
}

/** The thread and the words that VS Code hands to a command of a thread: its reply, or words that were not sent before. */
export function wordsOf(argument: unknown): { thread?: vscode.CommentThread; text?: string } {
  if (argument instanceof UnsentWords) {
    return {
      thread: argument.thread,
      text: typeof argument.body === "string" ? argument.body : argument.body.value,
    };
  }
  return isReply(argument) ? argument : {};
}

function isReply(argument: unknown): argument is vscode.CommentReply {
  return (
    typeof argument === "object" &&
    argument !== null &&
    "thread" in argument &&
    "text" in argument &&
    typeof argument.text === "string"
  );
}

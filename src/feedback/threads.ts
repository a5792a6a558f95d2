import * as vscode from "vscode";
import { messageOf } from "../editor/errors.ts";
import { feedbackController } from "../editor/ids.ts";
import type { Execution } from "../executions/model.ts";
import { attemptToAnswer } from "../executions/resumes.ts";
import { focusThread } from "./focus-thread.ts";
import { wantsFeedback } from "./pending.ts";
import type { FindPlace } from "./place.ts";
import type { FeedbackResult, FeedbackToSend } from "./send.ts";
import { UnsentWords, wordsOf } from "./unsent.ts";

/** What {@link FeedbackThreads} needs. */
export interface FeedbackThreadsOptions {
  readonly find: FindPlace;
  /** An execution as it is stored now. */
  readonly current: (localId: string) => Execution | undefined;
  readonly send: (feedback: FeedbackToSend) => Promise<FeedbackResult>;
}

/** What a thread is for. */
export type ThreadSubject = Omit<FeedbackToSend, "text" | "again">;

/** A thread that a person writes in. */
interface Draft {
  readonly thread: vscode.CommentThread;
  subject: ThreadSubject;
  isBusy: boolean;
  readonly done: Promise<FeedbackResult | undefined>;
  readonly resolve: (result: FeedbackResult | undefined) => void;
}

/** Native comment threads in which a person writes feedback, at the place of the task that waits. */
export class FeedbackThreads implements vscode.Disposable {
  readonly #options: FeedbackThreadsOptions;
  readonly #controller = vscode.comments.createCommentController(feedbackController, vscode.l10n.t("Crew feedback"));
  readonly #drafts = new Map<vscode.CommentThread, Draft>();
  readonly #subscriptions: vscode.Disposable;

  constructor(options: FeedbackThreadsOptions) {
    this.#options = options;
    this.#subscriptions = vscode.workspace.onDidChangeTextDocument(({ document }) => {
      this.#follow(document);
    });
  }

  /** Threads that are open, for whoever wants to look. */
  get threads(): readonly vscode.CommentThread[] {
    return [...this.#drafts.keys()];
  }

  /**
   * Opens a thread for words, or the one that is there for the same output, which keeps what is typed in it. Resolves with
   * the crew's answer once it was sent, or with nothing once it was closed.
   */
  async open(editor: vscode.TextEditor, subject: ThreadSubject): Promise<FeedbackResult | undefined> {
    const known = [...this.#drafts.values()].find((draft) => isSameOutput(draft.subject, subject));
    this.#controller.options = hints(subject);
    const draft = known ?? this.#create(editor.document, subject);
    draft.subject = subject;
    if (!(await this.#show(editor, draft)) && known !== undefined) {
      // VS Code has a bin on a thread without comments and tells nobody that it was used. Who waits for the old one waits for the new.
      const next = this.#create(editor.document, subject);
      void next.done.then(known.resolve);
      this.#drafts.delete(known.thread);
      known.thread.dispose();
      await this.#show(editor, next);
      return await next.done;
    }
    return await draft.done;
  }

  /** False if the thread is no longer there. */
  async #show(editor: vscode.TextEditor, draft: Draft): Promise<boolean> {
    this.#name(draft);
    draft.thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    return await focusThread(editor, draft.thread, () => this.#drafts.has(draft.thread));
  }

  /** Sends what was written: a thread's reply, or words that could not be sent before. Words that are not sent stay. */
  async submit(argument: unknown): Promise<FeedbackResult | undefined> {
    const { thread, text } = wordsOf(argument);
    const draft = thread && this.#drafts.get(thread);
    if (draft === undefined || draft.isBusy || text === undefined) return undefined;
    draft.isBusy = true;
    draft.thread.label = vscode.l10n.t("Sending…");
    try {
      const result = await this.#options.send({ ...draft.subject, text });
      this.#close(draft, result);
      return result;
    } catch (error) {
      draft.isBusy = false;
      this.#name(draft);
      this.#keep(draft, text, error);
      throw error;
    }
  }

  /** Closes a thread; what is written in it goes. */
  cancel(argument: unknown): void {
    const { thread } = wordsOf(argument);
    const draft = thread && this.#drafts.get(thread);
    if (draft !== undefined && !draft.isBusy) this.#close(draft, undefined);
  }

  dispose(): void {
    for (const draft of this.#drafts.values()) this.#close(draft, undefined);
    this.#subscriptions.dispose();
    this.#controller.dispose();
  }

  #create(document: vscode.TextDocument, subject: ThreadSubject): Draft {
    const line = this.#options.find(document)?.line ?? 0;
    const thread = this.#controller.createCommentThread(document.uri, new vscode.Range(line, 0, line, 0), []);
    thread.canReply = true;
    let resolve: Draft["resolve"] = () => undefined;
    const done = new Promise<FeedbackResult | undefined>((settle) => (resolve = settle));
    const draft: Draft = { thread, subject, isBusy: false, done, resolve };
    this.#drafts.set(thread, draft);
    return draft;
  }

  /** Says what sending will do, or that it is too late: unsent words cannot be read, so a thread with any must not just go. */
  #name({ thread, subject, isBusy }: Draft): void {
    if (isBusy) return;
    const isOver = this.#isOver(subject);
    thread.contextValue = isOver ? "stale" : subject.isApprove ? "approve" : "reject";
    thread.label = isOver ? vscode.l10n.t("Not sent: this output of “{0}” no longer waits. Copy what you wrote if you need it, then cancel.", subject.taskId) : label(subject);
  }

  #isOver({ execution, taskId }: ThreadSubject): boolean {
    const current = this.#options.current(execution.localId);
    if (current === undefined || !wantsFeedback(current)) return true;
    if (current.waiting !== undefined && current.waiting.taskId !== taskId) return true;
    return attemptToAnswer(current, taskId) !== attemptToAnswer(execution, taskId);
  }

  /** VS Code empties the field as it hands the words over, so they come back in one that is open for editing. */
  #keep(draft: Draft, text: string, error: unknown): void {
    draft.thread.canReply = false;
    draft.thread.comments = [new UnsentWords(draft.thread, text, messageOf(error))];
  }

  #close(draft: Draft, result: FeedbackResult | undefined): void {
    this.#drafts.delete(draft.thread);
    draft.thread.dispose();
    draft.resolve(result);
  }

  /** A thread does not follow its text by itself. */
  #follow(document: vscode.TextDocument): void {
    const here = [...this.#drafts.values()].filter(({ thread }) => thread.uri.toString() === document.uri.toString());
    if (here.length === 0) return;
    const place = this.#options.find(document);
    for (const draft of here) {
      const line = Math.min(place?.line ?? draft.thread.range?.start.line ?? 0, document.lineCount - 1);
      draft.thread.range = new vscode.Range(line, 0, line, 0);
      this.#name(draft);
    }
  }
}

function isSameOutput(one: ThreadSubject, other: ThreadSubject): boolean {
  return (
    one.execution.localId === other.execution.localId &&
    one.taskId === other.taskId &&
    attemptToAnswer(one.execution, one.taskId) === attemptToAnswer(other.execution, other.taskId)
  );
}

/** What a thread is about and who will read what is written, in one line that also fits a narrow editor. */
function label({ execution, taskId, isApprove }: ThreadSubject): string {
  const { name } = execution.crew;
  return isApprove ? vscode.l10n.t("Approve “{0}” – sent to {1}, read by later tasks", taskId, name) : vscode.l10n.t("Reject “{0}” – sent to {1}, read by later tasks", taskId, name);
}

/** What stands in the empty field. */
function hints({ isApprove }: ThreadSubject): vscode.CommentOptions {
  const context = vscode.l10n.t("Markdown. All of it is sent and becomes context for later tasks.");
  return isApprove
    ? { prompt: vscode.l10n.t("Approve with a note…"), placeHolder: `${vscode.l10n.t("Your note; without words, “Approved.” is sent.")} ${context}` }
    : { prompt: vscode.l10n.t("Reject with feedback…"), placeHolder: `${vscode.l10n.t("What should be different when the task is done again?")} ${context}` };
}

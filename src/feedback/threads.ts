import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { feedbackController } from "../editor/ids.ts";
import { showStatus } from "../editor/messages.ts";
import type { Execution } from "../executions/model.ts";
import type { Drafts } from "./drafts.ts";
import { MaybeSentError, NotTakenError } from "../sending/errors.ts";
import { OpenThread } from "./open-thread.ts";
import type { FindPlace } from "./place.ts";
import type { FeedbackResult, FeedbackToSend } from "../sending/feedback.ts";
import {
  beginThread,
  boxHolding,
  editorInUse,
  editorOf,
  putForEditing,
  showThread,
} from "./thread-box.ts";
import { isSameOutput, isWrittenDown, targetOf, type ThreadSubject } from "./thread-subject.ts";
import { threadHints } from "./thread-words.ts";
import { wordsOf } from "./unsent.ts";
import { joined, WordsUnderWay } from "./words-under-way.ts";

/** What {@link FeedbackThreads} needs. */
export interface FeedbackThreadsOptions {
  readonly find: FindPlace;
  /** An execution as it is stored now. */
  readonly current: (localId: string) => Execution | undefined;
  readonly send: (feedback: FeedbackToSend) => Promise<FeedbackResult>;
  readonly drafts: Pick<Drafts, "find" | "of" | "keep" | "remove">;
  readonly clock: Clock;
  /** Hears of what went wrong where the person is told something else. */
  readonly onProblem: (doing: string, error: unknown) => void;
}

/** Native comment threads in which a person writes feedback, at the place of the task that waits. */
export class FeedbackThreads implements vscode.Disposable {
  readonly #options: FeedbackThreadsOptions;
  readonly #controller = vscode.comments.createCommentController(
    feedbackController,
    vscode.l10n.t("Crew feedback"),
  );
  readonly #open = new Map<vscode.CommentThread, OpenThread>();
  readonly #subscriptions: vscode.Disposable;

  constructor(options: FeedbackThreadsOptions) {
    this.#options = options;
    this.#subscriptions = vscode.workspace.onDidChangeTextDocument(({ document }) => {
      this.#follow(document);
    });
  }

  /** Threads that are open, for whoever wants to look. */
  get threads(): readonly vscode.CommentThread[] {
    return [...this.#open.keys()];
  }

  /**
   * Opens a thread for words, or the one that is there for the same output, which keeps what is typed in it. A new one begins
   * with `words`, else with the draft that is kept. Resolves with the crew's answer once it was sent, or with nothing once it
   * was closed. @throws UserError where `words` would replace what is being written
   */
  async open(
    editor: vscode.TextEditor,
    subject: ThreadSubject,
    words?: string,
  ): Promise<FeedbackResult | undefined> {
    const draft = this.#options.drafts.find(targetOf(subject));
    const known = [...this.#open.values()].find((open) => isSameOutput(open.subject, subject));
    if (known !== undefined && words !== undefined)
      throw new UserError(
        vscode.l10n.t(
          "You are writing about this output already. Use “Insert Canned Answer…” below your words.",
        ),
      );
    this.#controller.options = threadHints(subject);
    const open = known ?? this.#create(editor.document, subject);
    open.subject = subject;
    open.hasDraft = draft !== undefined;
    open.name(this.#current(subject));
    if (known === undefined) {
      await this.#begin(editor, open, words ?? draft?.text);
    } else if (!(await showThread(editor, open))) {
      // VS Code has a bin on a thread without comments and tells nobody that it was used. Who waits for the old one waits for the new.
      const next = this.#replace(editor, open);
      await this.#begin(editor, next, draft?.text);
      return await next.done;
    }
    return await open.done;
  }

  /** Sends what was written: a thread's reply, or words that could not be sent before. Words that are not sent stay, and are kept; so is what was typed on. */
  async submit(argument: unknown): Promise<FeedbackResult | undefined> {
    const { open, text } = this.#written(argument);
    if (open === undefined || text === undefined) return undefined;
    const underWay = new WordsUnderWay(text);
    const box = text.trim() === "" ? undefined : boxHolding(text);
    const inBox = () => (box === undefined || box.isClosed ? "" : box.getText());
    open.underWay = underWay;
    open.name(this.#current(open.subject));
    try {
      const result = await this.#options.send({ ...open.subject, text });
      this.#end(open, result, underWay.beyond(inBox()));
      return result;
    } catch (error) {
      // What may have been sent stands in the execution's document, with a lens that sends it again: here it would read as unsent.
      if (
        error instanceof MaybeSentError &&
        isWrittenDown(open.subject, text, this.#current(open.subject))
      ) {
        this.#end(open, undefined, underWay.beyond(inBox()));
        throw error;
      }
      open.isUnsent = true;
      const isKept = this.#keepIfAny(open, underWay.with(inBox()));
      const before = inBox();
      const words = underWay.with(before);
      open.underWay = undefined;
      open.name(this.#current(open.subject));
      const why = messageOf(error instanceof NotTakenError ? error.cause : error);
      this.#afterCommand("Giving back words that were not sent", async () => {
        if (!open.isOpen || open.underWay !== undefined) return;
        const typed = inBox();
        const text = typed.trim() === before.trim() ? words : joined(words, typed);
        // Who writes elsewhere by now keeps the focus.
        const editor = editorInUse(open, box);
        const next = editor === undefined ? open : this.#replace(editor, open);
        if (editor !== undefined && (await beginThread(editor, next, text, box))) return;
        // Only words that are kept nowhere stand in a comment, which opens the Comments panel: a lens leads back to a draft.
        if (isKept) this.#close(next, undefined);
        else putForEditing(next, text, why);
      });
      throw error;
    }
  }

  /** Keeps what was written and closes the thread; it comes back when feedback for the same output is written again. No words at all keep nothing. */
  saveDraft(argument: unknown): void {
    const { open, text } = this.#written(argument);
    if (open === undefined || text === undefined) return;
    if (text.trim() === "") this.#options.drafts.remove(targetOf(open.subject));
    else this.#keep(open, text);
    this.#close(open, undefined);
    if (text.trim() !== "")
      showStatus(vscode.l10n.t("Draft kept on this machine. Nothing was sent."));
  }

  /** Closes a thread and removes the draft that was kept for its output. */
  discardDraft(argument: unknown): void {
    const { open } = this.#written(argument);
    if (open === undefined) return;
    this.#options.drafts.remove(targetOf(open.subject));
    this.#close(open, undefined);
  }

  /** Puts a canned answer below what was written. */
  async insert(argument: unknown): Promise<void> {
    const { open, text = "" } = this.#written(argument);
    if (open === undefined) return;
    const own = targetOf(open.subject);
    const others = this.#options.drafts
      .of(own.localId)
      .filter(({ taskId, attempt }) => taskId === own.taskId && attempt !== own.attempt);
    const { askInsertion } = await import("./insert.ts");
    const answer = await askInsertion(open.subject.isApprove, others);
    const all =
      answer === undefined ? text : text.trim() === "" ? answer : `${text.trimEnd()}\n\n${answer}`;
    const box = boxHolding(text);
    this.#afterCommand("Inserting a canned answer", async () => {
      const editor = editorOf(open);
      if (!open.isOpen) return;
      if (editor === undefined) putForEditing(open, all);
      else await this.#begin(editor, this.#replace(editor, open), all, box);
    });
  }

  /** Closes a thread; what is written in it goes, but a draft that was kept stays. */
  cancel(argument: unknown): void {
    const { open } = this.#written(argument);
    if (open !== undefined) this.#close(open, undefined);
  }

  dispose(): void {
    for (const open of this.#open.values()) this.#close(open, undefined);
    this.#subscriptions.dispose();
    this.#controller.dispose();
  }

  /** The thread of a command and the words that VS Code hands over. Nothing while others of it are being sent: these stay with them. */
  #written(argument: unknown): {
    readonly open?: OpenThread | undefined;
    readonly text?: string | undefined;
  } {
    const { thread, text } = wordsOf(argument);
    const open = thread && this.#open.get(thread);
    if (open?.underWay === undefined) return { open, text };
    open.underWay.add(text ?? "");
    return {};
  }

  #create(document: vscode.TextDocument, subject: ThreadSubject): OpenThread {
    const line = this.#options.find(document)?.line ?? 0;
    const thread = this.#controller.createCommentThread(
      document.uri,
      new vscode.Range(line, 0, line, 0),
      [],
    );
    thread.canReply = true;
    const open = new OpenThread(thread, subject);
    this.#open.set(thread, open);
    return open;
  }

  /** A new thread in the place of one: VS Code empties a thread's box when a command of the thread has ended, at some time after that. */
  #replace(editor: vscode.TextEditor, open: OpenThread): OpenThread {
    const next = this.#create(editor.document, open.subject);
    next.hasDraft = open.hasDraft;
    next.isUnsent = open.isUnsent;
    next.name(this.#current(open.subject));
    this.#close(open, next.done);
    return next;
  }

  /** Shows a new thread with text in its box, or below it where that does not take it. */
  async #begin(
    editor: vscode.TextEditor,
    open: OpenThread,
    text = "",
    old?: vscode.TextDocument,
  ): Promise<void> {
    if (!(await beginThread(editor, open, text, old))) putForEditing(open, text);
  }

  /** Does something when the command that runs has ended: VS Code empties the box then. */
  #afterCommand(doing: string, action: () => Promise<void>): void {
    setImmediate(() => {
      action().catch((error: unknown) => this.#options.onProblem(doing, error));
    });
  }

  #current({ execution }: ThreadSubject): Execution | undefined {
    return this.#options.current(execution.localId);
  }

  #keep(open: OpenThread, text: string): void {
    const at = new Date(this.#options.clock.now()).toISOString();
    this.#options.drafts.keep({
      ...targetOf(open.subject),
      isApprove: open.subject.isApprove,
      text,
      at,
    });
    open.hasDraft = true;
  }

  /** Keeps words as a draft, if there are any. False where that fails: they must stand somewhere else, then. */
  #keepIfAny(open: OpenThread, text: string): boolean {
    if (text.trim() === "") return true;
    try {
      this.#keep(open, text);
      return true;
    } catch (problem) {
      this.#options.onProblem("Keeping words that were not sent", problem);
      return false;
    }
  }

  /** Its words have left: the thread goes, with their draft. What was typed on meanwhile is kept in the draft's place, and a lens leads to it. */
  #end(open: OpenThread, result: FeedbackResult | undefined, typedOn: string): void {
    this.#close(open, result);
    if (typedOn !== "") {
      if (this.#keepIfAny(open, typedOn))
        showStatus(
          vscode.l10n.t("What you typed after sending was not sent; it is kept as a draft."),
        );
      return;
    }
    try {
      this.#options.drafts.remove(targetOf(open.subject));
    } catch (error) {
      this.#options.onProblem("Removing a draft that was sent", error);
    }
  }

  #close(open: OpenThread, result: Parameters<OpenThread["close"]>[0]): void {
    this.#open.delete(open.thread);
    open.close(result);
  }

  /** A thread does not follow its text by itself. */
  #follow(document: vscode.TextDocument): void {
    const here = [...this.#open.values()].filter(
      ({ thread }) => thread.uri.toString() === document.uri.toString(),
    );
    if (here.length === 0) return;
    const place = this.#options.find(document);
    for (const open of here) {
      const line = Math.min(
        place?.line ?? open.thread.range?.start.line ?? 0,
        document.lineCount - 1,
      );
      open.thread.range = new vscode.Range(line, 0, line, 0);
      open.name(this.#current(open.subject));
    }
  }
}

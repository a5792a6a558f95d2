import * as vscode from "vscode";
import type { Clock } from "../api/clock.ts";
import { messageOf, UserError } from "../editor/errors.ts";
import { feedbackController } from "../editor/ids.ts";
import { said } from "../editor/said.ts";
import { type Execution, hasEnded } from "../executions/model.ts";
import type { Drafts } from "./drafts.ts";
import { MaybeSentError, NotTakenError } from "./errors.ts";
import { boxHolding, boxScheme, fillThread, focusThread } from "./focus-thread.ts";
import { askInsertion } from "./insert.ts";
import type { FindPlace } from "./place.ts";
import type { FeedbackResult, FeedbackToSend } from "./send.ts";
import { isOver, isSameOutput, isWrittenDown, targetOf, type ThreadSubject } from "./thread-subject.ts";
import { overLabel, threadHints, threadLabel } from "./thread-words.ts";
import { UnsentWords, wordsOf } from "./unsent.ts";

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

/** A thread that a person writes in. */
interface OpenThread {
  readonly thread: vscode.CommentThread;
  subject: ThreadSubject;
  isBusy: boolean;
  /** Words for this output are kept. */
  hasDraft: boolean;
  /** Its words were to be sent and were not. */
  isUnsent: boolean;
  readonly done: Promise<FeedbackResult | undefined>;
  readonly resolve: (result: FeedbackResult | undefined) => void;
}

/** Native comment threads in which a person writes feedback, at the place of the task that waits. */
export class FeedbackThreads implements vscode.Disposable {
  readonly #options: FeedbackThreadsOptions;
  readonly #controller = vscode.comments.createCommentController(feedbackController, vscode.l10n.t("Crew feedback"));
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
  async open(editor: vscode.TextEditor, subject: ThreadSubject, words?: string): Promise<FeedbackResult | undefined> {
    const draft = await this.#options.drafts.find(targetOf(subject));
    const known = [...this.#open.values()].find((open) => isSameOutput(open.subject, subject));
    if (known !== undefined && words !== undefined) throw new UserError(vscode.l10n.t("You are writing about this output already. Use “Insert Canned Answer…” below your words."));
    this.#controller.options = threadHints(subject);
    const open = known ?? this.#create(editor.document, subject);
    open.subject = subject;
    open.hasDraft = draft !== undefined;
    if (known === undefined) {
      await this.#begin(editor, open, words ?? draft?.text);
    } else if (!(await this.#show(editor, open))) {
      // VS Code has a bin on a thread without comments and tells nobody that it was used. Who waits for the old one waits for the new.
      const next = this.#create(editor.document, subject);
      next.hasDraft = open.hasDraft;
      void next.done.then(known.resolve);
      this.#open.delete(known.thread);
      known.thread.dispose();
      await this.#begin(editor, next, draft?.text);
      return await next.done;
    }
    return await open.done;
  }

  /** Sends what was written: a thread's reply, or words that could not be sent before. Words that are not sent stay, and are kept. */
  async submit(argument: unknown): Promise<FeedbackResult | undefined> {
    const { open, text } = this.#written(argument);
    if (open === undefined || open.isBusy || text === undefined) return undefined;
    const box = text.trim() === "" ? undefined : boxHolding(text);
    open.isBusy = true;
    open.thread.label = vscode.l10n.t("Sending…");
    try {
      const result = await this.#options.send({ ...open.subject, text });
      this.#close(open, result);
      await this.#options.drafts.remove(targetOf(open.subject));
      return result;
    } catch (error) {
      open.isBusy = false;
      // What may have been sent stands in the execution's document, with a lens that sends it again: here it would read as unsent.
      if (error instanceof MaybeSentError && isWrittenDown(open.subject, text, this.#current(open.subject))) {
        this.#close(open, undefined);
        await this.#options.drafts.remove(targetOf(open.subject));
        throw error;
      }
      open.isUnsent = true;
      // VS Code empties the box when this has ended, with what was typed on in it meanwhile.
      const words = box === undefined || box.isClosed ? text : box.getText();
      const isKept = await this.#keepUnsent(open, words);
      this.#name(open);
      const why = messageOf(error instanceof NotTakenError ? error.cause : error);
      this.#afterCommand("Giving back words that were not sent", () => this.#giveBack(open, words, isKept, why));
      throw error;
    }
  }

  /** Keeps what was written and closes the thread; it comes back when feedback for the same output is written again. No words at all keep nothing. */
  async saveDraft(argument: unknown): Promise<void> {
    const { open, text } = this.#written(argument);
    if (open === undefined || open.isBusy || text === undefined) return;
    if (text.trim() === "") await this.#options.drafts.remove(targetOf(open.subject));
    else await this.#keep(open, text);
    this.#close(open, undefined);
    if (text.trim() !== "") said(vscode.l10n.t("Draft kept on this machine. Nothing was sent."));
  }

  /** Closes a thread and removes the draft that was kept for its output. */
  async discardDraft(argument: unknown): Promise<void> {
    const { open } = this.#written(argument);
    if (open === undefined || open.isBusy) return;
    await this.#options.drafts.remove(targetOf(open.subject));
    this.#close(open, undefined);
  }

  /** Puts a canned answer below what was written. */
  async insert(argument: unknown): Promise<void> {
    const { open, text = "" } = this.#written(argument);
    if (open === undefined || open.isBusy) return;
    const own = targetOf(open.subject);
    const others = (await this.#options.drafts.of(own.localId)).filter(({ taskId, attempt }) => taskId === own.taskId && attempt !== own.attempt);
    const answer = await askInsertion(open.subject.isApprove, others);
    const next = answer === undefined ? text : text.trim() === "" ? answer : `${text.trimEnd()}\n\n${answer}`;
    this.#afterCommand("Inserting a canned answer", async () => {
      const editor = this.#editorOf(open);
      if (editor === undefined || !(await this.#refill(editor, open, next))) this.#putForEditing(open, next);
    });
  }

  /** Closes a thread; what is written in it goes, but a draft that was kept stays. */
  cancel(argument: unknown): void {
    const { open } = this.#written(argument);
    if (open !== undefined && !open.isBusy) this.#close(open, undefined);
  }

  dispose(): void {
    for (const open of this.#open.values()) this.#close(open, undefined);
    this.#subscriptions.dispose();
    this.#controller.dispose();
  }

  #written(argument: unknown): { readonly open: OpenThread | undefined; readonly text: string | undefined } {
    const { thread, text } = wordsOf(argument);
    return { open: thread && this.#open.get(thread), text };
  }

  #create(document: vscode.TextDocument, subject: ThreadSubject): OpenThread {
    const line = this.#options.find(document)?.line ?? 0;
    const thread = this.#controller.createCommentThread(document.uri, new vscode.Range(line, 0, line, 0), []);
    thread.canReply = true;
    let resolve: OpenThread["resolve"] = () => undefined;
    const done = new Promise<FeedbackResult | undefined>((settle) => (resolve = settle));
    const open: OpenThread = { thread, subject, isBusy: false, hasDraft: false, isUnsent: false, done, resolve };
    this.#open.set(thread, open);
    return open;
  }

  /** Does something when the command that runs has ended: VS Code empties the field then. */
  #afterCommand(doing: string, action: () => Promise<void>): void {
    setImmediate(() => {
      action().catch((error: unknown) => this.#options.onProblem(doing, error));
    });
  }

  #editorOf({ thread }: OpenThread): vscode.TextEditor | undefined {
    return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === thread.uri.toString());
  }

  /** Puts words into a thread whose field VS Code has emptied, unless it was closed. False where they are not in it. */
  async #refill(editor: vscode.TextEditor, open: OpenThread, text: string): Promise<boolean> {
    if (!this.#open.has(open.thread)) return true;
    open.thread.comments = [];
    open.thread.canReply = true;
    return await this.#fill(editor, open, text);
  }

  /** Shows a thread whose field is empty, and puts words into it, or below it where it does not take them. */
  async #begin(editor: vscode.TextEditor, open: OpenThread, text = ""): Promise<void> {
    if (!(await this.#fill(editor, open, text))) this.#putForEditing(open, text);
  }

  /** Shows a thread whose field is empty, and puts words into it. False where they are not in it. */
  async #fill(editor: vscode.TextEditor, open: OpenThread, text: string): Promise<boolean> {
    const isThere = await this.#show(editor, open);
    if (text === "" || !this.#open.has(open.thread)) return true;
    return isThere && (await fillThread(text));
  }

  /** False if the thread is no longer there. */
  async #show(editor: vscode.TextEditor, open: OpenThread): Promise<boolean> {
    this.#name(open);
    open.thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    return await focusThread(editor, open.thread, () => this.#open.has(open.thread));
  }

  /** Says what sending will do, or that it is too late: unsent words cannot be read, so a thread with any must not just go. */
  #name({ thread, subject, isBusy, hasDraft, isUnsent }: OpenThread): void {
    if (isBusy) return;
    const current = this.#current(subject);
    const isTooLate = isOver(subject, current);
    const facts = [isTooLate ? "stale" : subject.isApprove ? "approve" : "reject", ...(hasDraft ? ["draft"] : [])];
    thread.contextValue = facts.join(":");
    thread.label = isTooLate ? overLabel(subject, { isKept: hasDraft, hasEnded: current === undefined || hasEnded(current) }) : threadLabel(subject, isUnsent);
  }

  #current({ execution }: ThreadSubject): Execution | undefined {
    return this.#options.current(execution.localId);
  }

  async #keep(open: OpenThread, text: string): Promise<void> {
    const at = new Date(this.#options.clock.now()).toISOString();
    await this.#options.drafts.keep({ ...targetOf(open.subject), isApprove: open.subject.isApprove, text, at });
    open.hasDraft = true;
  }

  /** Keeps words that were not sent as a draft, if there are any. False where that fails: they must stand somewhere else, then. */
  async #keepUnsent(open: OpenThread, text: string): Promise<boolean> {
    if (text.trim() === "") return true;
    try {
      await this.#keep(open, text);
      return true;
    } catch (problem) {
      this.#options.onProblem("Keeping words that were not sent", problem);
      return false;
    }
  }

  /**
   * Puts words that were not sent back into the box, where the person still is. Who has gone elsewhere keeps the keys: a draft is enough,
   * since its lens leads back to it. Only words that are kept nowhere stand in a comment, which opens the Comments panel.
   */
  async #giveBack(open: OpenThread, text: string, isKept: boolean, why: string): Promise<void> {
    const editor = this.#editorOf(open);
    const active = vscode.window.activeTextEditor?.document.uri;
    const isHere = active?.scheme === boxScheme || active?.toString() === open.thread.uri.toString();
    if (editor !== undefined && isHere && (await this.#refill(editor, open, text))) return;
    if (!this.#open.has(open.thread) || open.isBusy) return;
    if (isKept) this.#close(open, undefined);
    else this.#putForEditing(open, text, why);
  }

  /** Shows words as a comment that is open for editing: VS Code has emptied the field, as it does when it hands words over. */
  #putForEditing(open: OpenThread, text: string, why?: string): void {
    open.thread.canReply = false;
    open.thread.comments = [new UnsentWords(open.thread, text, why)];
  }

  #close(open: OpenThread, result: FeedbackResult | undefined): void {
    this.#open.delete(open.thread);
    open.thread.dispose();
    open.resolve(result);
  }

  /** A thread does not follow its text by itself. */
  #follow(document: vscode.TextDocument): void {
    const here = [...this.#open.values()].filter(({ thread }) => thread.uri.toString() === document.uri.toString());
    if (here.length === 0) return;
    const place = this.#options.find(document);
    for (const open of here) {
      const line = Math.min(place?.line ?? open.thread.range?.start.line ?? 0, document.lineCount - 1);
      open.thread.range = new vscode.Range(line, 0, line, 0);
      this.#name(open);
    }
  }
}

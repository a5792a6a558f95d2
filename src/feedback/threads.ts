import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { feedbackController } from "../editor/manifest.ts";
import { showStatus } from "../editor/messages.ts";
import type { Execution } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Drafts } from "./drafts.ts";
import { MaybeSentError, NoEffectError } from "../sending/errors.ts";
import type { FeedbackResult } from "../sending/feedback.ts";
import type { Feedback } from "./feedback.ts";
import type { FeedbackDocuments } from "./lenses.ts";
import { OpenThread, threadHints } from "./open-thread.ts";
import { isRecorded, isSameTarget, targetOf, type ThreadSubject } from "./target.ts";
import { beginThread, boxHolding, editorInUse, editorOf } from "./thread-box.ts";
import { putForEditing, showThread, textIn } from "./thread-box.ts";
import { joined, TextBeingSent } from "./typed-text.ts";

interface FeedbackThreadsOptions {
  readonly documents: Pick<FeedbackDocuments, "find">;
  readonly store: Pick<ExecutionStore, "find">;
  readonly feedback: Pick<Feedback, "send">;
  readonly drafts: Pick<Drafts, "find" | "of" | "keep" | "remove">;
  readonly clock: Clock;
  /** Reports problems that the person doesn't see otherwise. */
  readonly onProblem: (doing: string, error: unknown) => void;
}

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
    this.#subscriptions = vscode.workspace.onDidChangeTextDocument(({ document }) =>
      this.#follow(document),
    );
  }

  get threads(): readonly vscode.CommentThread[] {
    return [...this.#open.keys()];
  }

  /**
   * Also shows an open thread. Resolves with the crew's answer, or undefined once closed. @throws
   * UserError if `text` would replace typed text
   */
  async open(
    editor: vscode.TextEditor,
    subject: ThreadSubject,
    text?: string,
  ): Promise<FeedbackResult | undefined> {
    const draft = this.#options.drafts.find(targetOf(subject));
    const known = [...this.#open.values()].find((open) => isSameTarget(open.subject, subject));
    const isWriting = vscode.l10n.t(
      "You are already writing about this output. Use “Insert Canned Answer…” below your text.",
    );
    if (known !== undefined && text !== undefined) throw new UserError(isWriting);
    this.#controller.options = threadHints(subject);
    const open = known ?? this.#create(editor.document, subject);
    open.subject = subject;
    open.hasDraft = draft !== undefined;
    open.name(this.#current(subject));
    if (known === undefined) {
      await this.#begin(editor, open, text ?? draft?.text);
    } else if (!(await showThread(editor, open))) {
      // VS Code can delete a thread without comments, and fires no event.
      const next = this.#replace(editor, open);
      await this.#begin(editor, next, draft?.text);
      return await next.done;
    }
    return await open.done;
  }

  /** If sending fails, the text stays, with what was typed since, and is stored as a draft. */
  async submit(argument: unknown): Promise<FeedbackResult | undefined> {
    const { open, text } = this.#written(argument);
    if (open === undefined || text === undefined) return undefined;
    const beingSent = new TextBeingSent(text);
    const box = text.trim() === "" ? undefined : boxHolding(text);
    const inBox = () => (box === undefined || box.isClosed ? "" : box.getText());
    open.beingSent = beingSent;
    open.name(this.#current(open.subject));
    try {
      const result = await this.#options.feedback.send({ ...open.subject, text });
      this.#end(open, result, beingSent.beyond(inBox()));
      return result;
    } catch (error) {
      // The document shows what may have been sent, with a lens to send it again.
      if (
        error instanceof MaybeSentError &&
        isRecorded(open.subject, text, this.#current(open.subject))
      ) {
        this.#end(open, undefined, beingSent.beyond(inBox()));
        throw error;
      }
      open.isUnsent = true;
      const isKept = this.#keepIfAny(open, beingSent.with(inBox()));
      const before = inBox();
      const all = beingSent.with(before);
      open.beingSent = undefined;
      open.name(this.#current(open.subject));
      const why = messageOf(error instanceof NoEffectError ? error.cause : error);
      this.#afterCommand("Restoring feedback that was not sent", async () => {
        if (!open.isOpen || open.beingSent !== undefined) return;
        const typed = inBox();
        const text = typed.trim() === before.trim() ? all : joined(all, typed);
        // Don't take focus from a person who writes elsewhere.
        const editor = editorInUse(open, box);
        const next = editor === undefined ? open : this.#replace(editor, open);
        if (editor !== undefined && (await beginThread(editor, next, text, box))) return;
        // A comment opens the Comments panel, so use it only without a draft.
        if (isKept) this.#close(next, undefined);
        else putForEditing(next, text, why);
      });
      throw error;
    }
  }

  /** An empty text removes the draft. */
  saveDraft(argument: unknown): void {
    const { open, text } = this.#written(argument);
    if (open === undefined || text === undefined) return;
    if (text.trim() === "") this.#options.drafts.remove(targetOf(open.subject));
    else this.#keep(open, text);
    this.#close(open, undefined);
    if (text.trim() !== "")
      showStatus(vscode.l10n.t("Draft saved on this machine. Nothing was sent."));
  }

  discardDraft(argument: unknown): void {
    const { open } = this.#written(argument);
    if (open === undefined) return;
    this.#options.drafts.remove(targetOf(open.subject));
    this.#close(open, undefined);
  }

  async insert(argument: unknown): Promise<void> {
    const { open, text = "" } = this.#written(argument);
    if (open === undefined) return;
    const own = targetOf(open.subject);
    const others = this.#options.drafts
      .of(own.localId)
      .filter(({ taskId, attempt }) => taskId === own.taskId && attempt !== own.attempt);
    const { askInsertion } = await import("./canned.ts");
    const answer = await askInsertion(open.subject.isApprove, others);
    const above = text.trim() === "" ? "" : `${text.trimEnd()}\n\n`;
    const all = answer === undefined ? text : above + answer;
    const box = boxHolding(text);
    this.#afterCommand("Inserting a canned answer", async () => {
      const editor = editorOf(open);
      if (!open.isOpen) return;
      if (editor === undefined) putForEditing(open, all);
      else await this.#begin(editor, this.#replace(editor, open), all, box);
    });
  }

  /** Typed text is lost; a draft stays. */
  cancel(argument: unknown): void {
    const { open } = this.#written(argument);
    if (open !== undefined) this.#close(open, undefined);
  }

  dispose(): void {
    for (const open of this.#open.values()) this.#close(open, undefined);
    this.#subscriptions.dispose();
    this.#controller.dispose();
  }

  /** Empty while the thread is being sent; the text is added to it. */
  #written(argument: unknown): { open?: OpenThread | undefined; text?: string | undefined } {
    const { thread, text } = textIn(argument);
    const open = thread && this.#open.get(thread);
    if (open?.beingSent === undefined) return { open, text };
    open.beingSent.add(text ?? "");
    return {};
  }

  #create(document: vscode.TextDocument, subject: ThreadSubject): OpenThread {
    const line = this.#options.documents.find(document)?.line ?? 0;
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

  /** VS Code empties a thread's box some time after a command, so use a new thread. */
  #replace(editor: vscode.TextEditor, open: OpenThread): OpenThread {
    const next = this.#create(editor.document, open.subject);
    next.hasDraft = open.hasDraft;
    next.isUnsent = open.isUnsent;
    next.name(this.#current(open.subject));
    this.#close(open, next.done);
    return next;
  }

  async #begin(
    editor: vscode.TextEditor,
    open: OpenThread,
    text = "",
    old?: vscode.TextDocument,
  ): Promise<void> {
    if (!(await beginThread(editor, open, text, old))) putForEditing(open, text);
  }

  #afterCommand(doing: string, action: () => Promise<void>): void {
    setImmediate(() => {
      action().catch((error: unknown) => this.#options.onProblem(doing, error));
    });
  }

  /** The stored execution, or the one shown if that can't be read. */
  #current({ execution }: ThreadSubject): Execution | undefined {
    try {
      return this.#options.store.find(execution.localId);
    } catch (error) {
      this.#options.onProblem("Reading an execution", error);
      return execution;
    }
  }

  #keep(open: OpenThread, text: string): void {
    const { clock, drafts } = this.#options;
    const { isApprove } = open.subject;
    const at = new Date(clock.now()).toISOString();
    drafts.keep({ ...targetOf(open.subject), isApprove, text, at });
    open.hasDraft = true;
  }

  /** False if storing fails. */
  #keepIfAny(open: OpenThread, text: string): boolean {
    if (text.trim() === "") return true;
    try {
      this.#keep(open, text);
      return true;
    } catch (problem) {
      this.#options.onProblem("Storing feedback that was not sent", problem);
      return false;
    }
  }

  /** Text typed meanwhile becomes the draft. */
  #end(open: OpenThread, result: FeedbackResult | undefined, typedOn: string): void {
    this.#close(open, result);
    if (typedOn !== "") {
      if (this.#keepIfAny(open, typedOn))
        showStatus(
          vscode.l10n.t("What you typed after sending was not sent; it is saved as a draft."),
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

  /** VS Code doesn't move a thread with its text. */
  #follow(document: vscode.TextDocument): void {
    const here = [...this.#open.values()].filter(
      ({ thread }) => thread.uri.toString() === document.uri.toString(),
    );
    if (here.length === 0) return;
    const place = this.#options.documents.find(document);
    for (const open of here) {
      const wanted = place?.line ?? open.thread.range?.start.line ?? 0;
      const line = Math.min(wanted, document.lineCount - 1);
      open.thread.range = new vscode.Range(line, 0, line, 0);
      open.name(this.#current(open.subject));
    }
  }
}

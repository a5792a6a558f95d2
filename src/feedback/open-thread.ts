import * as vscode from "vscode";
import { type ExecutionSummary, hasEnded } from "../executions/model.ts";
import type { FeedbackResult } from "../sending/feedback.ts";
import { isOver, type ThreadSubject } from "./thread-subject.ts";
import { overLabel, threadLabel } from "./thread-words.ts";
import type { WordsUnderWay } from "./words-under-way.ts";

/** A thread that a person writes in, from its opening to the crew's answer. */
export class OpenThread {
  readonly thread: vscode.CommentThread;
  subject: ThreadSubject;
  /** Words for this output are kept. */
  hasDraft = false;
  /** Its words were to be sent and were not. */
  isUnsent = false;
  /** Set while its words are being sent. */
  underWay: WordsUnderWay | undefined;
  /** The crew's answer once the words were sent, or nothing once the thread was closed. */
  readonly done: Promise<FeedbackResult | undefined>;
  #settle: (result: FeedbackResult | undefined | Promise<FeedbackResult | undefined>) => void =
    () => undefined;
  #isOpen = true;

  constructor(thread: vscode.CommentThread, subject: ThreadSubject) {
    this.thread = thread;
    this.subject = subject;
    this.done = new Promise((settle) => (this.#settle = settle));
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Says what sending will do, or that it is too late: unsent words cannot be read, so a thread with any must not just go. */
  name(current: ExecutionSummary | undefined): void {
    if (this.underWay !== undefined) {
      this.thread.label = vscode.l10n.t("Sending…");
      return;
    }
    const { subject, hasDraft } = this;
    const isTooLate = isOver(subject, current);
    const facts = [
      isTooLate ? "stale" : subject.isApprove ? "approve" : "reject",
      ...(hasDraft ? ["draft"] : []),
    ];
    this.thread.contextValue = facts.join(":");
    this.thread.label = isTooLate
      ? overLabel(subject, {
          isKept: hasDraft,
          hasEnded: current === undefined || hasEnded(current),
        })
      : threadLabel(subject, this.isUnsent);
  }

  /** Takes it from the document. Whoever waits for it hears `result`, or what another thread in its place leads to. */
  close(result: FeedbackResult | undefined | Promise<FeedbackResult | undefined>): void {
    this.#isOpen = false;
    this.thread.dispose();
    this.#settle(result);
  }
}

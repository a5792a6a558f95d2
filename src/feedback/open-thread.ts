import * as vscode from "vscode";
import { shortName } from "../base/text.ts";
import { type ExecutionSummary, hasEnded } from "../executions/model.ts";
import { requestAt } from "../executions/flow-requests.ts";
import { asksFor, attemptToAnswer } from "../executions/resumes.ts";
import { titleOf } from "../executions/title.ts";
import type { FeedbackResult } from "../sending/feedback.ts";
import { callbacksAgain, crewAndAddress, isOver, type ThreadSubject } from "./target.ts";
import type { TextBeingSent } from "./typed-text.ts";

export class OpenThread {
  readonly thread: vscode.CommentThread;
  subject: ThreadSubject;
  hasDraft = false;
  isUnsent = false;
  isOpen = true;
  beingSent: TextBeingSent | undefined;
  /** The crew's answer; undefined if the thread was closed. */
  readonly done: Promise<FeedbackResult | undefined>;
  #settle: (result: FeedbackResult | undefined | OpenThread["done"]) => void = () => undefined;

  constructor(thread: vscode.CommentThread, subject: ThreadSubject) {
    this.thread = thread;
    this.subject = subject;
    this.done = new Promise((settle) => (this.#settle = settle));
  }

  /** A late thread stays open, because unsent text can't be read. */
  name(current: ExecutionSummary | undefined): void {
    if (this.beingSent !== undefined) {
      this.thread.label = vscode.l10n.t("Sending…");
      return;
    }
    const { subject, hasDraft } = this;
    const isTooLate = isOver(subject, current);
    const kind = isAnswer(subject) ? "answer" : subject.isApprove ? "approve" : "reject";
    const action = isTooLate ? "stale" : kind;
    this.thread.contextValue = hasDraft ? `${action}:draft` : action;
    this.thread.label = isTooLate
      ? overLabel(subject, hasDraft, current === undefined || hasEnded(current))
      : threadLabel(subject, this.isUnsent);
  }

  /** @param result settles `done` */
  close(result: FeedbackResult | undefined | OpenThread["done"]): void {
    this.isOpen = false;
    this.thread.dispose();
    this.#settle(result);
  }
}

/** One line, the most important first, since a narrow editor cuts its end. */
export function threadLabel(subject: ThreadSubject, isUnsent: boolean): string {
  const { execution, taskId, isApprove } = subject;
  const attempt = attemptToAnswer(execution, taskId);
  const task = shortName(taskId);
  const output = attempt > 1 ? vscode.l10n.t("“{0}”, attempt {1}", task, attempt) : `“${task}”`;
  const parts = [output, crewAndAddress(execution), titleOf(execution)] as const;
  const what = isAnswer(subject)
    ? vscode.l10n.t("Answer {0} – the flow {1} continues “{2}” with it", ...parts)
    : isApprove
      ? vscode.l10n.t("Approve {0} – later tasks of {1} in “{2}” read your note", ...parts)
      : vscode.l10n.t(
          "Reject {0} – {1} runs it again; later tasks in “{2}” also read your feedback",
          ...parts,
        );
  const isRequest = requestAt(execution, { taskId, attempt }) !== undefined;
  const again = isRequest ? [] : callbacksAgain(execution);
  const all =
    again.length === 0 ? what : vscode.l10n.t("{0}; callbacks again: {1}", what, again.join(", "));
  return isUnsent ? vscode.l10n.t("Not sent: {0}", all) : all;
}

export function overLabel(
  { execution, taskId }: ThreadSubject,
  isKept: boolean,
  isEnd: boolean,
): string {
  const output = [shortName(taskId), attemptToAnswer(execution, taskId)] as const;
  if (isEnd)
    return isKept
      ? vscode.l10n.t("Ended; your text is saved as a draft (“{0}”, attempt {1})", ...output)
      : vscode.l10n.t(
          "Ended: save a draft to keep your text, or cancel (“{0}”, attempt {1})",
          ...output,
        );
  return isKept
    ? vscode.l10n.t(
        "No longer waits; your text is saved for the next attempt (“{0}”, attempt {1})",
        ...output,
      )
    : vscode.l10n.t(
        "No longer waits: save a draft for the next attempt, or cancel (“{0}”, attempt {1})",
        ...output,
      );
}

function isAnswer({ execution, taskId }: ThreadSubject): boolean {
  return asksFor(execution, taskId);
}

/** VS Code shows each on one line. */
export function threadHints(subject: ThreadSubject): vscode.CommentOptions {
  if (isAnswer(subject))
    return {
      prompt: vscode.l10n.t("Write Answer…"),
      placeHolder: vscode.l10n.t("Your answer. The flow continues with it."),
    };
  const note = vscode.l10n.t(
    "Your note (empty: “Approved.”). All of it becomes context for later tasks.",
  );
  const change = vscode.l10n.t(
    "What should be different? All of it becomes context for later tasks.",
  );
  return subject.isApprove
    ? { prompt: vscode.l10n.t("Approve with Note…"), placeHolder: note }
    : { prompt: vscode.l10n.t("Reject…"), placeHolder: change };
}

import * as vscode from "vscode";
import { attemptToAnswer } from "../executions/resumes.ts";
import { callbacksAgain, crewAndHost } from "./destination.ts";
import type { FeedbackToSend } from "./send.ts";

/** What a thread is for. */
export type ThreadSubject = Omit<FeedbackToSend, "text" | "again">;

/** What sending does: which output of which task, approve or reject, who gets the words and who reads them. One line, the most important first, since a narrow editor cuts its end. */
export function threadLabel({ execution, taskId, isApprove }: ThreadSubject): string {
  const parts = [taskId, attemptToAnswer(execution, taskId), crewAndHost(execution)] as const;
  const what = isApprove ? vscode.l10n.t("Approve “{0}”, attempt {1} – sent to {2}, read by later tasks", ...parts) : vscode.l10n.t("Reject “{0}”, attempt {1} – sent to {2}, read by later tasks", ...parts);
  const again = callbacksAgain(execution);
  return again.length === 0 ? what : vscode.l10n.t("{0}; callbacks again: {1}", what, again.join(", "));
}

/** What a thread says whose output no longer waits, and how its words can still be used. */
export function overLabel({ execution, taskId }: ThreadSubject, { isKept, hasEnded }: { readonly isKept: boolean; readonly hasEnded: boolean }): string {
  const attempt = attemptToAnswer(execution, taskId);
  if (hasEnded) {
    return isKept
      ? vscode.l10n.t("“{0}”, attempt {1}: the execution has ended – your words are kept as a draft", taskId, attempt)
      : vscode.l10n.t("“{0}”, attempt {1}: the execution has ended – save a draft to keep your words, or cancel", taskId, attempt);
  }
  return isKept
    ? vscode.l10n.t("“{0}”, attempt {1}, no longer waits – your words are kept for its next attempt", taskId, attempt)
    : vscode.l10n.t("“{0}”, attempt {1}, no longer waits – save a draft for its next attempt, or cancel", taskId, attempt);
}

/** What stands in the empty field, in the one line that VS Code gives it. */
export function threadHints({ isApprove }: ThreadSubject): vscode.CommentOptions {
  return isApprove
    ? { prompt: vscode.l10n.t("Approve with a note…"), placeHolder: vscode.l10n.t("Your note (empty: “Approved.”). All of it becomes context for later tasks.") }
    : { prompt: vscode.l10n.t("Reject with feedback…"), placeHolder: vscode.l10n.t("What should be different? All of it becomes context for later tasks.") };
}

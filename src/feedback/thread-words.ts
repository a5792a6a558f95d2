import * as vscode from "vscode";
import { shortName } from "../base/text.ts";
import { attemptToAnswer } from "../executions/resumes.ts";
import { titleOf } from "../executions/title.ts";
import { callbacksAgain, crewAndHost } from "./destination.ts";
import type { ThreadSubject } from "./thread-subject.ts";

/**
 * What sending does: which output of which task, approve or reject, who reads the words and who gets them. One line, the most important
 * first, since a narrow editor cuts its end. `isUnsent` says first that the words were to be sent already and were not.
 */
export function threadLabel(
  { execution, taskId, isApprove }: ThreadSubject,
  isUnsent: boolean,
): string {
  const attempt = attemptToAnswer(execution, taskId);
  const task = shortName(taskId);
  const output = attempt > 1 ? vscode.l10n.t("“{0}”, attempt {1}", task, attempt) : `“${task}”`;
  const parts = [output, crewAndHost(execution), titleOf(execution)] as const;
  const what = isApprove
    ? vscode.l10n.t("Approve {0} – your words go to later tasks of {1} in “{2}”", ...parts)
    : vscode.l10n.t("Reject {0} – your words go to later tasks of {1} in “{2}”", ...parts);
  const again = callbacksAgain(execution);
  const all =
    again.length === 0 ? what : vscode.l10n.t("{0}; callbacks again: {1}", what, again.join(", "));
  return isUnsent ? vscode.l10n.t("Not sent: {0}", all) : all;
}

/** What a thread says whose output no longer waits, and how its words can still be used. */
export function overLabel(
  { execution, taskId }: ThreadSubject,
  { isKept, hasEnded }: { readonly isKept: boolean; readonly hasEnded: boolean },
): string {
  const output = [shortName(taskId), attemptToAnswer(execution, taskId)] as const;
  if (hasEnded) {
    return isKept
      ? vscode.l10n.t("Ended; your words are kept as a draft (“{0}”, attempt {1})", ...output)
      : vscode.l10n.t(
          "Ended: save a draft to keep your words, or cancel (“{0}”, attempt {1})",
          ...output,
        );
  }
  return isKept
    ? vscode.l10n.t(
        "No longer waits; your words are kept for the next attempt (“{0}”, attempt {1})",
        ...output,
      )
    : vscode.l10n.t(
        "No longer waits: save a draft for the next attempt, or cancel (“{0}”, attempt {1})",
        ...output,
      );
}

/** What stands in the empty field, in the one line that VS Code gives it. */
export function threadHints({ isApprove }: ThreadSubject): vscode.CommentOptions {
  return isApprove
    ? {
        prompt: vscode.l10n.t("Approve with a note…"),
        placeHolder: vscode.l10n.t(
          "Your note (empty: “Approved.”). All of it becomes context for later tasks.",
        ),
      }
    : {
        prompt: vscode.l10n.t("Reject with feedback…"),
        placeHolder: vscode.l10n.t(
          "What should be different? All of it becomes context for later tasks.",
        ),
      };
}

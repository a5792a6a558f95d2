import * as vscode from "vscode";
import { hostOf } from "../api/address.ts";
import { shortName } from "../base/text.ts";
import { confirm, plainLabel, plainMessage } from "../editor/messages.ts";
import { requestAt } from "../executions/flow-requests.ts";
import type { ExecutionSummary, ResumeSummary } from "../executions/model.ts";
import { approved, asksFor, attemptToAnswer, isAt } from "../executions/resumes.ts";
import { titleOf } from "../executions/title.ts";
import { LostSecretsError, UnknownHostError } from "../sending/errors.ts";
import type { FeedbackToSend } from "../sending/feedback.ts";
import { outputOf } from "../view/outputs.ts";
import { callQuestion, present } from "../view/words.ts";
import { placeOf } from "../views/page/model.ts";
import type { Question } from "./question.ts";

export async function askTask(execution: ExecutionSummary): Promise<string | undefined> {
  const { waiting, progress, tasks, resumes } = execution;
  const ids = [waiting, ...[...tasks, ...resumes].reverse()].map((each) => each?.taskId);
  const known = [progress?.current, ...ids].flatMap((id) => id || []);
  const title = vscode.l10n.t("Give Feedback");
  const items = [...new Set(known)].map((taskId) => ({
    ...{ label: plainLabel(shortName(taskId)), taskId },
  }));
  const other = { label: vscode.l10n.t("Enter a Task's ID…"), taskId: undefined };
  const placeHolder = vscode.l10n.t("Which task waits?");
  const options = { title, placeHolder, ignoreFocusOut: true };
  const chosen =
    items.length === 0 ? other : await vscode.window.showQuickPick([...items, other], options);
  if (chosen !== other) return chosen?.taskId;
  const prompt = vscode.l10n.t(
    "The ID of the task that waits; it is in the crew's human-input callback.",
  );
  const typed = await vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true });
  return typed?.trim() === "" ? undefined : typed?.trim();
}

export async function askToAllow(
  error: unknown,
  { execution: { crew } }: Pick<FeedbackToSend, "execution">,
): Promise<Pick<FeedbackToSend, "withoutSecrets" | "allowedHost"> | undefined> {
  if (error instanceof LostSecretsError) {
    const question = vscode.l10n.t("Send the feedback without the callback's secret?");
    const detail = vscode.l10n.t(
      "The execution was started with a callback to {0} that needs a secret, which can't be read from this machine's secret storage. Without it, the callback is sent without authentication, and its receiver may refuse it.",
      [...new Set(error.addresses.map(hostOf))].join(", "),
    );
    const button = vscode.l10n.t("Send Without It");
    const isAllowed = await confirm(question, plainMessage(detail), button);
    return isAllowed ? { withoutSecrets: true } : undefined;
  }
  if (!(error instanceof UnknownHostError)) return undefined;
  const { host } = error;
  const question = vscode.l10n.t("Send answers to {0}?", host);
  const detail = vscode.l10n.t(
    "The flow's request of “{0}” asks to send your answer to {1}. What you answer, and nothing else, goes there: no token of the crew. You are asked once for each crew and host.",
    crew.name,
    host,
  );
  const isAllowed = await confirm(question, detail, vscode.l10n.t("Allow and Send"));
  return isAllowed ? { allowedHost: host } : undefined;
}

export function feedbackQuestion(feedback: FeedbackToSend): Question {
  const { execution, taskId, isApprove, text } = feedback;
  const { waiting, engine } = execution;
  const target = { taskId, attempt: attemptToAnswer(execution, taskId) };
  const isAnswer = requestAt(execution, target) !== undefined || asksFor(execution, taskId);
  const kind = isAnswer ? "answer" : isApprove ? "approve" : "reject";
  const names = [shortName(taskId), titleOf(execution)] as const;
  const words = {
    approve: [
      vscode.l10n.t("Approve “{0}” of “{1}”?", ...names),
      vscode.l10n.t("The crew continues with this output."),
      vscode.l10n.t("Approve"),
    ],
    reject: [
      vscode.l10n.t("Reject “{0}” of “{1}”?", ...names),
      vscode.l10n.t("The task runs again."),
      vscode.l10n.t("Reject"),
    ],
    answer: [
      vscode.l10n.t("Answer “{0}” of “{1}”?", ...names),
      vscode.l10n.t("The flow continues."),
      vscode.l10n.t("Send Answer"),
    ],
  } as const;
  const waits = isAt(waiting, target);
  const call = waits ? waiting?.call : undefined;
  const [title, effect, allow] = call
    ? ([
        isApprove
          ? vscode.l10n.t("Allow “{0}” of “{1}”?", ...names)
          : vscode.l10n.t("Refuse “{0}” of “{1}”?", ...names),
        callQuestion(call),
        isApprove ? vscode.l10n.t("Allow") : vscode.l10n.t("Refuse"),
      ] as const)
    : words[kind];
  const output = present(
    isAnswer && waiting?.message,
    (waits ? waiting?.output : undefined) ?? outputOf(execution, { kind: "attempt", ...target }),
  ).join("\n\n");
  return {
    title,
    parts: present<Question["parts"][number]>(
      vscode.l10n.t("Attempt {0}. {1}", target.attempt, effect),
      placeOf(execution, target),
      engine !== "rehearsal" && vscode.l10n.t("This can cost money."),
      {
        heading: vscode.l10n.t("This is sent:"),
        text: text.trim() === "" ? approved : text,
      },
      { heading: vscode.l10n.t("The output:"), text: output || "–" },
    ),
    allow,
  };
}

export function doubtIn({ taskId, outcome }: ResumeSummary): string {
  const task = shortName(taskId);
  const text =
    outcome === "answered"
      ? vscode.l10n.t(
          "The crew accepted your feedback for “{0}”, but has not been seen to continue. It may only be slow.",
          task,
        )
      : vscode.l10n.t("Your feedback for “{0}” got no response, so it may have arrived.", task);
  return `${text} ${vscode.l10n.t("If so, another answer can be for its next output, which you have not read, and cost money.")}`;
}

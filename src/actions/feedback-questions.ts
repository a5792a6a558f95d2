import * as vscode from "vscode";
import { hostOf, shortAddress } from "../api/address.ts";
import { safeUrl } from "../base/loopback.ts";
import { shortName } from "../base/text.ts";
import { confirm, plainLabel, plainMessage } from "../editor/messages.ts";
import { requestAt } from "../executions/flow-requests.ts";
import type { Execution, ExecutionSummary, ResumeSummary } from "../executions/model.ts";
import { approved, asksFor, attemptToAnswer } from "../executions/resumes.ts";
import { taskIn } from "../executions/tasks.ts";
import { titleOf } from "../executions/title.ts";
import { LostSecretsError, UnknownHostError } from "../sending/errors.ts";
import type { FeedbackToSend } from "../sending/feedback.ts";
import { callbacksAgain, crewAndPlace } from "../crews/identity.ts";
import { present } from "../view/words.ts";
import type { Question } from "./question.ts";

/** Asks for a known task or an ID. Undefined when the person cancels. */
export async function askTask(execution: ExecutionSummary): Promise<string | undefined> {
  const title = vscode.l10n.t("Give Feedback");
  const known = knownTasks(execution).map((taskId) => ({
    label: plainLabel(shortName(taskId)),
    taskId,
  }));
  const other = { label: vscode.l10n.t("Enter a Task's ID…"), taskId: undefined };
  const placeHolder = vscode.l10n.t("Which task waits?");
  const options = { title, placeHolder, ignoreFocusOut: true };
  const chosen =
    known.length === 0 ? other : await vscode.window.showQuickPick([...known, other], options);
  if (chosen !== other) return chosen?.taskId;
  const typed = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t(
      "The ID of the task that waits; it is in the crew's human-input callback.",
    ),
    ignoreFocusOut: true,
  });
  return typed?.trim() === "" ? undefined : typed?.trim();
}

/** What a person allows, so that feedback can be sent. Undefined for another error, and if refused. */
export async function askToAllow(
  error: unknown,
  { execution }: Pick<FeedbackToSend, "execution">,
): Promise<Pick<FeedbackToSend, "withoutSecrets" | "allowedHost"> | undefined> {
  if (error instanceof LostSecretsError)
    return (await askWithoutSecrets(error.addresses)) ? { withoutSecrets: true } : undefined;
  if (!(error instanceof UnknownHostError)) return undefined;
  const { host } = error;
  const question = vscode.l10n.t("Send answers to {0}?", host);
  const detail = vscode.l10n.t(
    "The flow's request of “{0}” asks to send your answer to {1}. What you answer, and nothing else, goes there: no token of the crew. You are asked once for each crew and host.",
    execution.crew.name,
    host,
  );
  const isAllowed = await confirm(question, detail, vscode.l10n.t("Allow and Send"));
  return isAllowed ? { allowedHost: host } : undefined;
}

async function askWithoutSecrets(addresses: readonly string[]): Promise<boolean> {
  const hosts = [...new Set(addresses.map(hostOf))].join(", ");
  const detail = vscode.l10n.t(
    "The execution was started with a callback to {0} that needs a secret, which can't be read from this machine's secret storage. Without it, the callback is sent without authentication, and its receiver may refuse it.",
    hosts,
  );
  const question = vscode.l10n.t("Send the feedback without the callback's secret?");
  return await confirm(question, plainMessage(detail), vscode.l10n.t("Send Without It"));
}

/** Holds all that is sent, and the output, which is not. */
export function feedbackQuestion(feedback: FeedbackToSend): Question {
  const { execution, taskId, isApprove, text } = feedback;
  const { waiting, engine, crew } = execution;
  const attempt = attemptToAnswer(execution, taskId);
  const request = requestAt(execution, { taskId, attempt });
  const isAnswer = request !== undefined || asksFor(execution, taskId);
  const kind = isAnswer ? "answer" : isApprove ? "approve" : "reject";
  const names = [shortName(taskId), titleOf(execution)] as const;
  const titles = {
    approve: vscode.l10n.t("Approve “{0}” of “{1}”?", ...names),
    reject: vscode.l10n.t("Reject “{0}” of “{1}”?", ...names),
    answer: vscode.l10n.t("Answer “{0}” of “{1}”?", ...names),
  };
  const effects = {
    approve: vscode.l10n.t("The crew continues with this output."),
    reject: vscode.l10n.t("The task runs again."),
    answer: vscode.l10n.t("The flow continues."),
  };
  const buttons = {
    approve: vscode.l10n.t("Approve"),
    reject: vscode.l10n.t("Reject"),
    answer: vscode.l10n.t("Send Answer"),
  };
  const host = request ? safeUrl(request.callbackUrl)?.host : shortAddress(crew.url);
  const again = request === undefined ? callbacksAgain(execution).join(", ") : "";
  const output = [isAnswer ? waiting?.message : "", outputOf(execution, taskId, attempt)];
  return {
    title: titles[kind],
    parts: present<Question["parts"][number]>(
      vscode.l10n.t(
        "Task “{0}”, attempt {1}, of “{2}” at {3}. {4}",
        ...[names[0], attempt, names[1], crewAndPlace(execution), effects[kind]],
      ),
      engine !== "rehearsal" && vscode.l10n.t("This can cost money."),
      {
        heading: isAnswer
          ? vscode.l10n.t("This answer is sent to {0}:", host ?? "–")
          : vscode.l10n.t("This feedback is sent, and becomes context for later tasks:"),
        text: text.trim() === "" ? approved : text,
      },
      again !== "" && vscode.l10n.t("Its callbacks are also sent again: {0}.", again),
      {
        heading: vscode.l10n.t("The output:"),
        text: output.filter(Boolean).join("\n\n") || "–",
      },
    ),
    allow: buttons[kind],
  };
}

function outputOf(execution: Execution, taskId: string, attempt: number): string | undefined {
  const { waiting, tasks } = execution;
  const waits = waiting?.taskId === taskId && waiting.attempt === attempt;
  const { attempts = [] } = taskIn(tasks, taskId) ?? {};
  return (
    (waits ? waiting.output : undefined) ??
    attempts.find(({ number }) => number === attempt)?.output
  );
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

/** The likeliest first. */
function knownTasks({ waiting, progress, tasks, resumes }: ExecutionSummary): readonly string[] {
  const ids = [
    waiting?.taskId,
    progress?.current,
    ...tasks.map((task) => task.taskId).reverse(),
    ...resumes.map((resume) => resume.taskId).reverse(),
  ];
  return [...new Set(ids.filter((id): id is string => id !== undefined && id !== ""))];
}

import * as vscode from "vscode";
import { hostOf } from "../api/address.ts";
import { shortName } from "../base/text.ts";
import { confirm, plainLabel, plainMessage } from "../editor/messages.ts";
import type { Execution, ExecutionSummary, ResumeSummary } from "../executions/model.ts";
import { approved } from "../executions/resumes.ts";
import { taskIn } from "../executions/tasks.ts";
import { titleOf } from "../executions/title.ts";
import { LostSecretsError, UnknownHostError } from "../sending/errors.ts";
import type { FeedbackToSend } from "../sending/feedback.ts";
import { effects } from "./lenses.ts";
import { crewAndAddress, type FeedbackSubject } from "./target.ts";

/** A dialog grows with its text, out of the window. */
const longest = { lines: 12, characters: 700 };

/** Asks for a known task or a typed ID. Undefined when the person cancels. */
export async function askTask(execution: ExecutionSummary): Promise<string | undefined> {
  const itemOf = (taskId: string) => ({ label: plainLabel(shortName(taskId)), taskId });
  const known = knownTasks(execution).map(itemOf);
  const picker = vscode.window.createQuickPick<vscode.QuickPickItem & { taskId: string }>();
  picker.title = vscode.l10n.t("Give Feedback");
  picker.placeholder = vscode.l10n.t("Choose the task that waits, or enter its ID");
  if (known.length === 0)
    picker.placeholder = vscode.l10n.t(
      "Enter the ID of the task that waits (it is in the crew's human-input callback)",
    );
  picker.ignoreFocusOut = true;
  picker.items = known;
  return await new Promise((resolve) => {
    picker.onDidChangeValue((value) => {
      const typed = value.trim();
      const isNew = typed !== "" && known.every((item) => item.taskId !== typed);
      picker.items = isNew
        ? [...known, { ...itemOf(typed), description: vscode.l10n.t("as typed") }]
        : known;
    });
    picker.onDidAccept(() => {
      const [chosen] = picker.selectedItems;
      if (chosen === undefined) return;
      resolve(chosen.taskId);
      picker.dispose();
    });
    picker.onDidHide(() => {
      resolve(undefined);
      picker.dispose();
    });
    picker.show();
  });
}

export async function askAgain(sent: ResumeSummary): Promise<boolean> {
  const question = vscode.l10n.t("Send the same feedback again?");
  return await confirm(question, doubtIn(sent), vscode.l10n.t("Send Again"));
}

export async function askAnew(taken: ResumeSummary): Promise<boolean> {
  const question = vscode.l10n.t("Answer “{0}” again?", shortName(taken.taskId));
  return await confirm(question, doubtIn(taken), vscode.l10n.t("Answer Again"));
}

/** Lets a person choose one of the answers that a flow names, or write another one (empty). Undefined if cancelled. */
export async function askAnswer({ waiting }: ExecutionSummary): Promise<string | undefined> {
  const { taskId = "", options = [], defaultOption } = waiting ?? {};
  // Without a choice, there is nothing to ask.
  if (options.length === 0) return "";
  const named = options.map((answer) => ({
    label: plainLabel(shortName(answer)),
    ...(answer === defaultOption && { description: vscode.l10n.t("default") }),
    answer,
  }));
  const write = { label: vscode.l10n.t("Write Answer…"), detail: effects.answer(), answer: "" };
  const separator = { label: "", kind: vscode.QuickPickItemKind.Separator, answer: undefined };
  const chosen = await vscode.window.showQuickPick([...named, separator, write], {
    title: vscode.l10n.t("Answer “{0}”", shortName(taskId)),
    placeHolder: vscode.l10n.t("Choose an answer"),
    ignoreFocusOut: true,
  });
  return chosen?.answer;
}

/** What a person allows, so that feedback can be sent. Undefined for another error, and if refused. */
export async function askToAllow(
  error: unknown,
  { execution }: FeedbackSubject,
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

/** @param answer to a flow that asks */
export async function confirmApproval(
  execution: Execution,
  taskId: string,
  answer?: string,
): Promise<boolean> {
  const names = [shortName(taskId), titleOf(execution)] as const;
  const isAnswer = answer !== undefined;
  const approve = isAnswer ? vscode.l10n.t("Send Answer") : vscode.l10n.t("Approve");
  const question = isAnswer
    ? vscode.l10n.t("Answer “{0}” of “{1}”?", ...names)
    : vscode.l10n.t("Approve “{0}” of “{1}”?", ...names);
  const goesTo = isAnswer
    ? vscode.l10n.t("“{0}” is sent, and the flow continues with it.", shortName(answer))
    : vscode.l10n.t(
        "“{0}” is sent to {1}: the crew continues with this output, and later tasks read that as your feedback.",
        approved,
        crewAndAddress(execution),
      );
  const { waiting, tasks } = execution;
  const pause = waiting?.taskId === taskId ? waiting : undefined;
  const output = pause?.output ?? taskIn(tasks, taskId)?.attempts.at(-1)?.output;
  const asked = pause?.message === undefined ? output : `${pause.message}\n\n${output ?? ""}`;
  const options = { modal: true, detail: `${beginningOf(asked)}\n\n${goesTo}` };
  return (await vscode.window.showInformationMessage(question, options, approve)) === approve;
}

function beginningOf(output: string | undefined): string {
  if (output === undefined) return vscode.l10n.t("The crew has not returned this output.");
  const whole = output.trim();
  if (whole === "") return vscode.l10n.t("The output is empty.");
  const lines = whole.split(/\r?\n/).slice(0, longest.lines).join("\n");
  const characters = Array.from(lines.slice(0, 2 * longest.characters));
  const short = characters.slice(0, longest.characters).join("");
  return short.length < whole.length ? `${short.trimEnd()} …` : short;
}

function doubtIn({ taskId, outcome, feedback }: ResumeSummary): string {
  const task = shortName(taskId);
  if (feedback.isAnswer === true)
    return vscode.l10n.t(
      "Your answer to “{0}” may have arrived. If it did, the flow may have continued, and another answer may be refused or answer its next request.",
      task,
    );
  if (outcome !== "answered")
    return vscode.l10n.t(
      "Your feedback for “{0}” was not answered, so it may have arrived. If it did, sending it again can answer the next output of the task, which you have not read.",
      task,
    );
  const text = feedback.isApprove
    ? vscode.l10n.t(
        "The crew accepted your approval of “{0}”, but has not been seen to continue. It may only be slow.",
        task,
      )
    : vscode.l10n.t(
        "The crew accepted your rejection of “{0}”, but has not been seen to continue. It may only be slow.",
        task,
      );
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

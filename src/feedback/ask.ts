import * as vscode from "vscode";
import { shortName } from "../base/text.ts";
import { plainLabel } from "../editor/messages.ts";
import type { ExecutionSummary, ResumeSummary } from "../executions/model.ts";
import { cannedAnswers } from "./canned.ts";
import { labelled } from "./insert.ts";
import { approved } from "../executions/resumes.ts";

/** What a person may say of an output. */
export type FeedbackKind = "approve" | "approveWithNote" | "reject";

/** Asks which task feedback is for: one that is known, or any id that is typed. Nothing when the person cancels. */
export async function askTask(execution: ExecutionSummary): Promise<string | undefined> {
  const known = knownTasks(execution).map((taskId) => ({
    label: plainLabel(shortName(taskId)),
    taskId,
  }));
  const picker = vscode.window.createQuickPick<{
    label: string;
    description?: string;
    taskId: string;
  }>();
  picker.title = vscode.l10n.t("Give Feedback");
  picker.placeholder =
    known.length === 0
      ? vscode.l10n.t(
          "Type the ID of the task that waits (the crew's human-input callback tells it)",
        )
      : vscode.l10n.t("Choose the task that waits, or type its ID");
  picker.ignoreFocusOut = true;
  picker.items = known;
  return await new Promise((resolve) => {
    picker.onDidChangeValue((value) => {
      const typed = value.trim();
      const isNew = typed !== "" && known.every((item) => item.taskId !== typed);
      picker.items = isNew
        ? [
            ...known,
            {
              label: plainLabel(shortName(typed)),
              description: vscode.l10n.t("as typed"),
              taskId: typed,
            },
          ]
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

/** What a person wants to say of an output, and words to begin with. */
export interface ChosenFeedback {
  readonly kind: FeedbackKind;
  readonly words?: string;
}

/** Asks what to say of a task's output. A canned answer is put into a thread, where it is read before it is sent. Nothing when the person cancels. */
export async function askKind(taskId: string): Promise<ChosenFeedback | undefined> {
  const canned = (isApprove: boolean): (vscode.QuickPickItem & { chosen: ChosenFeedback })[] =>
    cannedAnswers(isApprove).map(({ label, text }) => ({
      ...labelled(label, text),
      description: isApprove ? vscode.l10n.t("approve with a note") : vscode.l10n.t("reject"),
      chosen: { kind: isApprove ? "approveWithNote" : "reject", words: text },
    }));
  const answers = [...canned(true), ...canned(false)];
  const items: readonly (vscode.QuickPickItem & { chosen?: ChosenFeedback })[] = [
    {
      label: vscode.l10n.t("Approve"),
      detail: vscode.l10n.t(
        "The crew goes on with this output, and later tasks read “{0}” as your feedback",
        approved,
      ),
      chosen: { kind: "approve" },
    },
    {
      label: vscode.l10n.t("Approve with a note…"),
      detail: vscode.l10n.t("The crew goes on, and later tasks read your words"),
      chosen: { kind: "approveWithNote" },
    },
    {
      label: vscode.l10n.t("Reject with feedback…"),
      detail: vscode.l10n.t("The task is done again with your words"),
      chosen: { kind: "reject" },
    },
    ...(answers.length === 0
      ? []
      : [
          {
            label: vscode.l10n.t("Canned answers, shown before they are sent"),
            kind: vscode.QuickPickItemKind.Separator,
          },
        ]),
    ...answers,
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Feedback for “{0}”", shortName(taskId)),
    ignoreFocusOut: true,
    matchOnDetail: true,
  });
  return picked?.chosen;
}

/** Asks whether feedback that may have arrived, or that the crew took, is sent a second time. */
export async function askAgain(sent: ResumeSummary): Promise<boolean> {
  return await warned(
    vscode.l10n.t("Send the same feedback again?"),
    doubtIn(sent),
    vscode.l10n.t("Send Again"),
  );
}

/** Asks whether an output is answered anew though the crew took an answer. */
export async function askAnew(taken: ResumeSummary): Promise<boolean> {
  return await warned(
    vscode.l10n.t("Answer “{0}” again?", shortName(taken.taskId)),
    doubtIn(taken),
    vscode.l10n.t("Answer Again"),
  );
}

async function warned(question: string, detail: string, yes: string): Promise<boolean> {
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes;
}

function doubtIn({ taskId, outcome, feedback }: ResumeSummary): string {
  if (outcome !== "answered")
    return vscode.l10n.t(
      "No answer came to your feedback for “{0}”, so it may have arrived. If it did, sending it again can answer the next output of the task, which you have not read.",
      shortName(taskId),
    );
  const words = feedback.isApprove
    ? vscode.l10n.t(
        "The crew took your approval of “{0}”, but has not been seen to go on. It may only be slow.",
        shortName(taskId),
      )
    : vscode.l10n.t(
        "The crew took your rejection of “{0}”, but has not been seen to go on. It may only be slow.",
        shortName(taskId),
      );
  return `${words} ${vscode.l10n.t("If so, another answer can be for its next output, which you have not read, and cost money.")}`;
}

/** Every task id that has been seen of an execution, the likeliest first. */
function knownTasks({ waiting, progress, tasks, resumes }: ExecutionSummary): string[] {
  const ids = [
    waiting?.taskId,
    progress?.current,
    ...tasks.map((task) => task.taskId).reverse(),
    ...resumes.map((resume) => resume.taskId).reverse(),
  ];
  return [...new Set(ids.filter((id): id is string => id !== undefined && id !== ""))];
}

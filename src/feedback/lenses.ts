import * as vscode from "vscode";
import { plainLabel } from "../editor/messages.ts";
import { type ExecutionSummary, keyOf } from "../executions/model.ts";
import { answeredPause, approved, isForWhatWaits, pendingResume } from "../executions/resumes.ts";
import { beginningOf, type Draft, type Drafts } from "./drafts.ts";
import type { Feedback } from "./feedback.ts";
import { answerLabel } from "./target.ts";

export interface FeedbackPlace {
  readonly execution: ExecutionSummary;
  readonly taskId?: string;
  /** From 0. */
  readonly line: number;
}

/** The documents of executions. */
export interface FeedbackDocuments {
  readonly find: (document: vscode.TextDocument) => FeedbackPlace | undefined;
  /** The execution whose own document this is; not that of one of its outputs. */
  readonly findExecution: (document: vscode.TextDocument) => ExecutionSummary | undefined;
  readonly show: (execution: ExecutionSummary) => Promise<vscode.TextEditor>;
}

interface LensParts {
  readonly documents: Pick<FeedbackDocuments, "find" | "findExecution">;
  readonly feedback: Pick<Feedback, "isSending">;
  readonly drafts: Pick<Drafts, "of">;
}

export const effects = {
  approve: () =>
    vscode.l10n.t(
      "The crew continues with this output, and later tasks read “{0}” as your feedback",
      approved,
    ),
  note: () => vscode.l10n.t("The crew continues, and later tasks read your note"),
  reject: () => vscode.l10n.t("The task runs again with your feedback"),
  answer: () => vscode.l10n.t("The flow continues with your answer"),
};

/** Lenses for a flow's answers. */
const most = 8;

/** The actions on the waiting output and, at the top, on drafts for outputs that no longer wait. */
export function feedbackLenses(
  document: vscode.TextDocument,
  { documents, feedback, drafts }: LensParts,
): vscode.CodeLens[] {
  const execution = documents.findExecution(document);
  if (execution === undefined) return [];
  const lens = (line: number) => (command: vscode.Command) =>
    new vscode.CodeLens(new vscode.Range(line, 0, line, 0), command);
  const written = drafts.of(execution.localId);
  const left = written.filter((draft) => !isForWhatWaits(draft, execution));
  const top = left.length === 0 ? [] : [leftOverCommand(execution, left)].map(lens(0));
  const place = documents.find(document);
  if (place === undefined) return top;
  const isSending = feedback.isSending(execution, place.taskId);
  return [...top, ...commandsAt(place, written, isSending).map(lens(place.line))];
}

function commandsAt(
  { execution, taskId }: FeedbackPlace,
  drafts: readonly Draft[],
  isSending: boolean,
): vscode.Command[] {
  const argument = {
    crew: execution.crew.id,
    kickoffId: keyOf(execution),
    ...(taskId === undefined ? {} : { taskId, attempt: execution.waiting?.attempt }),
    fromLens: true,
  };
  const command = (title: string, id: string, tooltip: string, more = {}): vscode.Command => ({
    title,
    command: `crewdeck.${id}`,
    tooltip,
    arguments: [{ ...argument, ...more }],
  });
  const isKnown = vscode.l10n.t("Approve or reject a task whose ID you know");
  const give = command(vscode.l10n.t("Give Feedback…"), "giveFeedback", isKnown);
  const pending = pendingResume(execution);
  if (isSending || pending?.outcome === "sending")
    return [{ title: vscode.l10n.t("Sending…"), command: "" }];
  if (pending !== undefined) {
    const title = vscode.l10n.t("May have been sent – Send Again…");
    const asks = vscode.l10n.t("No answer arrived. Asks before it sends the same feedback again");
    const again = command(title, "sendAgain", asks);
    return taskId === undefined ? [again, give] : [again];
  }
  const kept = drafts
    .filter((draft) => isForWhatWaits(draft, execution))
    .map((draft) => {
      const { isApprove, taskId: of, attempt } = draft;
      const title = withIcon("edit", vscode.l10n.t("Edit Draft…"));
      const tooltip = isApprove
        ? vscode.l10n.t("A note that was not sent: {0}", beginningOf(draft))
        : vscode.l10n.t("A rejection that was not sent: {0}", beginningOf(draft));
      const id = isApprove ? "approveWithNote" : "reject";
      return command(title, id, tooltip, { taskId: of, attempt });
    });
  const paste = command(
    vscode.l10n.t("Paste Received Callback…"),
    "pasteCallback",
    vscode.l10n.t("Shows what your own webhook received: which task waits, and its output"),
  );
  if (taskId === undefined) return [...kept, give, paste];
  const taken = answeredPause(execution);
  const { waiting } = execution;
  if (waiting?.options !== undefined) {
    const { options } = waiting;
    const answer = (title: string, more = {}) => command(title, "answer", effects.answer(), more);
    return [
      ...kept,
      ...options
        .slice(0, most)
        .map((feedback) => answer(plainLabel(answerLabel(feedback, waiting)), { feedback })),
      ...(options.length > most ? [answer(vscode.l10n.t("More Answers…"))] : []),
      answer(withIcon("comment", vscode.l10n.t("Write Answer…")), { feedback: "" }),
    ];
  }
  const stillWaits = taken?.feedback.isApprove
    ? vscode.l10n.t("Approved, but the crew still waits – Send Again…")
    : vscode.l10n.t("Rejected, but the crew still waits – Send Again…");
  const asks = vscode.l10n.t(
    "The crew accepted your feedback and still reports the pause. Asks before it sends the same feedback again",
  );
  return [
    ...kept,
    taken === undefined
      ? command(withIcon("check", vscode.l10n.t("Approve")), "approve", effects.approve())
      : command(stillWaits, "sendAgain", asks),
    command(
      withIcon("comment", vscode.l10n.t("Approve with Note…")),
      "approveWithNote",
      effects.note(),
    ),
    command(withIcon("discard", vscode.l10n.t("Reject…")), "reject", effects.reject()),
  ];
}

/** VS Code leaves no room between an icon and a plain space. */
function withIcon(icon: string, title: string): string {
  return `$(${icon})\u00a0${title}`;
}

function leftOverCommand(execution: ExecutionSummary, drafts: readonly Draft[]): vscode.Command {
  return {
    title:
      drafts.length === 1
        ? vscode.l10n.t("Unsent Draft…")
        : vscode.l10n.t("{0} Unsent Drafts…", drafts.length),
    command: "crewdeck.openDrafts",
    tooltip: drafts.map(beginningOf).join("\n"),
    arguments: [{ crew: execution.crew.id, kickoffId: keyOf(execution), fromLens: true }],
  };
}

import * as vscode from "vscode";
import { plainLabel } from "../editor/messages.ts";
import { type ExecutionSummary, keyOf } from "../executions/model.ts";
import { approved, asksFor, isForWhatWaits, pendingResume } from "../executions/resumes.ts";
import { type Action, canAnswer, type Verb } from "../view/actions.ts";
import { beginningOf, type Draft, type Drafts } from "./drafts.ts";
import { answerLabel } from "../view/words.ts";

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
  /** The execution that a text or a page is about. */
  readonly summary: (uri: vscode.Uri) => ExecutionSummary | undefined;
  /** What a person may do about the output that waits, or may wait. */
  readonly answersTo: (execution: ExecutionSummary) => readonly Action[];
}

interface LensParts {
  readonly documents: Pick<FeedbackDocuments, "find" | "findExecution" | "answersTo">;
  readonly drafts: Pick<Drafts, "of">;
}

export const effects = {
  approve: () =>
    vscode.l10n.t(
      "The crew continues with this output, and later tasks read “{0}” as your feedback",
      approved,
    ),
  reject: () => vscode.l10n.t("The task runs again with your feedback"),
  answer: () => vscode.l10n.t("The flow continues with your answer"),
};

/** Lenses for a flow's answers. */
const most = 8;

/** The actions on the waiting output. */
export function feedbackLenses(
  document: vscode.TextDocument,
  { documents, drafts }: LensParts,
): vscode.CodeLens[] {
  const execution = documents.findExecution(document);
  if (execution === undefined) return [];
  const place = documents.find(document);
  if (place === undefined) return [];
  const range = new vscode.Range(place.line, 0, place.line, 0);
  const answers = documents.answersTo(execution);
  return commandsAt(place, answers, drafts.of(execution.localId)).map(
    (command) => new vscode.CodeLens(range, command),
  );
}

function commandsAt(
  { execution, taskId }: FeedbackPlace,
  answers: readonly Action[],
  drafts: readonly Draft[],
): vscode.Command[] {
  const argument = {
    crew: execution.crew.id,
    kickoffId: keyOf(execution),
    ...(taskId === undefined ? {} : { taskId, attempt: execution.waiting?.attempt }),
    by: "person",
  };
  const command = (title: string, id: string, tooltip: string, more = {}): vscode.Command => ({
    title,
    command: `crewdeck.${id}`,
    tooltip,
    arguments: [{ ...argument, ...more }],
  });
  const isOpen = canAnswer(answers);
  const kept = (isOpen ? drafts : [])
    .filter((draft) => isForWhatWaits(draft, execution))
    .map((draft) => {
      const { taskId: of, attempt } = draft;
      const title = withIcon("edit", vscode.l10n.t("Edit Draft…"));
      const tooltip = vscode.l10n.t("Feedback that was not sent: {0}", beginningOf(draft));
      const verb = asksFor(execution, of) ? "answer" : "reject";
      return command(title, verb, tooltip, { taskId: of, attempt, ...textOf(verb) });
    });
  const { waiting } = execution;
  const { options = [] } = waiting ?? {};
  const answer = (title: string, more = {}) => command(title, "answer", effects.answer(), more);
  const named = options
    .slice(0, most)
    .map((feedback) => answer(plainLabel(answerLabel(feedback, waiting ?? {})), { feedback }));
  if (options.length > most) named.push(answer(vscode.l10n.t("More Answers…")));
  return [
    ...kept,
    ...(isOpen ? named : []),
    ...answers.map(({ verb, label }) => {
      if (verb === undefined) return { title: label, command: "" };
      const icon = icons[verb];
      return command(
        icon === undefined ? label : withIcon(icon, label),
        verb,
        tooltipOf(verb, execution) ?? "",
        textOf(verb),
      );
    }),
  ];
}

/** A flow is answered in the page's box if there is no text yet. */
function textOf(verb: Verb): { readonly feedback?: string } {
  return verb === "answer" ? { feedback: "" } : {};
}

const icons: Readonly<Partial<Record<Verb, string>>> = {
  approve: "check",
  reject: "discard",
  answer: "comment",
};

function tooltipOf(verb: Verb, execution: ExecutionSummary): string | undefined {
  switch (verb) {
    case "approve":
      return effects.approve();
    case "reject":
      return execution.state === "waiting"
        ? effects.reject()
        : vscode.l10n.t("Approve or reject a task whose ID you know");
    case "answer":
      return effects.answer();
    case "pasteCallback":
      return vscode.l10n.t(
        "Shows what your own webhook received: which task waits, and its output",
      );
    case "sendAgain":
      return pendingResume(execution) === undefined
        ? vscode.l10n.t(
            "The crew accepted your feedback and still reports the pause. Asks before it sends the same feedback again",
          )
        : vscode.l10n.t("No answer arrived. Asks before it sends the same feedback again");
    default:
      return undefined;
  }
}

/** VS Code leaves no room between an icon and a plain space. */
function withIcon(icon: string, title: string): string {
  return `$(${icon})\u00a0${title}`;
}

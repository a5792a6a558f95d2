import * as vscode from "vscode";
import { NothingToDo } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import { shortName } from "../base/text.ts";
import { booleanOf, isProgram, numberOf } from "../editor/arguments.ts";
import { recordOf, stringOf, targetOf } from "../editor/arguments.ts";
import { activeDocument } from "../editor/execution-uri.ts";
import { plainLabel, showStatus } from "../editor/messages.ts";
import { hasEnded, keyOf, type Execution, type ExecutionSummary } from "../executions/model.ts";
import { beginningOf, type Draft } from "../feedback/drafts.ts";
import type { GivenFeedback } from "../feedback/feedback.ts";
import { onExecution } from "./choose.ts";
import { approveSelected, isSelection } from "./review.ts";
import type { CommandParts, Commands } from "./table.ts";
import { isForWhatWaits, repeatable } from "../executions/resumes.ts";

interface FeedbackParts extends Pick<
  CommandParts,
  "store" | "documents" | "feedback" | "threads" | "drafts"
> {
  readonly crews: Pick<CommandParts["crews"], "find" | "ready">;
}

/** Those that send return the crew's `{status, message}`. */
export function feedbackCommands(parts: FeedbackParts): Commands {
  const { crews, feedback, threads, drafts } = parts;
  const send = (
    action: (execution: Execution, given: GivenFeedback) => unknown,
    fits: (execution: ExecutionSummary) => boolean,
    none?: string,
  ) =>
    onExecution(
      parts,
      async (execution, argument) => {
        const given = recordOf(argument);
        // In a comparison, the person sees one attempt.
        const shown = targetOf(argument instanceof vscode.Uri ? argument : activeDocument());
        const isShown =
          shown.kickoffId !== undefined && execution.kickoffIds.includes(shown.kickoffId);
        const isHere = isShown && (argument === undefined || argument instanceof vscode.Uri);
        const values = defined({
          taskId: stringOf(given, "taskId") ?? (isHere ? shown.taskId : undefined),
          feedback: stringOf(given, "feedback"),
          attempt: numberOf(given, "attempt") ?? (isHere ? shown.attempt : undefined),
          isPerson: !isProgram(argument),
          isShown: booleanOf(given, "isShown"),
        });
        await crews.ready(execution.crew);
        return await action(execution, values);
      },
      fits,
      none,
    );
  const answer = (action: (execution: Execution, given: GivenFeedback) => unknown) =>
    send(action, ({ state }) => state === "waiting", vscode.l10n.t("No execution waits for you."));
  const approve = answer((execution, given) => feedback.approve(execution, given));
  return {
    approve: (argument, selected) =>
      isSelection(selected) ? approveSelected(parts, selected) : approve(argument),
    approveWithNote: answer((execution, given) => feedback.approveWithNote(execution, given)),
    answer: send(
      (execution, given) => {
        if (execution.waiting?.options !== undefined) return feedback.approve(execution, given);
        throw new NothingToDo(
          vscode.l10n.t("This execution has no flow that waits for your answer."),
        );
      },
      ({ waiting }) => waiting?.options !== undefined,
      vscode.l10n.t("No flow waits for your answer."),
    ),
    reject: answer((execution, given) => feedback.reject(execution, given)),
    giveFeedback: send(
      (execution) => feedback.give(execution),
      (execution) => !hasEnded(execution) && execution.kickoffIds.length > 0,
    ),
    sendAgain: send(
      (execution) => feedback.sendAgain(execution),
      (execution) => repeatable(execution) !== undefined,
    ),
    openDrafts: onExecution(
      parts,
      (execution, argument) => openDrafts(drafts, execution, argument),
      ({ localId }) => drafts.of(localId).length > 0,
      vscode.l10n.t("There is no unsent draft."),
    ),
    sendFeedback: async (reply) => (await threads()).submit(reply),
    saveDraft: async (reply) => (await threads()).saveDraft(reply),
    discardDraft: async (reply) => (await threads()).discardDraft(reply),
    insertCannedAnswer: async (reply) => (await threads()).insert(reply),
    cancelFeedback: async (reply) => (await threads()).cancel(reply),
  };
}

/** Lets the person continue, copy, open or discard an unsent draft. A program gets the list. */
async function openDrafts(
  drafts: FeedbackParts["drafts"],
  execution: Execution,
  argument: unknown,
): Promise<readonly object[] | undefined> {
  const plain = ({ taskId, attempt, isApprove, text }: Draft) => {
    return { taskId, attempt, isApprove, text };
  };
  const kept = drafts.of(execution.localId);
  if (isProgram(argument)) return kept.map(plain);
  const draft = await chooseDraft(kept);
  if (draft === undefined) return undefined;
  const task = shortName(draft.taskId);
  const title = vscode.l10n.t("Unsent draft for “{0}”, attempt {1}", task, draft.attempt);
  const options = { title, placeHolder: beginningOf(draft) };
  const chosen = await vscode.window.showQuickPick(usesOf(draft, execution, drafts), options);
  if (chosen === undefined) return undefined;
  await chosen.run();
  return [plain(draft)];
}

async function chooseDraft(drafts: readonly Draft[]): Promise<Draft | undefined> {
  if (drafts.length === 0)
    throw new NothingToDo(vscode.l10n.t("This execution has no unsent draft."));
  if (drafts.length === 1) return drafts[0];
  const items = drafts.map((draft) => ({
    label: plainLabel(shortName(draft.taskId)),
    description: vscode.l10n.t("attempt {0}", draft.attempt),
    detail: plainLabel(beginningOf(draft)),
    draft,
  }));
  const title = vscode.l10n.t("Unsent Drafts");
  const placeHolder = vscode.l10n.t("Which draft?");
  return (await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDetail: true }))
    ?.draft;
}

function usesOf(draft: Draft, execution: Execution, drafts: FeedbackParts["drafts"]) {
  const { taskId, attempt, isApprove, text } = draft;
  // `kind` marks it as a person's, so that errors are shown.
  const named = { crew: execution.crew.id, kickoffId: keyOf(execution), taskId, attempt };
  const target = { kind: "draft", ...named };
  const command = isApprove ? "crewdeck.approveWithNote" : "crewdeck.reject";
  return [
    ...(isForWhatWaits(draft, execution)
      ? [
          {
            label: vscode.l10n.t("Continue Writing"),
            run: () => vscode.commands.executeCommand(command, target),
          },
        ]
      : []),
    {
      label: vscode.l10n.t("Copy"),
      async run() {
        await vscode.env.clipboard.writeText(text);
        showStatus(vscode.l10n.t("The draft is copied."));
      },
    },
    {
      label: vscode.l10n.t("Open in an Editor"),
      async run() {
        const untitled = { content: text, language: "plaintext" };
        const document = await vscode.workspace.openTextDocument(untitled);
        await vscode.window.showTextDocument(document);
      },
    },
    {
      label: vscode.l10n.t("Discard"),
      description: vscode.l10n.t("cannot be undone"),
      run: () => drafts.remove(draft),
    },
  ];
}

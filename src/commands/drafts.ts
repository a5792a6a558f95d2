import * as vscode from "vscode";
import { shortName } from "../base/text.ts";
import type { Crews } from "../crews/crews.ts";
import { UserError } from "../base/errors.ts";
import { plainLabel, showStatus } from "../editor/messages.ts";
import { keyOf, type ExecutionSummary } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { isForWhatWaits } from "../executions/resumes.ts";
import { type Draft, type Drafts, beginningOf } from "../feedback/drafts.ts";
import { isProgram } from "./arguments.ts";
import { chooseExecution } from "./choose.ts";
import type { Command } from "./table.ts";

/** What the command works with. */
export interface DraftParts {
  readonly crews: Crews;
  readonly store: ExecutionStore;
  readonly drafts: Pick<Drafts, "all" | "remove">;
}

/** A draft as a program gets it. */
type Words = Pick<Draft, "taskId" | "attempt" | "isApprove" | "text">;

/** What can be done with a draft: a row of a list. */
interface Use extends vscode.QuickPickItem {
  readonly run: () => unknown;
}

/**
 * `crewdeck.openDrafts`, with `{crew, kickoffId}`: words that were written and not sent, also those for an output that no longer
 * waits. A person goes on with one, copies, reads or discards it; a program gets a list of `{taskId, attempt, isApprove, text}`.
 */
export function draftsCommand({ crews, store, drafts }: DraftParts): Command {
  return {
    id: "openDrafts",
    async run(argument): Promise<readonly Words[] | undefined> {
      const all = drafts.all();
      const execution = await chooseExecution(
        store,
        crews,
        argument,
        ({ localId }) => all.some((draft) => draft.localId === localId),
        vscode.l10n.t("There is no unsent draft."),
      );
      if (execution === undefined) return undefined;
      const kept = all.filter(({ localId }) => localId === execution.localId);
      if (isProgram(argument)) return kept.map(wordsOf);
      const draft = await chooseDraft(kept);
      const use = draft && (await chooseUse(draft, usesOf(draft, execution, drafts)));
      if (draft === undefined || use === undefined) return undefined;
      await use.run();
      return [wordsOf(draft)];
    },
  };
}

function wordsOf({ taskId, attempt, isApprove, text }: Draft): Words {
  return { taskId, attempt, isApprove, text };
}

/** The only draft there is, or one that the person chooses. @throws UserError where there is none */
async function chooseDraft(drafts: readonly Draft[]): Promise<Draft | undefined> {
  if (drafts.length === 0)
    throw new UserError(vscode.l10n.t("No unsent draft is kept for this execution."));
  if (drafts.length === 1) return drafts[0];
  const items = drafts.map((draft) => ({
    label: plainLabel(shortName(draft.taskId)),
    description: vscode.l10n.t("attempt {0}", draft.attempt),
    detail: plainLabel(beginningOf(draft)),
    draft,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Unsent drafts"),
    placeHolder: vscode.l10n.t("Which draft?"),
    matchOnDetail: true,
  });
  return chosen?.draft;
}

async function chooseUse(draft: Draft, uses: readonly Use[]): Promise<Use | undefined> {
  const title = vscode.l10n.t(
    "Unsent draft for “{0}”, attempt {1}",
    shortName(draft.taskId),
    draft.attempt,
  );
  return await vscode.window.showQuickPick(uses, { title, placeHolder: beginningOf(draft) });
}

function usesOf(
  draft: Draft,
  execution: ExecutionSummary,
  drafts: DraftParts["drafts"],
): readonly Use[] {
  const { taskId, attempt, isApprove, text } = draft;
  // As a row of the tree gives it, so that what goes wrong is told to the person.
  const target = {
    kind: "draft",
    crew: execution.crew.id,
    kickoffId: keyOf(execution),
    taskId,
    attempt,
  };
  const goOn: Use = {
    label: vscode.l10n.t("Continue Writing"),
    run: () =>
      vscode.commands.executeCommand(
        isApprove ? "crewdeck.approveWithNote" : "crewdeck.reject",
        target,
      ),
  };
  return [
    ...(isForWhatWaits(draft, execution) ? [goOn] : []),
    {
      label: vscode.l10n.t("Copy"),
      async run() {
        await vscode.env.clipboard.writeText(text);
        showStatus(vscode.l10n.t("The draft is copied."));
      },
    },
    {
      label: vscode.l10n.t("Open in an Editor"),
      run: async () =>
        vscode.window.showTextDocument(
          await vscode.workspace.openTextDocument({ content: text, language: "plaintext" }),
        ),
    },
    {
      label: vscode.l10n.t("Discard"),
      description: vscode.l10n.t("cannot be undone"),
      run: () => {
        drafts.remove(draft);
      },
    },
  ];
}

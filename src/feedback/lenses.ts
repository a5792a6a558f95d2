import * as vscode from "vscode";
import { keyOf, type ExecutionSummary, type ResumeSummary } from "../executions/model.ts";
import { answeredPause } from "../executions/resumes.ts";
import { beginningOf, isForWhatWaits } from "./draft-words.ts";
import type { Draft, Drafts } from "./drafts.ts";
import type { Feedback } from "./feedback.ts";
import { pendingResume } from "./pending.ts";
import type { FindExecution, FindPlace } from "./place.ts";
import { approved } from "../executions/resumes.ts";

/** What {@link FeedbackLenses} needs. */
export interface FeedbackLensesOptions {
  readonly find: FindPlace;
  readonly findExecution: FindExecution;
  readonly feedback: Pick<Feedback, "isSending" | "onDidChangeSending">;
  readonly drafts: Pick<Drafts, "of" | "onDidChange">;
  /** Something was written to the executions. */
  readonly onDidChange: (listener: () => void) => { dispose(): void };
}

/** The actions over the output that waits for a person, and at the top a way to words that were not sent and that nothing waits for any more. */
export class FeedbackLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #options: FeedbackLensesOptions;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable;

  constructor(options: FeedbackLensesOptions) {
    this.#options = options;
    const changed = () => {
      this.#changed.fire();
    };
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      options.onDidChange(changed),
      options.feedback.onDidChangeSending(changed),
      options.drafts.onDidChange(changed),
      // An editor that comes back shows the lenses of when it went, and may keep them (observed in 1.139).
      vscode.window.onDidChangeVisibleTextEditors(changed),
    );
  }

  readonly onDidChangeCodeLenses = this.#changed.event;

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const execution = this.#options.findExecution(document);
    if (execution === undefined) return [];
    const drafts = this.#options.drafts.of(execution.localId);
    const leftOver = drafts.filter((draft) => !isForWhatWaits(draft, execution));
    const top =
      leftOver.length === 0
        ? []
        : [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), leftOverCommand(execution, leftOver))];
    const place = this.#options.find(document);
    if (place === undefined) return top;
    const range = new vscode.Range(place.line, 0, place.line, 0);
    return [
      ...top,
      ...this.#commands(place.execution, place.taskId, drafts).map(
        (command) => new vscode.CodeLens(range, command),
      ),
    ];
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #commands(
    execution: ExecutionSummary,
    taskId: string | undefined,
    drafts: readonly Draft[],
  ): vscode.Command[] {
    const argument = {
      crew: execution.crew.id,
      kickoffId: keyOf(execution),
      ...(taskId === undefined ? {} : { taskId, attempt: execution.waiting?.attempt }),
      fromLens: true,
    };
    const command = (
      title: string,
      id: string,
      tooltip: string,
      more: object = {},
    ): vscode.Command => ({
      title,
      command: `crewdeck.${id}`,
      tooltip,
      arguments: [{ ...argument, ...more }],
    });
    const give = () =>
      command(
        vscode.l10n.t("Give feedback…"),
        "giveFeedback",
        vscode.l10n.t("Approve or reject a task whose ID you know"),
      );
    const pending = pendingResume(execution);
    if (this.#options.feedback.isSending(execution) || pending?.outcome === "sending")
      return [{ title: vscode.l10n.t("Sending…"), command: "" }];
    if (pending !== undefined) {
      const again = command(
        vscode.l10n.t("May have been sent – Send again…"),
        "sendAgain",
        vscode.l10n.t("No answer came. Asks before it sends the same feedback again"),
      );
      return taskId === undefined ? [again, give()] : [again];
    }
    const kept = drafts
      .filter((draft) => isForWhatWaits(draft, execution))
      .map((draft) => {
        const tooltip = draft.isApprove
          ? vscode.l10n.t("Words of a note that were not sent: {0}", beginningOf(draft))
          : vscode.l10n.t("Words of a rejection that were not sent: {0}", beginningOf(draft));
        return command(
          vscode.l10n.t("Draft kept – continue…"),
          draft.isApprove ? "approveWithNote" : "reject",
          tooltip,
          { taskId: draft.taskId, attempt: draft.attempt },
        );
      });
    if (taskId === undefined) return [...kept, give()];
    const taken = answeredPause(execution);
    return [
      ...kept,
      taken === undefined
        ? command(
            vscode.l10n.t("Approve"),
            "approve",
            vscode.l10n.t(
              "The crew goes on with this output, and later tasks read “{0}” as your feedback",
              approved,
            ),
          )
        : command(
            takenInWords(taken),
            "sendAgain",
            vscode.l10n.t(
              "The crew took your feedback and still reports the pause. Asks before it sends the same feedback again",
            ),
          ),
      command(
        vscode.l10n.t("Approve with a note…"),
        "approveWithNote",
        vscode.l10n.t("The crew goes on, and later tasks read your words"),
      ),
      command(
        vscode.l10n.t("Reject with feedback…"),
        "reject",
        vscode.l10n.t("The task is done again with your words"),
      ),
    ];
  }
}

function takenInWords({ feedback }: ResumeSummary): string {
  return feedback.isApprove
    ? vscode.l10n.t("Approved, but the crew still waits – Send again…")
    : vscode.l10n.t("Rejected, but the crew still waits – Send again…");
}

function leftOverCommand(execution: ExecutionSummary, drafts: readonly Draft[]): vscode.Command {
  return {
    title:
      drafts.length === 1
        ? vscode.l10n.t("Unsent draft kept – copy or discard…")
        : vscode.l10n.t("{0} unsent drafts kept – copy or discard…", drafts.length),
    command: "crewdeck.openDrafts",
    tooltip: drafts.map(beginningOf).join("\n"),
    arguments: [{ crew: execution.crew.id, kickoffId: keyOf(execution), fromLens: true }],
  };
}

import * as vscode from "vscode";
import { keyOf, type Execution } from "../executions/model.ts";
import type { Feedback } from "./feedback.ts";
import { pendingResume } from "./pending.ts";
import type { FindPlace } from "./place.ts";

/** What {@link FeedbackLenses} needs. */
export interface FeedbackLensesOptions {
  readonly find: FindPlace;
  readonly feedback: Pick<Feedback, "isSending" | "onDidChangeSending">;
  /** Something was written to the executions. */
  readonly onDidChange: (listener: () => void) => { dispose(): void };
}

/** The actions over the output that waits for a person. */
export class FeedbackLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #options: FeedbackLensesOptions;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable;

  constructor(options: FeedbackLensesOptions) {
    this.#options = options;
    const changed = () => {
      this.#changed.fire();
    };
    this.#subscriptions = vscode.Disposable.from(this.#changed, options.onDidChange(changed), options.feedback.onDidChangeSending(changed));
  }

  readonly onDidChangeCodeLenses = this.#changed.event;

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const place = this.#options.find(document);
    if (place === undefined) return [];
    const range = new vscode.Range(place.line, 0, place.line, 0);
    return this.#commands(place.execution, place.taskId).map((command) => new vscode.CodeLens(range, command));
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #commands(execution: Execution, taskId: string | undefined): vscode.Command[] {
    const argument = { crew: execution.crew.id, kickoffId: keyOf(execution), ...(taskId === undefined ? {} : { taskId, attempt: execution.waiting?.attempt }), fromLens: true };
    const command = (title: string, id: string, tooltip: string): vscode.Command => ({ title, command: `crewdeck.${id}`, tooltip, arguments: [argument] });
    const give = () => command(vscode.l10n.t("Give feedback…"), "giveFeedback", vscode.l10n.t("Approve or reject a task whose ID you know"));
    const pending = pendingResume(execution);
    if (this.#options.feedback.isSending(execution) || pending?.outcome === "sending") return [{ title: vscode.l10n.t("Sending…"), command: "" }];
    if (pending !== undefined) {
      const again = command(vscode.l10n.t("May have been sent – Send again…"), "sendAgain", vscode.l10n.t("No answer came. Asks before it sends the same feedback again"));
      return taskId === undefined ? [again, give()] : [again];
    }
    if (taskId === undefined) return [give()];
    return [
      command(vscode.l10n.t("Approve"), "approve", vscode.l10n.t("The crew goes on with this output")),
      command(vscode.l10n.t("Approve with a note…"), "approveWithNote", vscode.l10n.t("The crew goes on, and later tasks read your words")),
      command(vscode.l10n.t("Reject with feedback…"), "reject", vscode.l10n.t("The task is done again with your words")),
    ];
  }
}

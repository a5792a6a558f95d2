import * as vscode from "vscode";
import { keyOf, type Execution } from "../executions/model.ts";
import type { ExecutionEvent } from "./events.ts";
import { hearNoMore } from "./notification-settings.ts";

/** A button of a notification. */
export interface NotificationAction {
  readonly title: string;
  readonly run: () => PromiseLike<unknown>;
}

/** What can be done about an event: it leads to the place first, and ends with a way to hear no more of its kind. */
export function actionsOn(execution: Execution, { kind }: ExecutionEvent): readonly NotificationAction[] {
  // As a row of the tree gives it, so that what goes wrong is told to the person; the attempt keeps an answer from another output.
  const target = { kind: "execution", crew: execution.crew.id, localId: execution.localId, kickoffId: keyOf(execution), ...attemptOf(execution) };
  const command = (title: string, id: string): NotificationAction => ({ title, run: () => vscode.commands.executeCommand(id, target) });
  return [
    command(vscode.l10n.t("Open"), "crewdeck.openExecution"),
    ...(kind === "waiting" && execution.waiting !== undefined
      ? [command(vscode.l10n.t("Approve"), "crewdeck.approve"), command(vscode.l10n.t("Reject…"), "crewdeck.reject")]
      : []),
    // The command asks first. What was only tracked by its ID cannot be started again from here.
    ...(kind === "failed" && execution.request !== undefined ? [command(vscode.l10n.t("Run Again…"), "crewdeck.runAgain")] : []),
    { title: vscode.l10n.t("Don't Show Again"), run: () => hearNoMore(kind) },
  ];
}

function attemptOf({ waiting }: Execution): object {
  return waiting === undefined ? {} : { taskId: waiting.taskId, attempt: waiting.attempt };
}

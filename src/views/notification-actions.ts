import * as vscode from "vscode";
import { viewId } from "../editor/ids.ts";
import { showStatus } from "../editor/messages.ts";
import { keyOf, type ExecutionSummary } from "../executions/model.ts";
import type { EventKind, ExecutionEvent } from "./events.ts";
import { longestWaiting } from "./gathered.ts";
import { hearNoMore } from "./notification-settings.ts";

/** A button of a notification. */
export interface NotificationAction {
  readonly title: string;
  readonly run: () => PromiseLike<unknown>;
  /** It answers the output that waits. */
  readonly isAnswer?: true;
}

/** What can be done about an event: it leads to the place first, and ends with a way to hear no more of its kind. */
export function actionsOn(
  execution: ExecutionSummary,
  { kind }: ExecutionEvent,
): readonly NotificationAction[] {
  // As a row of the tree gives it, so that what goes wrong is told to the person; the attempt keeps an answer from another output.
  const target = { ...targetOf(execution), ...attemptOf(execution) };
  const command = (title: string, id: string): NotificationAction => ({
    title,
    run: () => vscode.commands.executeCommand(id, target),
  });
  return [
    command(vscode.l10n.t("Open"), "crewdeck.openExecution"),
    ...(kind === "waiting" && execution.waiting !== undefined
      ? [
          { ...command(vscode.l10n.t("Approve"), "crewdeck.approve"), isAnswer: true } as const,
          { ...command(vscode.l10n.t("Reject…"), "crewdeck.reject"), isAnswer: true } as const,
        ]
      : []),
    // The command asks first. What was only tracked by its ID cannot be started again from here.
    ...(kind === "failed" && execution.request !== undefined
      ? [command(vscode.l10n.t("Run Again…"), "crewdeck.runAgain")]
      : []),
    { title: vscode.l10n.t("Don't Show Again"), run: () => hearNoMore(kind) },
  ];
}

/** What can be done about many events of one kind: the one that waits longest, and the view, where what waits stands first. */
export function actionsOnMany(
  kind: EventKind,
  executions: () => readonly ExecutionSummary[],
): readonly NotificationAction[] {
  return [
    ...(kind === "waiting"
      ? [{ title: vscode.l10n.t("Open First"), run: () => openFirst(executions()) }]
      : []),
    { title: vscode.l10n.t("Show All"), run: showAll },
    { title: vscode.l10n.t("Don't Show Again"), run: () => hearNoMore(kind) },
  ];
}

/** Opens an execution, also where a notification is about it that came long ago. */
export async function openExecution(execution: ExecutionSummary): Promise<void> {
  await vscode.commands.executeCommand("crewdeck.openExecution", targetOf(execution));
}

async function openFirst(executions: readonly ExecutionSummary[]): Promise<void> {
  const first = longestWaiting(executions);
  if (first === undefined) showStatus(vscode.l10n.t("Nothing waits for you any more."));
  else await openExecution(first);
}

async function showAll(): Promise<void> {
  await vscode.commands.executeCommand(`${viewId}.focus`);
  await vscode.commands.executeCommand("list.focusFirst");
}

function targetOf(execution: ExecutionSummary): object {
  return {
    kind: "execution",
    crew: execution.crew.id,
    localId: execution.localId,
    kickoffId: keyOf(execution),
  };
}

function attemptOf({ waiting }: ExecutionSummary): object {
  return waiting === undefined ? {} : { taskId: waiting.taskId, attempt: waiting.attempt };
}

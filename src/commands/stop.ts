import * as vscode from "vscode";
import type { StopAnswer } from "../api/types.ts";
import { UserError } from "../base/errors.ts";
import type { Crews } from "../crews/crews.ts";
import { isProgram } from "../editor/arguments.ts";
import { confirm, showStatus } from "../editor/messages.ts";
import { canBeStopped, type Execution, isLocalCrew } from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";
import { crewAndAddress } from "../feedback/target.ts";
import type { StopSender } from "../sending/stop.ts";
import { onExecution } from "./choose.ts";
import type { CommandParts, Commands } from "./table.ts";

export interface StopParts {
  readonly crews: Pick<Crews, "canStop" | "ready">;
  readonly sending: { stopSender(): Promise<Pick<StopSender, "send">> };
}

interface Parts extends StopParts {
  readonly store: Pick<CommandParts["store"], "find" | "list" | "refresh">;
  readonly crews: Pick<Crews, "canStop" | "find" | "ready">;
}

/** Returns `{status}`. */
export function stopCommands(parts: Parts): Commands {
  const stop = onExecution(
    parts,
    async (execution, argument) => {
      refuseWithoutRoute(parts, execution);
      const isPerson = !isProgram(argument);
      if (isPerson && !(await askToStop(execution))) return undefined;
      const answer = await stopExecution(parts, execution);
      if (isPerson)
        showStatus(
          vscode.l10n.t("The crew was asked to stop. The execution's state shows when it has."),
        );
      return answer;
    },
    (execution) =>
      canBeStopped(execution) &&
      parts.crews.find(execution.crew.id) !== undefined &&
      parts.crews.canStop(execution.crew.id),
    vscode.l10n.t("No tracked execution can be stopped."),
  );
  return { stop };
}

/** Asks its crew, once, to stop an execution. @throws as `StopSender.send` does */
export async function stopExecution(parts: StopParts, execution: Execution): Promise<StopAnswer> {
  refuseWithoutRoute(parts, execution);
  await parts.crews.ready(execution.crew);
  const sender = await parts.sending.stopSender();
  return await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Stopping…") },
    () => sender.send(execution),
  );
}

/** What stopping means, for a person who confirms it. */
export function stopEffect(execution: Execution): string {
  return isLocalCrew(execution.crew)
    ? vscode.l10n.t(
        "It ends for good: the task under way is abandoned, and nothing continues it. Outputs that you have stay here.",
      )
    : vscode.l10n.t(
        "A request to stop is sent to {0}. Not every deployed crew can stop an execution; if this one does, it ends for good. Its state shows whether it stopped.",
        crewAndAddress(execution),
      );
}

function askToStop(execution: Execution): Promise<boolean> {
  const title = titleOf(execution);
  return isLocalCrew(execution.crew)
    ? confirm(
        vscode.l10n.t("Stop “{0}”?", title),
        stopEffect(execution),
        vscode.l10n.t("Stop Execution"),
      )
    : confirm(
        vscode.l10n.t("Try to stop “{0}”?", title),
        stopEffect(execution),
        vscode.l10n.t("Try to Stop"),
      );
}

/** @throws UserError if the crew has said before that it can't */
function refuseWithoutRoute({ crews }: StopParts, { crew }: Execution): void {
  if (crews.canStop(crew.id)) return;
  throw new UserError(
    vscode.l10n.t(
      "“{0}” does not offer to stop an execution. Nothing was sent; the execution continues.",
      crew.name,
    ),
  );
}

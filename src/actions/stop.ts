import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import type { Crews } from "../crews/crews.ts";
import { showStatus } from "../editor/messages.ts";
import { type Execution, isLocalCrew } from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";
import { crewAndPlace } from "../crews/place.ts";
import type { Senders } from "../sending/senders.ts";
import type { Question } from "./question.ts";
import type { Targets } from "./targets.ts";

export interface StopParts {
  readonly targets: Targets;
  readonly crews: Pick<Crews, "canStop" | "ready">;
  readonly sending: Pick<Senders, "stop">;
}

/** Asks the crew once to stop `{crew, kickoffId}`, and returns `{status}`. @throws as `Senders.stop` does */
export function stopVerb({ targets, crews, sending }: StopParts) {
  return targets.onExecution(
    async (execution, _argument, by) => {
      const { crew } = execution;
      if (!crews.canStop(crew.id))
        throw new UserError(
          vscode.l10n.t(
            "“{0}” does not offer to stop an execution. Nothing was sent; the execution continues.",
            crew.name,
          ),
        );
      if (!(await by.agrees(stopQuestion(execution)))) return undefined;
      await crews.ready(crew);
      by.signal?.throwIfAborted();
      const answer = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Stopping…") },
        () => sending.stop(execution),
      );
      if (by.isPerson)
        showStatus(
          vscode.l10n.t("The crew was asked to stop. The execution's state shows when it has."),
        );
      return answer;
    },
    ["stop"],
    vscode.l10n.t("No tracked execution can be stopped."),
  );
}

function stopQuestion(execution: Execution): Question {
  const place = crewAndPlace(execution);
  return {
    title: vscode.l10n.t("Stop “{0}”?", titleOf(execution)),
    parts: [
      isLocalCrew(execution.crew)
        ? vscode.l10n.t(
            "{0} ends it for good: the task under way is abandoned, and nothing continues it. Outputs that you have stay here.",
            place,
          )
        : vscode.l10n.t(
            "A request to stop is sent to {0}. Not every deployed crew can stop an execution; if this one does, it ends for good. Its state shows whether it stopped.",
            place,
          ),
    ],
    allow: vscode.l10n.t("Stop Execution"),
  };
}

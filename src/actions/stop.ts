import * as vscode from "vscode";
import type { StopAnswer } from "../api/types.ts";
import { messageOf, UserError } from "../base/errors.ts";
import type { Crews } from "../crews/crews.ts";
import { neededText, read, text } from "../editor/arguments.ts";
import { showStatus } from "../editor/messages.ts";
import { type Execution, isLocalCrew, keyOf } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { titleOf } from "../executions/title.ts";
import { crewAndPlace } from "../feedback/target.ts";
import { MaybeSentError } from "../sending/errors.ts";
import type { Senders } from "../sending/senders.ts";
import { may } from "../view/actions.ts";
import { type Asker, program, sent } from "./asker.ts";
import { type NamedParts, namedExecution, onExecution } from "./choose.ts";
import type { Run } from "./commands.ts";
import type { Question } from "./question.ts";
import { executionIn, executionMembers, resultOf, type Tool, toolOf } from "./tool.ts";

export interface StopParts {
  readonly store: Pick<ExecutionStore, "find" | "list" | "refresh">;
  readonly crews: Pick<Crews, "canStop" | "find" | "ready">;
  readonly sending: Pick<Senders, "stop">;
}

/** Asks its crew, once, to stop an execution. Undefined if a person doesn't allow it. @throws as `Senders.stop` does */
async function stopExecution(
  { crews, sending }: Omit<StopParts, "store">,
  execution: Execution,
  by: Asker,
): Promise<StopAnswer | undefined> {
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
  return await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Stopping…") },
    () => sending.stop(execution),
  );
}

function stopQuestion(execution: Execution): Question {
  const title = titleOf(execution);
  const place = crewAndPlace(execution);
  return isLocalCrew(execution.crew)
    ? {
        title: vscode.l10n.t("Stop “{0}”?", title),
        parts: [
          vscode.l10n.t(
            "{0} ends it for good: the task under way is abandoned, and nothing continues it. Outputs that you have stay here.",
            place,
          ),
        ],
        allow: vscode.l10n.t("Stop Execution"),
      }
    : {
        title: vscode.l10n.t("Try to stop “{0}”?", title),
        parts: [
          vscode.l10n.t(
            "A request to stop is sent to {0}. Not every deployed crew can stop an execution; if this one does, it ends for good. Its state shows whether it stopped.",
            place,
          ),
        ],
        allow: vscode.l10n.t("Try to Stop"),
      };
}

/** Takes `{crew, kickoffId}`, and returns `{status}`. */
export function stopCommand(parts: StopParts): Run {
  const { crews } = parts;
  return onExecution(
    parts,
    async (execution, _argument, by) => {
      const answer = await stopExecution(parts, execution, by);
      if (by.isPerson && answer !== undefined)
        showStatus(
          vscode.l10n.t("The crew was asked to stop. The execution's state shows when it has."),
        );
      return answer;
    },
    (execution) => {
      const { id } = execution.crew;
      return may(execution, "stop", { canStop: crews.find(id) !== undefined && crews.canStop(id) });
    },
    vscode.l10n.t("No tracked execution can be stopped."),
  );
}

/** The API's `stop`: takes `{crew?, kickoffId}`. */
export async function stop(parts: Omit<StopParts, "store"> & NamedParts, argument: unknown) {
  const target = read({ crew: text, kickoffId: neededText }, argument);
  return sent(await stopExecution(parts, namedExecution(parts, target), program));
}

/** `crewdeck_stopExecution` */
export function stopTool(parts: StopParts): Tool {
  return toolOf(executionMembers, {
    read: (given) => executionIn(parts, given),
    progress: ({ crew }) => vscode.l10n.t("Stopping an execution of “{0}”", crew.name),
    question: stopQuestion,
    async run(execution, by) {
      const executionId = keyOf(execution);
      try {
        const answer = await stopExecution(parts, execution, by);
        return (
          answer &&
          resultOf(
            { executionId, status: answer.status },
            vscode.l10n.t(
              "The crew accepted the request. Only the state that crewdeck_getExecution returns shows whether it has stopped.",
            ),
          )
        );
      } catch (error) {
        if (!(error instanceof MaybeSentError)) throw error;
        return resultOf(
          { executionId, problem: messageOf(error) },
          vscode.l10n.t(
            "It is not known whether the request arrived. Do not repeat it: read the state with crewdeck_getExecution and tell the user.",
          ),
        );
      }
    },
  });
}

import * as vscode from "vscode";
import { messageOf } from "../base/errors.ts";
import { stopEffect, stopExecution, type StopParts } from "../commands/stop.ts";
import { keyOf, type Execution } from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";
import { MaybeSentError } from "../sending/errors.ts";
import { isAllowed } from "./ask.ts";
import type { Confirmation } from "./confirmation.ts";
import { crewAndPlace, denied, findOrRefuse, readInput, resultOf } from "./tool.ts";
import type { FindParts, Tool } from "./tool.ts";

/** `crewdeck_stopExecution`: asks the crew to stop an execution. */
export function stopTool(parts: FindParts & StopParts): Tool {
  const { crews, sending } = parts;
  const read = (input: unknown) => findOrRefuse(parts, readInput(input, ["executionId", "crew"]));
  const crewOf = ({ crew }: Execution) => crews.find(crew.id) ?? crew;
  const confirmationOf = (execution: Execution): Confirmation => ({
    title: vscode.l10n.t("Stop an execution of “{0}”?", crewOf(execution).name),
    parts: [
      vscode.l10n.t("Stops “{0}” at {1}.", titleOf(execution), crewAndPlace(crewOf(execution))),
      stopEffect(execution),
    ],
    allow: vscode.l10n.t("Stop"),
  });
  return {
    prepare(input) {
      const execution = read(input);
      const progress = vscode.l10n.t("Stopping an execution of “{0}”", crewOf(execution).name);
      return { progress, confirmation: confirmationOf(execution) };
    },
    async invoke(input, signal) {
      const execution = read(input);
      if (!(await isAllowed(confirmationOf(execution), signal))) return denied();
      signal.throwIfAborted();
      const executionId = keyOf(execution);
      try {
        const { status } = await stopExecution({ crews, sending }, execution);
        return resultOf(
          { executionId, status },
          vscode.l10n.t(
            "The crew accepted the request. Only the state that crewdeck_getExecution returns shows whether it has stopped.",
          ),
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
  };
}

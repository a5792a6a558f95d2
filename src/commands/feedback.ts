import * as vscode from "vscode";
import { NothingToDo } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import { booleanOf, isProgram, numberOf } from "../editor/arguments.ts";
import { recordOf, stringOf, targetOf } from "../editor/arguments.ts";
import { activeDocument } from "../editor/execution-uri.ts";
import { type Execution, type ExecutionSummary, waitsForPerson } from "../executions/model.ts";
import type { GivenFeedback } from "../feedback/feedback.ts";
import { onExecution } from "./choose.ts";
import { approveSelected, isSelection } from "./review.ts";
import type { CommandParts, Commands } from "./table.ts";
import { repeatable } from "../executions/resumes.ts";

interface FeedbackParts extends Pick<CommandParts, "store" | "documents" | "feedback"> {
  readonly crews: Pick<CommandParts["crews"], "find" | "ready">;
}

/** Those that send return the crew's `{status, message}`. */
export function feedbackCommands(parts: FeedbackParts): Commands {
  const { crews, feedback } = parts;
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
  const none = vscode.l10n.t("No execution waits for you.");
  const waits = ({ state }: ExecutionSummary) => state === "waiting";
  const approve = send((execution, given) => feedback.approve(execution, given), waits, none);
  return {
    approve: (argument, selected) =>
      isSelection(selected) ? approveSelected(parts, selected) : approve(argument),
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
    reject: send((execution, given) => feedback.reject(execution, given), waitsForPerson, none),
    sendAgain: send(
      (execution) => feedback.sendAgain(execution),
      (execution) => repeatable(execution) !== undefined,
    ),
  };
}

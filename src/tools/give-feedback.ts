import * as vscode from "vscode";
import { needed, numberOf, optional, stringOf } from "../commands/arguments.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { hasEnded, keyOf, type Execution } from "../executions/model.ts";
import { attemptToAnswer } from "../executions/resumes.ts";
import { titleOf } from "../executions/title.ts";
import { callbacksAgain } from "../feedback/destination.ts";
import { MaybeSentError } from "../sending/errors.ts";
import { approved } from "../sending/feedback.ts";
import { staleByAttempt, staleByRecord, staleError } from "../sending/stale.ts";
import { isAllowed } from "./ask.ts";
import type { Confirmation, Longest } from "./confirmation.ts";
import { crewAndPlace } from "./destination.ts";
import { findOrRefuse } from "./find.ts";
import { oneOf, readInput } from "./input.ts";
import type { ToolParts } from "./parts.ts";
import { deniedInWords, resultOf } from "./result.ts";
import type { Tool } from "./tool.ts";

/** What the model wants to say of an output, checked. */
interface Wanted {
  readonly execution: Execution;
  readonly taskId: string;
  /** Counts from 1. */
  readonly attempt: number;
  readonly isApprove: boolean;
  /** Empty for an approval without words. */
  readonly words: string;
}

/** Characters of the output that is approved or rejected in the question. It is not sent: the execution's document has all of it. */
const longestOutput: Longest = { chat: 1_500, dialog: 600, document: 1_000_000 };

/** `crewdeck_giveFeedback`: approves or rejects an output that waits, after the person has allowed all of it. */
export function giveFeedbackTool({
  crews,
  executions,
  feedback,
  wake,
}: Pick<ToolParts, "crews" | "executions" | "feedback" | "wake">): Tool {
  const read = (input: unknown): Wanted => {
    const given = readInput(input, [
      "executionId",
      "crew",
      "decision",
      "feedback",
      "taskId",
      "attempt",
    ]);
    const isApprove =
      needed(oneOf("decision", stringOf(given, "decision"), ["approve", "reject"]), "decision") ===
      "approve";
    const words = stringOf(given, "feedback") ?? "";
    const execution = findOrRefuse(executions.store, crews, given);
    const taskId = stringOf(given, "taskId") ?? execution.waiting?.taskId;
    if (taskId === undefined || taskId === "")
      throw new UserError(
        vscode.l10n.t("No task of this execution is known to wait. Say which one by its task ID."),
      );
    if (!isApprove && words.trim() === "")
      throw new UserError(
        vscode.l10n.t(
          "A rejection needs “feedback”: what should be different. Ask the user for it. Nothing was sent.",
        ),
      );
    const attempt = numberOf(given, "attempt") ?? attemptToAnswer(execution, taskId);
    if (hasEnded(execution)) throw staleError("ended", execution, { taskId, attempt });
    const stale =
      staleByAttempt(execution, taskId, attempt) ??
      staleByRecord(execution, execution, { taskId, attempt }, false);
    if (stale !== undefined) throw stale;
    return { execution, taskId, attempt, isApprove, words };
  };
  const crewOf = ({ crew }: Execution) => crews.find(crew.id) ?? crew;
  const confirmationOf = ({
    execution,
    taskId,
    attempt,
    isApprove,
    words,
  }: Wanted): Confirmation => {
    const crew = crewOf(execution);
    const to = [taskId, attempt, titleOf(execution), crewAndPlace(crew)] as const;
    const again = callbacksAgain(execution);
    const output = outputOf(execution, taskId, attempt);
    return {
      title: isApprove
        ? vscode.l10n.t("Approve a task's output at “{0}”?", crew.name)
        : vscode.l10n.t("Reject a task's output at “{0}”?", crew.name),
      parts: [
        isApprove
          ? vscode.l10n.t(
              "Task “{0}”, attempt {1}, of “{2}” is approved at {3}, and the crew goes on with this output.",
              ...to,
            )
          : vscode.l10n.t(
              "Task “{0}”, attempt {1}, of “{2}” is rejected at {3}, and the task is done again.",
              ...to,
            ),
        ...(execution.engine === "rehearsal" ? [] : [vscode.l10n.t("That can cost money.")]),
        {
          heading: vscode.l10n.t("These words are sent, and become context for later tasks:"),
          text: words.trim() === "" ? approved : words,
        },
        ...(again.length === 0
          ? []
          : [vscode.l10n.t("Its callbacks are sent again, too: {0}.", again.join(", "))]),
        ...(output === undefined
          ? [vscode.l10n.t("The crew has not told this output.")]
          : [
              {
                heading: vscode.l10n.t("The output, as the crew wrote it:"),
                text: output,
                longest: longestOutput,
              },
            ]),
      ],
      allow: isApprove ? vscode.l10n.t("Approve") : vscode.l10n.t("Reject"),
    };
  };
  return {
    prepare(input) {
      const wanted = read(input);
      const progress = vscode.l10n.t("Sending feedback to “{0}”", crewOf(wanted.execution).name);
      return Promise.resolve({ progress, confirmation: confirmationOf(wanted) });
    },
    async invoke(input, signal) {
      const wanted = read(input);
      if (!(await isAllowed(confirmationOf(wanted), signal))) return deniedInWords();
      signal.throwIfAborted();
      const { execution, taskId, attempt, isApprove, words } = wanted;
      await wake(execution.crew.id);
      signal.throwIfAborted();
      const said = { taskId, feedback: words };
      try {
        const answer = await (isApprove
          ? feedback.approve(execution, said)
          : feedback.reject(execution, said));
        return resultOf(
          {
            executionId: keyOf(execution),
            taskId,
            attempt,
            status: answer?.status ?? "",
            message: answer?.message ?? "",
            ...optional("goesOnAs", answer?.kickoffId),
          },
          vscode.l10n.t("The crew took the feedback. Do not send it again."),
        );
      } catch (error) {
        if (!(error instanceof MaybeSentError)) throw error;
        return resultOf(
          { executionId: keyOf(execution), taskId, attempt, problem: messageOf(error) },
          vscode.l10n.t(
            "It may have been sent, and nobody knows. Do not send it again. Tell the user, who can decide it in the execution's document.",
          ),
        );
      }
    },
  };
}

function outputOf(
  { waiting, tasks }: Execution,
  taskId: string,
  attempt: number,
): string | undefined {
  const told =
    waiting?.taskId === taskId && waiting.attempt === attempt ? waiting.output : undefined;
  return (
    told ??
    tasks.find((task) => task.taskId === taskId)?.attempts.find(({ number }) => number === attempt)
      ?.output
  );
}

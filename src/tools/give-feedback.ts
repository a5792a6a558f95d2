import * as vscode from "vscode";
import { shortAddress } from "../api/address.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import { needed, numberOf, oneOf, stringOf } from "../editor/arguments.ts";
import { safeUrl } from "../base/loopback.ts";
import { requestAt } from "../executions/flow-requests.ts";
import { hasEnded, keyOf, type Execution } from "../executions/model.ts";
import { approved, asksFor, attemptToAnswer, type ResumeTarget } from "../executions/resumes.ts";
import { taskIn } from "../executions/tasks.ts";
import { titleOf } from "../executions/title.ts";
import { callbacksAgain } from "../feedback/target.ts";
import { MaybeSentError } from "../sending/errors.ts";
import { staleByAttempt, staleByRecord, staleError } from "../sending/stale.ts";
import { isAllowed } from "./ask.ts";
import type { Confirmation, Longest } from "./confirmation.ts";
import {
  crewAndPlace,
  denied,
  findOrRefuse,
  readInput,
  resultOf,
  type Tool,
  type ToolParts,
} from "./tool.ts";

/** Characters of the output in the confirmation. The output is not sent. */
const longestOutput: Longest = { chat: 1_500, dialog: 600, document: 1_000_000 };

/** `crewdeck_giveFeedback`: approves or rejects a waiting output. */
export function giveFeedbackTool(
  parts: Pick<ToolParts, "crews" | "executions" | "feedback">,
): Tool {
  const { crews, feedback } = parts;
  const read = (input: unknown) => {
    const names = ["executionId", "crew", "decision", "feedback", "taskId", "attempt"];
    const given = readInput(input, names);
    const isApprove =
      needed(oneOf(given, "decision", ["approve", "reject"]), "decision") === "approve";
    const text = stringOf(given, "feedback") ?? "";
    const execution = findOrRefuse(parts, given);
    const taskId = stringOf(given, "taskId") ?? execution.waiting?.taskId;
    if (taskId === undefined || taskId === "")
      throw new UserError(
        vscode.l10n.t("No task of this execution is known to wait. Name it with “taskId”."),
      );
    if (asksFor(execution, taskId) && text.trim() === "")
      throw new UserError(
        vscode.l10n.t(
          "A flow asks: it needs “feedback”, one of “waitingAnswers” or the user's own words. Ask the user for it. Nothing was sent.",
        ),
      );
    if (!isApprove && text.trim() === "")
      throw new UserError(
        vscode.l10n.t(
          "A rejection needs “feedback”: what should change. Ask the user for it. Nothing was sent.",
        ),
      );
    const attempt = numberOf(given, "attempt") ?? attemptToAnswer(execution, taskId);
    if (hasEnded(execution)) throw staleError("ended", execution, { taskId, attempt });
    const stale =
      staleByAttempt(execution, { taskId, attempt }) ??
      staleByRecord(execution, execution, { taskId, attempt }, false);
    if (stale !== undefined) throw stale;
    return { execution, taskId, attempt, isApprove, text };
  };
  const crewOf = ({ crew }: Execution) => crews.find(crew.id) ?? crew;
  const confirmationOf = (wanted: ReturnType<typeof read>): Confirmation => {
    const { execution, taskId, attempt, isApprove, text } = wanted;
    const crew = crewOf(execution);
    const to = [taskId, attempt, titleOf(execution), crewAndPlace(crew)] as const;
    const isRequest = requestAt(execution, { taskId, attempt }) !== undefined;
    const again = isRequest ? [] : callbacksAgain(execution);
    const callbacks =
      again.length === 0
        ? []
        : [vscode.l10n.t("Its callbacks are also sent again: {0}.", again.join(", "))];
    const output = outputOf(execution, taskId, attempt);
    const host = hostOfAnswer(execution, { taskId, attempt });
    const asked = [execution.waiting?.message, output].filter(Boolean).join("\n\n");
    if (host !== undefined)
      return {
        title: vscode.l10n.t("Answer the flow at “{0}”?", crew.name),
        parts: [
          vscode.l10n.t("Answers “{0}”, attempt {1}, of “{2}” at {3}.", ...to),
          vscode.l10n.t("This can cost money."),
          { heading: vscode.l10n.t("This answer is sent to {0}:", host), text },
          ...callbacks,
          { heading: vscode.l10n.t("The flow asks:"), text: asked, longest: longestOutput },
        ],
        allow: vscode.l10n.t("Send Answer"),
      };
    return {
      title: isApprove
        ? vscode.l10n.t("Approve a task's output at “{0}”?", crew.name)
        : vscode.l10n.t("Reject a task's output at “{0}”?", crew.name),
      parts: [
        isApprove
          ? vscode.l10n.t(
              "Approves task “{0}”, attempt {1}, of “{2}” at {3}. The crew continues with this output.",
              ...to,
            )
          : vscode.l10n.t(
              "Rejects task “{0}”, attempt {1}, of “{2}” at {3}. The task runs again.",
              ...to,
            ),
        ...(execution.engine === "rehearsal" ? [] : [vscode.l10n.t("This can cost money.")]),
        {
          heading: vscode.l10n.t("This feedback is sent, and becomes context for later tasks:"),
          text: text.trim() === "" ? approved : text,
        },
        ...callbacks,
        ...(output === undefined
          ? [vscode.l10n.t("The crew has not returned this output.")]
          : [{ heading: vscode.l10n.t("The output:"), text: output, longest: longestOutput }]),
      ],
      allow: isApprove ? vscode.l10n.t("Approve") : vscode.l10n.t("Reject"),
    };
  };
  return {
    prepare(input) {
      const wanted = read(input);
      const progress = vscode.l10n.t("Sending feedback to “{0}”", crewOf(wanted.execution).name);
      return { progress, confirmation: confirmationOf(wanted) };
    },
    async invoke(input, signal) {
      const wanted = read(input);
      if (!(await isAllowed(confirmationOf(wanted), signal))) return denied();
      signal.throwIfAborted();
      const { execution, taskId, attempt, isApprove, text } = wanted;
      await crews.ready(execution.crew);
      signal.throwIfAborted();
      const asked = { executionId: keyOf(execution), taskId, attempt };
      try {
        const given = { taskId, feedback: text };
        const answer = await (isApprove
          ? feedback.approve(execution, given)
          : feedback.reject(execution, given));
        const { status = "", message = "", kickoffId: continuesAs } = answer ?? {};
        return resultOf(
          { ...asked, status, message, ...defined({ continuesAs }) },
          vscode.l10n.t("The crew accepted the feedback. Do not send it again."),
        );
      } catch (error) {
        if (!(error instanceof MaybeSentError)) throw error;
        return resultOf(
          { ...asked, problem: messageOf(error) },
          vscode.l10n.t(
            "It is not known whether it was sent. Do not send it again. Tell the user, who can decide in the execution's document.",
          ),
        );
      }
    },
  };
}

/** Undefined if no flow asks. */
function hostOfAnswer(execution: Execution, target: ResumeTarget): string | undefined {
  const request = requestAt(execution, target);
  if (request !== undefined) return safeUrl(request.callbackUrl)?.host ?? "–";
  return asksFor(execution, target.taskId) ? shortAddress(execution.crew.url) : undefined;
}

function outputOf(execution: Execution, taskId: string, attempt: number): string | undefined {
  const { waiting, tasks } = execution;
  const waits = waiting?.taskId === taskId && waiting.attempt === attempt;
  const { attempts = [] } = taskIn(tasks, taskId) ?? {};
  return (
    (waits ? waiting.output : undefined) ??
    attempts.find(({ number }) => number === attempt)?.output
  );
}

import * as v from "valibot";
import * as vscode from "vscode";
import { messageOf, NothingToDo, UserError } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import type { Crews } from "../crews/crews.ts";
import {
  choice,
  flag,
  neededText,
  number,
  read,
  readTarget,
  targetMembers,
  text,
} from "../editor/arguments.ts";
import { activeDocument } from "../editor/execution-uri.ts";
import { type Execution, type ExecutionSummary, hasEnded, keyOf } from "../executions/model.ts";
import { asksFor, attemptToAnswer } from "../executions/resumes.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { MaybeSentError } from "../sending/errors.ts";
import type { FeedbackResult } from "../sending/feedback.ts";
import { staleByAttempt, staleByRecord, staleError } from "../sending/stale.ts";
import { answersTo, canAnswer, may } from "../view/actions.ts";
import { type Asker, program, sent } from "./asker.ts";
import { approveSelected, isSelection } from "./answer-selected.ts";
import { type NamedParts, namedExecution, onExecution } from "./choose.ts";
import type { Commands } from "./commands.ts";
import type { Feedback, GivenFeedback } from "./feedback.ts";
import { feedbackQuestion } from "./feedback-questions.ts";
import { executionIn, executionMembers, resultOf, type Tool, toolOf } from "./tool.ts";

export interface AnswerParts {
  readonly store: Pick<ExecutionStore, "find" | "list" | "refresh">;
  readonly crews: Pick<Crews, "find">;
  readonly feedback: Pick<Feedback, "approve" | "reject" | "sendAgain">;
}

const feedbackMembers = { ...targetMembers, feedback: text, isShown: flag };

/** Each takes `{crew, kickoffId, taskId?, attempt?, feedback?}`, and returns the crew's `{status, message}`. */
export function answerCommands(parts: AnswerParts): Commands {
  const { feedback } = parts;
  const waits = (execution: ExecutionSummary) => canAnswer(answersTo(execution));
  const none = vscode.l10n.t("No execution waits for you.");
  const approve = (execution: Execution, argument: unknown, by: Asker) =>
    feedback.approve(execution, givenIn(execution, argument), by);
  const approveOne = onExecution(parts, approve, waits, none);
  return {
    approve: (argument, by, selected) =>
      isSelection(selected) ? approveSelected(parts, selected, by) : approveOne(argument, by),
    reject: onExecution(
      parts,
      (execution, argument, by) => feedback.reject(execution, givenIn(execution, argument), by),
      waits,
      none,
    ),
    answer: onExecution(
      parts,
      (execution, argument, by) => {
        if (execution.waiting?.options !== undefined) return approve(execution, argument, by);
        throw new NothingToDo(
          vscode.l10n.t("This execution has no flow that waits for your answer."),
        );
      },
      (execution) => may(execution, "answer"),
      vscode.l10n.t("No flow waits for your answer."),
    ),
    sendAgain: onExecution(
      parts,
      (execution, _argument, by) => feedback.sendAgain(execution, by),
      (execution) => may(execution, "sendAgain"),
    ),
  };
}

/** Without an argument, of the document on the screen: in a comparison, the person sees one attempt. */
function givenIn(execution: Execution, argument: unknown): GivenFeedback {
  const active = argument === undefined ? readTarget(activeDocument()) : {};
  const isHere = active.kickoffId !== undefined && execution.kickoffIds.includes(active.kickoffId);
  const { taskId, attempt, feedback, isShown } = read(feedbackMembers, argument);
  const here = isHere ? active : {};
  return defined({
    taskId: taskId ?? here.taskId,
    attempt: attempt ?? here.attempt,
    feedback,
    isShown,
  });
}

/** The API's `resume`. */
export async function resume(
  { feedback, ...parts }: NamedParts & { readonly feedback: Pick<Feedback, "approve" | "reject"> },
  argument: unknown,
): Promise<Pick<FeedbackResult, "status" | "message">> {
  const members = { ...feedbackMembers, kickoffId: neededText, isApprove: v.boolean() };
  const { isApprove, taskId, feedback: words = "", ...target } = read(members, argument);
  const execution = namedExecution(parts, target);
  const given = { taskId: taskToAnswer(execution, taskId), feedback: words };
  const answer = await feedback[isApprove ? "approve" : "reject"](execution, given, program);
  const { status, message } = sent(answer);
  return { status, message };
}

function taskToAnswer({ waiting }: Execution, taskId = waiting?.taskId): string {
  if (taskId !== undefined && taskId !== "") return taskId;
  throw new UserError(
    vscode.l10n.t("No task of this execution is known to wait. Name it with “taskId”."),
  );
}

/** `crewdeck_giveFeedback`: approves or rejects a waiting output. */
export function giveFeedbackTool(parts: AnswerParts): Tool {
  const decision = choice(["approve", "reject"]);
  const members = { ...executionMembers, decision, feedback: text, taskId: text, attempt: number };
  return toolOf(members, {
    read({ decision, feedback: words = "", ...given }) {
      const execution = executionIn(parts, given);
      const taskId = taskToAnswer(execution, given.taskId);
      if (words.trim() === "" && asksFor(execution, taskId))
        throw new UserError(
          vscode.l10n.t(
            "A flow asks: it needs “feedback”, one of “waitingAnswers” or the user's own words. Ask the user for it. Nothing was sent.",
          ),
        );
      if (words.trim() === "" && decision === "reject")
        throw new UserError(
          vscode.l10n.t(
            "A rejection needs “feedback”: what should change. Ask the user for it. Nothing was sent.",
          ),
        );
      const attempt = given.attempt ?? attemptToAnswer(execution, taskId);
      const target = { taskId, attempt };
      if (hasEnded(execution)) throw staleError("ended", execution, target);
      const stale =
        staleByAttempt(execution, target) ?? staleByRecord(execution, execution, target, false);
      if (stale !== undefined) throw stale;
      return { execution, ...target, decision, text: words, isApprove: decision === "approve" };
    },
    progress: ({ execution }) => vscode.l10n.t("Sending feedback to “{0}”", execution.crew.name),
    question: feedbackQuestion,
    async run({ execution, taskId, attempt, decision, text: feedback }, by) {
      const asked = { executionId: keyOf(execution), taskId, attempt };
      try {
        const answer = await parts.feedback[decision](execution, { taskId, attempt, feedback }, by);
        if (answer === undefined) return undefined;
        const { status, message, kickoffId: continuesAs } = answer;
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
  });
}

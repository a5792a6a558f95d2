import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import { messageOf, NothingToDo, UserError } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import { startOnce } from "../base/single-start.ts";
import { shortName } from "../base/text.ts";
import type { Crews } from "../crews/crews.ts";
import { crewAndPlace } from "../crews/identity.ts";
import { flag, read, readTarget, targetMembers, text } from "../editor/arguments.ts";
import { activeDocument } from "../editor/execution-uri.ts";
import { confirm, plainLabel } from "../editor/messages.ts";
import type { Drafts } from "../executions/drafts.ts";
import type { Execution } from "../executions/model.ts";
import {
  acceptedBefore,
  approved,
  asksFor,
  attemptToAnswer,
  repeatable,
} from "../executions/resumes.ts";
import { titleOf } from "../executions/title.ts";
import { namingFeedback, staleByAttempt, staleByRecord } from "../sending/errors.ts";
import type { FeedbackResult, FeedbackToSend } from "../sending/feedback.ts";
import type { Senders } from "../sending/senders.ts";
import { may } from "../view/actions.ts";
import { present } from "../view/words.ts";
import { visibleDocuments } from "../views/attention.ts";
import type { ExecutionDocuments } from "../views/document/documents.ts";
import type { Pages } from "../views/page/register.ts";
import { type Asker, person, program } from "./asker.ts";
import { askTask, askToAllow, doubtIn, feedbackQuestion } from "./feedback-questions.ts";
import type { Question } from "./question.ts";
import type { Targets } from "./targets.ts";

export interface AnswerParts {
  readonly targets: Targets;
  readonly sending: Pick<Senders, "giveFeedback">;
  readonly crews: Pick<Crews, "ready">;
  readonly documents: Pick<ExecutionDocuments, "showsWaiting">;
  readonly drafts: Pick<Drafts, "find">;
  readonly page: Pick<Pages, "isLeft" | "reveal">;
  readonly clock: Clock;
}

type FeedbackParts = Omit<AnswerParts, "targets">;

/** Each takes `{crew, kickoffId, taskId?, attempt?, feedback?}`, and returns the crew's `{status, message}`. */
export function answerVerbs(parts: AnswerParts) {
  const { targets } = parts;
  const feedback = feedbackOf(parts);
  const none = vscode.l10n.t("No execution waits for you.");
  const noFlow = vscode.l10n.t("No flow waits for your answer.");
  const give = (isApprove: boolean) => (execution: Execution, argument: unknown, by: Asker) =>
    feedback.give(execution, isApprove, givenIn(execution, argument), by);
  const approve = targets.onExecution(give(true), ["approve", "reject", "answer"], none);
  return {
    approve: async (argument: unknown, by: Asker, selected?: readonly unknown[]) =>
      selected === undefined
        ? await approve(argument, by)
        : await approveSelected(targets, feedback, selected, by),
    reject: targets.onExecution(give(false), ["reject", "answer"], none),
    answer: targets.onExecution(
      (execution, argument, by) => {
        if (execution.waiting?.options !== undefined) return give(true)(execution, argument, by);
        throw new NothingToDo(noFlow);
      },
      ["answer"],
      noFlow,
    ),
    sendAgain: targets.onExecution(
      (execution, _argument, by) => feedback.sendAgain(execution, by),
      ["sendAgain"],
    ),
  };
}

/** Without an argument, of the document on the screen: in a comparison, the person sees one attempt. */
function givenIn(execution: Execution, argument: unknown): GivenFeedback {
  if (argument !== undefined)
    return read({ ...targetMembers, feedback: text, isForRun: flag }, argument);
  const { kickoffId = "", taskId, attempt } = readTarget(activeDocument());
  return execution.kickoffIds.includes(kickoffId) ? defined({ taskId, attempt }) : {};
}

/** After one question that lists them. @throws UserError that names what could not be approved */
export async function approveSelected(
  targets: Pick<Targets, "selected">,
  feedback: Pick<Feedback, "give">,
  rows: readonly unknown[],
  by: Asker,
): Promise<undefined> {
  // A call is allowed by who sees its arguments.
  const waiting = targets
    .selected(rows)
    .filter((execution) => may(execution, "approve") && execution.waiting?.call === undefined);
  if (waiting.length === 0)
    throw new NothingToDo(
      vscode.l10n.t("None of the selected executions waits for your approval."),
    );
  if (!(await by.agrees(selectionQuestion(waiting)))) return;
  const failures: string[] = [];
  for (const execution of waiting)
    try {
      await feedback.give(execution, true, {}, program);
    } catch (error) {
      failures.push(vscode.l10n.t("“{0}”: {1}", titleOf(execution), messageOf(error)));
    }
  if (failures.length > 0)
    throw new UserError(
      vscode.l10n.t(
        "{0} of {1} outputs were not approved. {2}",
        failures.length,
        waiting.length,
        failures.join(" "),
      ),
    );
}

function selectionQuestion(executions: readonly Execution[]): Question {
  const lines = executions.map((execution) => {
    const { taskId = "", attempt = 1 } = execution.waiting ?? {};
    const names = [titleOf(execution), shortName(taskId), attempt, crewAndPlace(execution)];
    return vscode.l10n.t("“{0}”: task {1}, attempt {2} – {3}", ...names);
  });
  return {
    title: vscode.l10n.t("Approve what waits? Outputs: {0}", executions.length),
    parts: present<Question["parts"][number]>(
      vscode.l10n.t(
        "“{0}” is sent to each: the crews continue with these outputs, and later tasks read that as your feedback.",
        approved,
      ),
      executions.some(({ engine }) => engine !== "rehearsal") &&
        vscode.l10n.t("This can cost money."),
      { list: lines },
    ),
    allow: vscode.l10n.t("Approve"),
  };
}

interface GivenFeedback {
  readonly taskId?: string;
  readonly feedback?: string;
  /** The attempt that the person saw; no other is answered. */
  readonly attempt?: number;
  readonly isForRun?: boolean;
}

type Answer = Promise<FeedbackResult | undefined>;

export type Feedback = ReturnType<typeof feedbackOf>;

/** Each returns the crew's answer, or undefined when a person cancels or goes on on the page. */
export function feedbackOf({ sending, crews, documents, drafts, page, clock }: FeedbackParts) {
  /** A double click counts once, even if the crew answers, or the page opens, between the clicks. */
  const answers = startOnce<FeedbackResult | "shown" | undefined>(clock);

  const send = async (feedback: FeedbackToSend, by: Asker): Promise<FeedbackResult> => {
    await crews.ready(feedback.execution.crew);
    by.signal?.throwIfAborted();
    try {
      const location = vscode.ProgressLocation.Window;
      const title = vscode.l10n.t("Sending feedback…");
      const answer = await vscode.window.withProgress({ location, title }, () =>
        sending.giveFeedback(feedback).catch(async (error: unknown) => {
          const allowed = await askToAllow(error, feedback);
          if (allowed === undefined) throw error;
          return await sending.giveFeedback({ ...feedback, ...allowed });
        }),
      );
      const said = vscode.l10n.t("Sent: {0} (“{1}”)", answer.message, titleOf(feedback.execution));
      vscode.window.setStatusBarMessage(`$(check) ${plainLabel(said)}`, 10_000);
      return answer;
    } catch (error) {
      throw namingFeedback(error, feedback);
    }
  };

  /** The output that the person is to see or the task that they name, on the page; or its box, to write in. */
  const show = async (execution: Execution, given: GivenFeedback, isToWrite: boolean) => {
    const wanted = await prepare(execution, given, person, false);
    if (wanted === undefined) return undefined;
    const { taskId } = wanted;
    await page.reveal(execution, isToWrite ? "feedback" : { taskId }, taskId);
    return "shown" as const;
  };

  return {
    async give(execution: Execution, isApprove: boolean, given: GivenFeedback, by: Asker): Answer {
      const { feedback: text, attempt = execution.waiting?.attempt } = given;
      const { taskId: known = execution.waiting?.taskId } = given;
      if (!by.isPerson && given.taskId === undefined && execution.waiting?.call !== undefined)
        throw new UserError(
          vscode.l10n.t(
            "A call waits: {0}. Look at it, and answer it by its ID as “taskId”. Nothing was sent.",
            shortName(execution.waiting.taskId),
          ),
        );
      const needsWords = !isApprove || (known !== undefined && asksFor(execution, known));
      const lacksWords = needsWords && (text === undefined || (by.isPerson && text === ""));
      const give = async () => {
        // What a person hasn't seen isn't sent, nor left out what they wrote: the page shows it, and is where they answer.
        const box = { localId: execution.localId, taskId: known ?? "", attempt: attempt ?? 1 };
        const isWritten = by.isPerson && text === undefined && drafts.find(box) !== undefined;
        const isSeen = visibleDocuments().some(
          (uri) => documents.showsWaiting(uri, execution) && !page.isLeft(uri),
        );
        if (lacksWords || isWritten || (by.isPerson && !isSeen))
          return await show(execution, given, lacksWords || isWritten);
        const wanted = await prepare(execution, given, by, by.isPerson);
        if (wanted === undefined) return undefined;
        const { isForRun = false } = given;
        const feedback = { ...wanted, isApprove, text: text ?? "", isForRun };
        const isAllowed = by.isPerson || (await by.agrees(feedbackQuestion(feedback)));
        return isAllowed ? await send(feedback, by) : undefined;
      };
      // Each call of a model is asked about on its own.
      const key = JSON.stringify([execution.localId, known, attempt, isApprove, text]);
      const made = await (by.signal === undefined ? answers(key, by, give) : give());
      return made === "shown" ? undefined : made;
    },
    /** Warns, then sends {@link repeatable} feedback again. @throws NothingToDo if there is none */
    async sendAgain(execution: Execution, by: Asker): Answer {
      const doubted = repeatable(execution);
      const sent = execution.resumes.find((resume) => resume === doubted);
      if (sent === undefined)
        throw new NothingToDo(vscode.l10n.t("No feedback of this execution is in doubt."));
      const question = vscode.l10n.t("Send the same feedback again?");
      if (!(await confirm(question, doubtIn(sent), vscode.l10n.t("Send Again")))) return undefined;
      const { taskId, feedback } = sent;
      return await send({ execution, taskId, ...feedback, again: true }, by);
    },
  };
}

async function prepare(
  execution: Execution,
  { taskId: known = execution.waiting?.taskId, attempt }: GivenFeedback,
  { isPerson }: Pick<Asker, "isPerson">,
  asksAgain: boolean,
): Promise<Pick<FeedbackToSend, "execution" | "taskId" | "again"> | undefined> {
  if (known !== undefined) {
    const target = { taskId: known, attempt: attempt ?? attemptToAnswer(execution, known) };
    const stale =
      staleByAttempt(execution, target) ??
      // Before a model asks its person; a person is asked whether they mean it.
      (isPerson ? undefined : staleByRecord(execution, execution, target, false));
    if (stale !== undefined) throw stale;
  } else if (!isPerson)
    throw new UserError(
      vscode.l10n.t("No task of this execution is known to wait. Name it with “taskId”."),
    );
  const taskId = known ?? (await askTask(execution));
  if (taskId === undefined) return undefined;
  const taken = asksAgain ? acceptedBefore(execution, taskId) : undefined;
  if (taken === undefined) return { execution, taskId };
  const question = vscode.l10n.t("Answer “{0}” again?", shortName(taskId));
  const isAgreed = await confirm(question, doubtIn(taken), vscode.l10n.t("Answer Again"));
  return isAgreed ? { execution, taskId, again: true } : undefined;
}

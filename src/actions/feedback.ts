import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import { NothingToDo } from "../base/errors.ts";
import { SingleStart } from "../base/single-start.ts";
import type { Crews } from "../crews/crews.ts";
import { plainLabel } from "../editor/messages.ts";
import type { Execution, ExecutionSummary } from "../executions/model.ts";
import { acceptedBefore, asksFor, attemptToAnswer, repeatable } from "../executions/resumes.ts";
import { titleOf } from "../executions/title.ts";
import type { FeedbackResult, FeedbackToSend } from "../sending/feedback.ts";
import type { Senders } from "../sending/senders.ts";
import { type Asker, program } from "./asker.ts";

/** Milliseconds. */
const answerShown = 10_000;

const questions = () => import("./feedback-questions.ts");

interface FeedbackOptions {
  readonly sending: Pick<Senders, "giveFeedback">;
  readonly crews: Pick<Crews, "ready">;
  /** Whether what waits of it is on the screen, as text or on a page. */
  readonly isShown: (execution: ExecutionSummary) => boolean;
  /** Shows the page's box for a task: that is where a person writes. */
  readonly review: (execution: ExecutionSummary, taskId: string) => Promise<void>;
  readonly clock: Clock;
}

/** What is missing is asked for. */
export interface GivenFeedback {
  readonly taskId?: string;
  readonly feedback?: string;
  /** The attempt that the person saw; no other is answered. */
  readonly attempt?: number;
  /** The output is on the screen, on the page. */
  readonly isShown?: boolean;
}

type Answer = Promise<FeedbackResult | undefined>;

/** Each method returns the crew's answer, or undefined when a person cancels or writes on the page. */
export class Feedback implements vscode.Disposable {
  readonly #options: FeedbackOptions;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeSending = this.#changed.event;
  /** A double click on an output counts once, even if the crew answers between the clicks. */
  readonly #answers: SingleStart<FeedbackResult | undefined>;
  /** Being sent from this window. */
  readonly #underWay = new Set<FeedbackToSend>();

  constructor(options: FeedbackOptions) {
    this.#options = options;
    this.#answers = new SingleStart(options.clock);
  }

  /** For the attempt that is to be answered. Without a task, for any output of the execution. */
  isSending(execution: ExecutionSummary, taskId: string | undefined): boolean {
    const { localId } = execution;
    return [...this.#underWay].some(
      (each) =>
        each.execution.localId === localId &&
        (taskId === undefined ||
          (each.taskId === taskId &&
            attemptToAnswer(each.execution, taskId) === attemptToAnswer(execution, taskId))),
    );
  }

  /** Answers a flow that asks: with an empty `feedback`, a person writes the answer. */
  async approve(execution: Execution, given: GivenFeedback, by: Asker): Answer {
    return await this.#once(execution, given, true, by, () => this.#approve(execution, given, by));
  }

  /** A flow that asks is answered. Without words, a person writes them. */
  async reject(execution: Execution, given: GivenFeedback, by: Asker): Answer {
    const { feedback: text, taskId = execution.waiting?.taskId } = given;
    if (taskId !== undefined && asksFor(execution, taskId))
      return await this.approve(execution, given, by);
    if (text === undefined) return await this.#write(execution, given);
    return await this.#once(execution, given, false, by, async () => {
      const wanted = await this.#prepare(execution, given, by);
      if (wanted === undefined) return undefined;
      return await this.#allowed({ ...wanted, isApprove: false, text }, by, by.isPerson);
    });
  }

  /** Warns, then sends {@link repeatable} feedback again. @throws NothingToDo if there is none */
  async sendAgain(execution: Execution, by: Asker): Answer {
    const doubted = repeatable(execution);
    const sent = execution.resumes.find((resume) => resume === doubted);
    if (sent === undefined)
      throw new NothingToDo(vscode.l10n.t("No feedback of this execution is in doubt."));
    if (!(await (await questions()).askAgain(sent))) return undefined;
    const { taskId, feedback } = sent;
    return await this.#send({ execution, taskId, ...feedback, again: true }, by);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  async #once(
    execution: Execution,
    { taskId = execution.waiting?.taskId, attempt, feedback }: GivenFeedback,
    isApprove: boolean,
    by: Asker,
    answer: () => Answer,
  ): Answer {
    const of = [execution.localId, taskId, attempt ?? execution.waiting?.attempt];
    return await this.#answers.once(JSON.stringify([of, isApprove, feedback]), by, answer);
  }

  async #approve(execution: Execution, given: GivenFeedback, by: Asker): Answer {
    const wanted = await this.#prepare(execution, given, by);
    if (wanted === undefined) return undefined;
    const { taskId, again = false } = wanted;
    const isAnswer = asksFor(execution, taskId);
    const text =
      given.feedback ??
      (isAnswer && by.isPerson ? await (await questions()).askAnswer(execution) : "");
    if (text === undefined) return undefined;
    if (isAnswer && by.isPerson && text === "") return await this.#write(execution, given);
    const isTyped = (given.taskId ?? execution.waiting?.taskId) === undefined;
    const isDecided =
      by.isPerson &&
      (given.isShown === true ||
        isTyped ||
        again ||
        this.isSending(execution, taskId) ||
        this.#options.isShown(execution));
    return await this.#allowed({ ...wanted, isApprove: true, text }, by, isDecided);
  }

  /** In the page's box, for an output that the person saw or for a task that they name. */
  async #write(execution: Execution, given: GivenFeedback): Answer {
    // Whether to answer again is asked when it is sent.
    const wanted = await this.#prepare(execution, given, program);
    if (wanted !== undefined) await this.#options.review(execution, wanted.taskId);
    return undefined;
  }

  /** @param isDecided whether the person knows what they answer */
  async #allowed(feedback: FeedbackToSend, by: Asker, isDecided: boolean): Answer {
    if (!isDecided) {
      const { feedbackQuestion } = await questions();
      if (!(await by.agrees(feedbackQuestion(feedback)))) return undefined;
    }
    return await this.#send(feedback, by);
  }

  async #send(feedback: FeedbackToSend, by: Asker): Promise<FeedbackResult> {
    const { crews, sending } = this.#options;
    await crews.ready(feedback.execution.crew);
    by.signal?.throwIfAborted();
    this.#underWay.add(feedback);
    this.#changed.fire();
    try {
      const location = vscode.ProgressLocation.Window;
      const title = vscode.l10n.t("Sending feedback…");
      const answer = await vscode.window.withProgress({ location, title }, () =>
        sending.giveFeedback(feedback).catch(async (error: unknown) => {
          const allowed = await (await questions()).askToAllow(error, feedback);
          if (allowed === undefined) throw error;
          return await sending.giveFeedback({ ...feedback, ...allowed });
        }),
      );
      vscode.window.setStatusBarMessage(answerText(feedback, answer), answerShown);
      return answer;
    } catch (error) {
      const { namingFeedback } = await import("../sending/errors.ts");
      throw namingFeedback(error, feedback);
    } finally {
      this.#underWay.delete(feedback);
      this.#changed.fire();
    }
  }

  /** Asks for an unknown task, and before a person answers again. @throws StaleFeedbackError */
  async #prepare(
    execution: Execution,
    { taskId, attempt }: GivenFeedback,
    { isPerson }: Asker,
  ): Promise<Pick<FeedbackToSend, "execution" | "taskId" | "again"> | undefined> {
    const known = taskId ?? execution.waiting?.taskId;
    if (known !== undefined && attempt !== undefined) {
      const { staleByAttempt } = await import("../sending/stale.ts");
      const stale = staleByAttempt(execution, { taskId: known, attempt });
      if (stale !== undefined) throw stale;
    }
    const task = known ?? (await (await questions()).askTask(execution));
    if (task === undefined) return undefined;
    const isNew = isPerson && !this.isSending(execution, task);
    const taken = isNew ? acceptedBefore(execution, task) : undefined;
    if (taken === undefined) return { execution, taskId: task };
    const isAgreed = await (await questions()).askAnew(taken);
    return isAgreed ? { execution, taskId: task, again: true } : undefined;
  }
}

function answerText(feedback: FeedbackToSend, { message }: FeedbackResult): string {
  const { execution, taskId, isApprove } = feedback;
  const title = plainLabel(titleOf(execution));
  if (asksFor(execution, taskId))
    return vscode.l10n.t("$(check) Answered “{0}”: {1}", title, plainLabel(message));
  return isApprove
    ? vscode.l10n.t("$(check) Approved “{0}”: {1}", title, plainLabel(message))
    : vscode.l10n.t("$(discard) Rejected “{0}”: {1}", title, plainLabel(message));
}

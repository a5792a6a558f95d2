import * as vscode from "vscode";
import { NothingToDo } from "../base/errors.ts";
import type { SingleStart } from "../base/single-start.ts";
import { plainLabel } from "../editor/messages.ts";
import type { Execution, ExecutionSummary } from "../executions/model.ts";
import { repeatable, acceptedBefore, asksFor } from "../executions/resumes.ts";
import { titleOf } from "../executions/title.ts";
import type { FeedbackResult, FeedbackToSend } from "../sending/feedback.ts";
import type { Sending } from "../sending/sending.ts";
import type { FeedbackDocuments } from "./lenses.ts";
import { FeedbackUnderWay } from "./under-way.ts";

/** Milliseconds. */
const answerShown = 10_000;

const questions = () => import("./ask.ts");

interface FeedbackOptions {
  readonly sending: Pick<Sending, "feedbackSender">;
  /** Which outputs are on the screen, as text or on a page. */
  readonly documents: Pick<FeedbackDocuments, "find" | "summary">;
  /** Shows the page's box for a task: that is where a person writes. */
  readonly review: (execution: ExecutionSummary, taskId: string) => Promise<void>;
  /** A double click on an output counts once, even if the crew answers between the clicks. */
  readonly presses: SingleStart<FeedbackResult | undefined>;
}

/** What is missing is asked for. */
export interface GivenFeedback {
  readonly taskId?: string;
  readonly feedback?: string;
  /** The attempt that the person saw; no other is answered. */
  readonly attempt?: number;
  /** Ask a person to confirm if the output isn't on the screen. */
  readonly isPerson?: boolean;
  /** The output is on the screen, on the page. */
  readonly isShown?: boolean;
}

type Answer = Promise<FeedbackResult | undefined>;

/** Each method returns the crew's answer, or undefined when the person cancels or writes on the page. */
export class Feedback implements vscode.Disposable {
  readonly #options: FeedbackOptions;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeSending = this.#changed.event;
  readonly #underWay = new FeedbackUnderWay(() => this.#changed.fire());

  constructor(options: FeedbackOptions) {
    this.#options = options;
  }

  /** See {@link FeedbackUnderWay.has}. */
  isSending(execution: ExecutionSummary, taskId: string | undefined): boolean {
    return this.#underWay.has(execution, taskId);
  }

  /** Answers a flow that asks: with an empty `feedback`, the person writes the answer. */
  async approve(execution: Execution, given: GivenFeedback = {}): Answer {
    const { taskId = execution.waiting?.taskId, feedback, attempt, isPerson = false } = given;
    if (!isPerson || taskId === undefined || attempt === undefined)
      return await this.#approve(execution, given);
    const key = JSON.stringify([execution.localId, taskId, attempt, feedback]);
    return await this.#options.presses.once(key, { isPerson }, () =>
      this.#approve(execution, given),
    );
  }

  async #approve(execution: Execution, given: GivenFeedback): Answer {
    const wanted = await this.#prepare(execution, given);
    if (wanted === undefined) return undefined;
    const { isPerson = false, isShown = false } = given;
    const isAnswer = asksFor(execution, wanted.taskId);
    const chosen =
      isAnswer && isPerson && given.feedback === undefined
        ? await (await questions()).askAnswer(execution)
        : (given.feedback ?? "");
    if (chosen === undefined) return undefined;
    if (isAnswer && isPerson && chosen === "") return await this.write(execution, given);
    const feedback = chosen;
    const isTaskKnown = (given.taskId ?? execution.waiting?.taskId) !== undefined;
    const isExempt =
      !isPerson ||
      isShown ||
      !isTaskKnown ||
      wanted.again ||
      this.isSending(execution, wanted.taskId);
    const isUnseen = !isExempt && !this.#isShown(execution);
    const answer = isAnswer ? feedback : undefined;
    if (isUnseen && !(await (await questions()).confirmApproval(execution, wanted.taskId, answer)))
      return undefined;
    return await this.send({ ...wanted, isApprove: true, text: feedback });
  }

  /** In the page's box, for an output that the person saw or for a task that they name. */
  async write(execution: Execution, given: GivenFeedback = {}): Answer {
    // Whether to answer again is asked when it is sent.
    const wanted = await this.#prepare(execution, { ...given, isPerson: false });
    if (wanted !== undefined) await this.#options.review(execution, wanted.taskId);
    return undefined;
  }

  async reject(execution: Execution, given: GivenFeedback = {}): Answer {
    const { feedback: text, taskId = execution.waiting?.taskId } = given;
    if (taskId !== undefined && asksFor(execution, taskId))
      return await this.approve(execution, given);
    if (text === undefined) return await this.write(execution, given);
    const wanted = await this.#prepare(execution, given);
    return wanted && (await this.send({ ...wanted, isApprove: false, text }));
  }

  /** Warns, then sends {@link repeatable} feedback again. @throws NothingToDo if there is none */
  async sendAgain(execution: Execution): Answer {
    const doubted = repeatable(execution);
    const sent = execution.resumes.find((resume) => resume === doubted);
    if (sent === undefined)
      throw new NothingToDo(vscode.l10n.t("No feedback of this execution is in doubt."));
    if (!(await (await questions()).askAgain(sent))) return undefined;
    return await this.send({ execution, taskId: sent.taskId, ...sent.feedback, again: true });
  }

  /** See {@link FeedbackUnderWay.once}. */
  async send(feedback: FeedbackToSend): Promise<FeedbackResult> {
    const location = vscode.ProgressLocation.Window;
    const title = vscode.l10n.t("Sending feedback…");
    return await this.#underWay.once(feedback, async () => {
      const answer = await vscode.window.withProgress({ location, title }, () =>
        this.#send(feedback),
      );
      vscode.window.setStatusBarMessage(answerText(feedback, answer), answerShown);
      return answer;
    });
  }

  dispose(): void {
    this.#changed.dispose();
  }

  async #send(feedback: FeedbackToSend): Promise<FeedbackResult> {
    try {
      const sender = await this.#options.sending.feedbackSender();
      return await sender.send(feedback).catch(async (error: unknown) => {
        const allowed = await (await questions()).askToAllow(error, feedback);
        if (allowed === undefined) throw error;
        return await sender.send({ ...feedback, ...allowed });
      });
    } catch (error) {
      const { namingFeedback } = await import("../sending/errors.ts");
      throw namingFeedback(error, feedback);
    }
  }

  #isShown({ localId }: ExecutionSummary): boolean {
    const { documents } = this.#options;
    const { visibleTextEditors, tabGroups } = vscode.window;
    return (
      visibleTextEditors.some(
        ({ document }) => documents.find(document)?.execution.localId === localId,
      ) ||
      tabGroups.all.some(
        ({ activeTab }) =>
          activeTab?.input instanceof vscode.TabInputCustom &&
          documents.summary(activeTab.input.uri)?.localId === localId,
      )
    );
  }

  /** Asks for an unknown task, and before a person answers again. @throws StaleFeedbackError */
  async #prepare(
    execution: Execution,
    { taskId, attempt, isPerson = false }: GivenFeedback,
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

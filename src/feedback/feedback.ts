import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { plainLabel } from "../editor/messages.ts";
import type { Execution, ExecutionSummary } from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";
import type { FeedbackKind } from "./ask.ts";
import { namingFeedback } from "../sending/not-taken.ts";
import { repeatable, takenBefore } from "./pending.ts";
import type { FindPlace } from "./place.ts";
import type { FeedbackResult, FeedbackSender, FeedbackToSend } from "../sending/feedback.ts";
import { staleByAttempt } from "../sending/stale.ts";
import type { FeedbackThreads } from "./threads.ts";

/** Milliseconds that a crew's answer stays in the status bar. */
const answerShown = 10_000;

/** What a person may be asked, loaded when the first question comes. */
const questions = () => import("./ask.ts");

/** Makes one press of a double click on one output, also where the crew answers in between; a later press is another. */
export interface Presses {
  once(
    key: string,
    by: { readonly isPerson: boolean },
    start: () => Promise<FeedbackResult | undefined>,
  ): Promise<FeedbackResult | undefined>;
}

/** What {@link Feedback} needs. */
export interface FeedbackOptions {
  readonly sender: Pick<FeedbackSender, "send">;
  /** Where in an open document feedback is given: an output that has no such place in a visible editor is not on the screen. */
  readonly find: FindPlace;
  readonly presses: Presses;
  /** Shows the execution's document at what waits. */
  readonly show: (execution: ExecutionSummary) => Promise<vscode.TextEditor>;
}

/** What a caller may say beforehand; what is missing is asked for. */
export interface FeedbackWords {
  readonly taskId?: string;
  readonly feedback?: string;
  /** The attempt that the person was looking at; another one is not answered in its place. */
  readonly attempt?: number;
  /** A person wants it, who is shown what is approved where it is not on the screen. A program means what it says. */
  readonly isPerson?: boolean;
}

/** What a person does about an output: approve, reject, with words or without. Each returns the crew's answer, or nothing when the person cancels. */
export class Feedback implements vscode.Disposable {
  readonly #options: FeedbackOptions;
  readonly #sending = new Map<
    string,
    { readonly words: string; readonly result: Promise<FeedbackResult> }
  >();
  readonly #changed = new vscode.EventEmitter<void>();
  #threads: FeedbackThreads | undefined;

  constructor(options: FeedbackOptions) {
    this.#options = options;
  }

  /** Feedback has begun to be sent from this window, or is done with. */
  readonly onDidChangeSending = this.#changed.event;

  /** Where words are written. Given later, since threads send by this. */
  use(threads: FeedbackThreads): void {
    this.#threads = threads;
  }

  /** Whether feedback for an execution is being sent from this window. */
  isSending(execution: ExecutionSummary): boolean {
    return this.#sending.has(execution.localId);
  }

  /** Approves at once. A person is asked first where the output is not on the screen. */
  async approve(
    execution: Execution,
    words: FeedbackWords = {},
  ): Promise<FeedbackResult | undefined> {
    const { taskId = execution.waiting?.taskId, feedback, attempt, isPerson = false } = words;
    if (!isPerson || taskId === undefined || attempt === undefined)
      return await this.#approve(execution, words);
    return await this.#options.presses.once(
      JSON.stringify([execution.localId, taskId, attempt, feedback]),
      { isPerson },
      () => this.#approve(execution, words),
    );
  }

  async #approve(
    execution: Execution,
    { taskId, feedback = "", attempt, isPerson = false }: FeedbackWords,
  ): Promise<FeedbackResult | undefined> {
    const task = taskId ?? execution.waiting?.taskId;
    refuseOtherAttempt(execution, task, attempt);
    const chosen = task ?? (await (await questions()).askTask(execution));
    if (chosen === undefined) return undefined;
    const again = await this.#isAgain(execution, chosen, isPerson);
    if (again === undefined) return undefined;
    const isUnseen =
      isPerson &&
      again.again !== true &&
      task !== undefined &&
      !this.isSending(execution) &&
      !this.#isShown(execution);
    if (isUnseen && !(await (await import("./confirm.ts")).confirmApproval(execution, chosen)))
      return undefined;
    return await this.send({
      execution,
      taskId: chosen,
      isApprove: true,
      text: feedback,
      ...again,
    });
  }

  /** Approves with words that are written in a thread. */
  async approveWithNote(
    execution: Execution,
    { taskId, attempt, isPerson = false }: FeedbackWords = {},
  ): Promise<FeedbackResult | undefined> {
    refuseOtherAttempt(execution, taskId, attempt);
    return await this.#write(execution, taskId, "approveWithNote", isPerson);
  }

  /** Rejects with these words, or with words that are written in a thread. */
  async reject(
    execution: Execution,
    { taskId, feedback, attempt, isPerson = false }: FeedbackWords = {},
  ): Promise<FeedbackResult | undefined> {
    refuseOtherAttempt(execution, taskId, attempt);
    if (feedback === undefined) return await this.#write(execution, taskId, "reject", isPerson);
    const task =
      taskId ?? execution.waiting?.taskId ?? (await (await questions()).askTask(execution));
    const again = task === undefined ? undefined : await this.#isAgain(execution, task, isPerson);
    return task === undefined || again === undefined
      ? undefined
      : await this.send({ execution, taskId: task, isApprove: false, text: feedback, ...again });
  }

  /** Asks for everything: which task, approve or reject, and words. */
  async give(execution: Execution): Promise<FeedbackResult | undefined> {
    const taskId = execution.waiting?.taskId ?? (await (await questions()).askTask(execution));
    const chosen = taskId === undefined ? undefined : await (await questions()).askKind(taskId);
    if (taskId === undefined || chosen === undefined) return undefined;
    const { kind, words } = chosen;
    return kind === "approve"
      ? await this.approve(execution, { taskId, isPerson: true })
      : await this.#write(execution, taskId, kind, true, words);
  }

  /** Sends once more, word for word, what may have arrived or was taken by a crew that still reports the pause, after a warning. @throws UserError where there is no such thing */
  async sendAgain(execution: Execution): Promise<FeedbackResult | undefined> {
    const doubted = repeatable(execution);
    const sent = execution.resumes.find((resume) => resume === doubted);
    if (sent === undefined)
      throw new UserError(vscode.l10n.t("No feedback of this execution is in doubt."));
    if (!(await (await questions()).askAgain(sent))) return undefined;
    return await this.send({ execution, taskId: sent.taskId, ...sent.feedback, again: true });
  }

  /** Sends feedback and shows the answer. The same words sent again while they are under way are a double click, and get the same answer. */
  async send(feedback: FeedbackToSend): Promise<FeedbackResult> {
    const { localId } = feedback.execution;
    const words = JSON.stringify([feedback.taskId, feedback.isApprove, feedback.text]);
    const underWay = this.#sending.get(localId);
    if (underWay?.words === words) return await underWay.result;
    if (underWay !== undefined)
      throw new UserError(
        vscode.l10n.t(
          "Other feedback for this execution is being sent right now. Wait for its answer.",
        ),
      );
    const result = Promise.resolve(
      vscode.window.withProgress(
        { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Sending feedback…") },
        () => this.#send(feedback),
      ),
    );
    this.#sending.set(localId, { words, result });
    this.#changed.fire();
    try {
      const answer = await result;
      vscode.window.setStatusBarMessage(answerInWords(feedback, answer), answerShown);
      return answer;
    } finally {
      this.#sending.delete(localId);
      this.#changed.fire();
    }
  }

  dispose(): void {
    this.#changed.dispose();
  }

  async #send(feedback: FeedbackToSend): Promise<FeedbackResult> {
    try {
      return await this.#options.sender.send(feedback);
    } catch (error) {
      throw namingFeedback(error, feedback);
    }
  }

  #isShown({ localId }: ExecutionSummary): boolean {
    return vscode.window.visibleTextEditors.some(
      ({ document }) => this.#options.find(document)?.execution.localId === localId,
    );
  }

  /** Warns a person before an output is answered again that the crew took an answer for. Undefined when the person cancels. */
  async #isAgain(
    execution: Execution,
    taskId: string,
    isPerson: boolean,
  ): Promise<Pick<FeedbackToSend, "again"> | undefined> {
    const taken =
      isPerson && !this.isSending(execution) ? takenBefore(execution, taskId) : undefined;
    if (taken === undefined) return {};
    return (await (await questions()).askAnew(taken)) ? { again: true } : undefined;
  }

  async #write(
    execution: Execution,
    taskId: string | undefined,
    kind: Exclude<FeedbackKind, "approve">,
    isPerson: boolean,
    words?: string,
  ): Promise<FeedbackResult | undefined> {
    const task =
      taskId ?? execution.waiting?.taskId ?? (await (await questions()).askTask(execution));
    if (task === undefined || this.#threads === undefined) return undefined;
    const again = await this.#isAgain(execution, task, isPerson);
    if (again === undefined) return undefined;
    const editor = await this.#options.show(execution);
    return await this.#threads.open(
      editor,
      { execution, taskId: task, isApprove: kind === "approveWithNote", ...again },
      words,
    );
  }
}

function refuseOtherAttempt(
  execution: Execution,
  taskId = execution.waiting?.taskId,
  attempt?: number,
): void {
  const stale =
    taskId === undefined || attempt === undefined
      ? undefined
      : staleByAttempt(execution, taskId, attempt);
  if (stale !== undefined) throw stale;
}

function answerInWords(
  { execution, isApprove }: FeedbackToSend,
  { message }: FeedbackResult,
): string {
  const title = plainLabel(titleOf(execution));
  return isApprove
    ? vscode.l10n.t("$(check) Approved “{0}”: {1}", title, plainLabel(message))
    : vscode.l10n.t("$(discard) Rejected “{0}”: {1}", title, plainLabel(message));
}

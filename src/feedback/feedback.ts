import * as vscode from "vscode";
import { UserError } from "../editor/errors.ts";
import { plainLabel } from "../editor/plain.ts";
import type { Execution } from "../executions/model.ts";
import { titleOf } from "../executions/title.ts";
import { askAgain, askKind, askTask, type FeedbackKind } from "./ask.ts";
import { StaleFeedbackError } from "./errors.ts";
import { pendingResume } from "./pending.ts";
import type { FeedbackResult, FeedbackSender, FeedbackToSend } from "./send.ts";
import type { FeedbackThreads } from "./threads.ts";

/** Milliseconds that a crew's answer stays in the status bar. */
const answerShown = 10_000;

/** What {@link Feedback} needs. */
export interface FeedbackOptions {
  readonly sender: Pick<FeedbackSender, "send">;
  /** Shows the execution's document at what waits. */
  readonly show: (execution: Execution) => Promise<vscode.TextEditor>;
}

/** What a caller may say beforehand; what is missing is asked for. */
export interface FeedbackWords {
  readonly taskId?: string;
  readonly feedback?: string;
  /** The attempt that the person was looking at; another one is not answered in its place. */
  readonly attempt?: number;
}

/** What a person does about an output: approve, reject, with words or without. Each returns the crew's answer, or nothing when the person cancels. */
export class Feedback implements vscode.Disposable {
  readonly #options: FeedbackOptions;
  readonly #sending = new Map<string, { readonly words: string; readonly result: Promise<FeedbackResult> }>();
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
  isSending(execution: Execution): boolean {
    return this.#sending.has(execution.localId);
  }

  /** Approves at once. */
  async approve(execution: Execution, { taskId, feedback = "", attempt }: FeedbackWords = {}): Promise<FeedbackResult | undefined> {
    refuseOtherAttempt(execution, attempt);
    const task = taskId ?? execution.waiting?.taskId ?? (await askTask(execution));
    return task === undefined ? undefined : await this.send({ execution, taskId: task, isApprove: true, text: feedback });
  }

  /** Approves with words that are written in a thread. */
  async approveWithNote(execution: Execution, { taskId, attempt }: FeedbackWords = {}): Promise<FeedbackResult | undefined> {
    refuseOtherAttempt(execution, attempt);
    return await this.#write(execution, taskId, "approveWithNote");
  }

  /** Rejects with these words, or with words that are written in a thread. */
  async reject(execution: Execution, { taskId, feedback, attempt }: FeedbackWords = {}): Promise<FeedbackResult | undefined> {
    refuseOtherAttempt(execution, attempt);
    if (feedback === undefined) return await this.#write(execution, taskId, "reject");
    const task = taskId ?? execution.waiting?.taskId ?? (await askTask(execution));
    return task === undefined ? undefined : await this.send({ execution, taskId: task, isApprove: false, text: feedback });
  }

  /** Asks for everything: which task, approve or reject, and words. */
  async give(execution: Execution): Promise<FeedbackResult | undefined> {
    const taskId = execution.waiting?.taskId ?? (await askTask(execution));
    const kind = taskId === undefined ? undefined : await askKind(taskId);
    if (taskId === undefined || kind === undefined) return undefined;
    return kind === "approve" ? await this.approve(execution, { taskId }) : await this.#write(execution, taskId, kind);
  }

  /** Sends once more, word for word, what may have arrived, after a warning. @throws UserError where nothing is in doubt. */
  async sendAgain(execution: Execution): Promise<FeedbackResult | undefined> {
    const pending = pendingResume(execution);
    if (pending?.outcome !== "unanswered") throw new UserError(vscode.l10n.t("No feedback of this execution is in doubt."));
    if (!(await askAgain(pending.taskId))) return undefined;
    return await this.send({ execution, taskId: pending.taskId, ...pending.feedback, again: true });
  }

  /** Sends feedback and shows the answer. The same words sent again while they are under way are a double click, and get the same answer. */
  async send(feedback: FeedbackToSend): Promise<FeedbackResult> {
    const { localId } = feedback.execution;
    const words = JSON.stringify([feedback.taskId, feedback.isApprove, feedback.text]);
    const underWay = this.#sending.get(localId);
    if (underWay?.words === words) return await underWay.result;
    if (underWay !== undefined) throw new UserError(vscode.l10n.t("Other feedback for this execution is being sent right now. Wait for its answer."));
    const result = Promise.resolve(vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Sending feedback…") }, () => this.#options.sender.send(feedback)));
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

  async #write(execution: Execution, taskId: string | undefined, kind: Exclude<FeedbackKind, "approve">): Promise<FeedbackResult | undefined> {
    const task = taskId ?? execution.waiting?.taskId ?? (await askTask(execution));
    if (task === undefined || this.#threads === undefined) return undefined;
    const editor = await this.#options.show(execution);
    return await this.#threads.open(editor, { execution, taskId: task, isApprove: kind === "approveWithNote" });
  }
}

function refuseOtherAttempt({ waiting }: Execution, attempt: number | undefined): void {
  if (attempt !== undefined && waiting !== undefined && waiting.attempt !== attempt) throw new StaleFeedbackError(vscode.l10n.t("a newer output of the task waits now. Read it first."));
}

function answerInWords({ execution, isApprove }: FeedbackToSend, { message }: FeedbackResult): string {
  const title = plainLabel(titleOf(execution));
  return isApprove ? vscode.l10n.t("$(check) Approved “{0}”: {1}", title, plainLabel(message)) : vscode.l10n.t("$(discard) Rejected “{0}”: {1}", title, plainLabel(message));
}

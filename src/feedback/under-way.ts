import * as l10n from "@vscode/l10n";
import { UserError } from "../base/errors.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import type { FeedbackResult, FeedbackToSend } from "../sending/feedback.ts";
import { isSameTarget } from "./target.ts";

interface BeingSent {
  readonly feedback: FeedbackToSend;
  readonly result: Promise<FeedbackResult>;
}

/** Feedback being sent from this window: one at a time for each output, that is for each attempt. */
export class FeedbackUnderWay {
  readonly #all = new Set<BeingSent>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** For the attempt that is to be answered. Without a task, for any output of the execution. */
  has(execution: ExecutionSummary, taskId: string | undefined): boolean {
    return [...this.#all].some(({ feedback }) =>
      taskId === undefined
        ? feedback.execution.localId === execution.localId
        : isSameTarget(feedback, { execution, taskId }),
    );
  }

  /**
   * Sends, unless the same text for the same output is under way: a double click, which gets the
   * same answer. @throws UserError while another text for that output is under way
   */
  async once(
    feedback: FeedbackToSend,
    send: () => Promise<FeedbackResult>,
  ): Promise<FeedbackResult> {
    const present = [...this.#all].find((one) => isSameTarget(one.feedback, feedback));
    if (present !== undefined) {
      const { isApprove, text } = present.feedback;
      if (isApprove === feedback.isApprove && text === feedback.text) return await present.result;
      throw new UserError(
        l10n.t("Other feedback for this output is already being sent. Wait for the answer."),
      );
    }
    const sent = { feedback, result: send() };
    this.#all.add(sent);
    this.#onChange();
    try {
      return await sent.result;
    } finally {
      this.#all.delete(sent);
      this.#onChange();
    }
  }
}

import * as vscode from "vscode";
import type { Crews } from "../crews/crews.ts";
import { hasEnded, type Execution, type ExecutionSummary } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Feedback, FeedbackWords } from "../feedback/feedback.ts";
import { repeatable } from "../feedback/pending.ts";
import type { FeedbackResult } from "../sending/feedback.ts";
import type { FeedbackThreads } from "../feedback/threads.ts";
import { isProgram, numberOf, optional, recordOf, stringOf } from "./arguments.ts";
import { chooseExecution } from "./choose.ts";
import type { Command } from "./table.ts";

/** What the commands about feedback work with. */
export interface FeedbackParts {
  readonly crews: Crews;
  readonly store: ExecutionStore;
  readonly feedback: Feedback;
  readonly threads: FeedbackThreads;
}

type Result = Promise<FeedbackResult | undefined>;

/** Commands by which a person answers a task that waits. Each returns the crew's `{status, message}`. */
export function feedbackCommands({
  crews,
  store,
  feedback,
  threads,
}: FeedbackParts): readonly Command[] {
  const on = (
    id: string,
    action: (execution: Execution, words: FeedbackWords) => Result,
    fits: (execution: ExecutionSummary) => boolean,
    none?: string,
  ): Command => ({
    id,
    async run(argument) {
      const given = recordOf(argument);
      const words = {
        ...optional("taskId", stringOf(given, "taskId")),
        ...optional("feedback", stringOf(given, "feedback")),
        ...optional("attempt", numberOf(given, "attempt")),
        isPerson: !isProgram(argument),
      };
      const execution = await chooseExecution(store, crews, argument, fits, none);
      if (execution === undefined) return undefined;
      await crews.ready(execution.crew);
      return await action(execution, words);
    },
  });
  const waits = ({ state }: ExecutionSummary) => state === "waiting";
  const noneWaits = vscode.l10n.t("No execution waits for you.");
  return [
    on("approve", (execution, words) => feedback.approve(execution, words), waits, noneWaits),
    on(
      "approveWithNote",
      (execution, words) => feedback.approveWithNote(execution, words),
      waits,
      noneWaits,
    ),
    on("reject", (execution, words) => feedback.reject(execution, words), waits, noneWaits),
    on(
      "giveFeedback",
      (execution) => feedback.give(execution),
      (execution) => !hasEnded(execution) && execution.kickoffIds.length > 0,
    ),
    on(
      "sendAgain",
      (execution) => feedback.sendAgain(execution),
      (execution) => repeatable(execution) !== undefined,
    ),
    { id: "sendFeedback", run: (reply) => threads.submit(reply) },
    { id: "saveDraft", run: (reply) => threads.saveDraft(reply) },
    { id: "discardDraft", run: (reply) => threads.discardDraft(reply) },
    { id: "insertCannedAnswer", run: (reply) => threads.insert(reply) },
    { id: "cancelFeedback", run: (reply) => threads.cancel(reply) },
  ];
}

import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import { Disposables } from "../base/events.ts";
import { SingleStart } from "../base/single-start.ts";
import { executionScheme } from "../editor/manifest.ts";
import { logProblem } from "../editor/log.ts";
import type { Executions } from "../executions/executions.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import type { FeedbackResult } from "../sending/feedback.ts";
import type { Sending } from "../sending/sending.ts";
import type { Database } from "../store/database.ts";
import { Drafts } from "./drafts.ts";
import { Feedback } from "./feedback.ts";
import { FeedbackLenses, type FindExecution, type FindPlace, watchWaitingHere } from "./lenses.ts";
import { FeedbackThreads } from "./threads.ts";

export type FeedbackRoom = ReturnType<typeof registerFeedback>;

export function registerFeedback(options: {
  readonly executions: Executions;
  readonly sending: Sending;
  readonly clock: Clock;
  readonly database: Database;
  readonly find: FindPlace;
  readonly findExecution: FindExecution;
  readonly show: (execution: ExecutionSummary) => Promise<vscode.TextEditor>;
}) {
  const { executions, sending, clock, database, find, findExecution, show } = options;
  const { store } = executions;
  const owned = new Disposables();
  const feedback = owned.add(
    new Feedback({
      sender: { send: async (given) => await (await sending.feedbackSender()).send(given) },
      find,
      presses: new SingleStart<FeedbackResult | undefined>(clock),
      show,
    }),
  );
  const drafts = owned.add(new Drafts(database, logProblem));
  const threads = owned.add(
    new FeedbackThreads({
      find,
      current: (localId) => store.find(localId),
      send: (given) => feedback.send(given),
      drafts,
      clock,
      onProblem: logProblem,
    }),
  );
  feedback.use(threads);
  const onDidChange = (listener: () => void) => store.onDidChange(listener);
  const lenses = owned.add(
    new FeedbackLenses({ find, findExecution, feedback, drafts, onDidChange }),
  );
  owned.add(watchWaitingHere({ find, onDidChange }));
  owned.add(vscode.languages.registerCodeLensProvider({ scheme: executionScheme }, lenses));
  return { feedback, threads, drafts, dispose: () => owned.dispose() };
}

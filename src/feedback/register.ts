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
import { type FeedbackDocuments, FeedbackLenses, watchWaitingHere } from "./lenses.ts";
import type { FeedbackThreads } from "./threads.ts";

export type FeedbackRoom = ReturnType<typeof registerFeedback>;

export function registerFeedback(options: {
  readonly executions: Executions;
  readonly sending: Sending;
  readonly clock: Clock;
  readonly database: Database;
  readonly documents: FeedbackDocuments;
  readonly review: (execution: ExecutionSummary) => Promise<boolean>;
}) {
  const { executions, sending, clock, database, documents, review } = options;
  const { store } = executions;
  const owned = new Disposables();
  const presses = new SingleStart<FeedbackResult | undefined>(clock);
  const feedback = owned.add(new Feedback({ sending, documents, review, presses }));
  const drafts = owned.add(new Drafts(database, logProblem));
  let loading: Promise<FeedbackThreads> | undefined;
  /** Loaded when a person first writes about an output. */
  const threads = () => {
    const parts = { documents, store, feedback, drafts, clock, onProblem: logProblem };
    loading ??= import("./threads.ts").then((loaded) =>
      owned.add(new loaded.FeedbackThreads(parts)),
    );
    return loading;
  };
  feedback.use(threads);
  const lenses = owned.add(new FeedbackLenses({ documents, store, feedback, drafts }));
  owned.add(watchWaitingHere(documents, store));
  owned.add(vscode.languages.registerCodeLensProvider({ scheme: executionScheme }, lenses));
  return { feedback, threads, drafts, dispose: () => owned.dispose() };
}

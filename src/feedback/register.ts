import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import { Disposables } from "../base/events.ts";
import { SingleStart } from "../base/single-start.ts";
import { executionScheme } from "../editor/manifest.ts";
import { logProblem } from "../editor/log.ts";
import type { Executions } from "../executions/executions.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { FeedbackResult } from "../sending/feedback.ts";
import type { Sending } from "../sending/sending.ts";
import type { Database } from "../store/database.ts";
import { Drafts } from "./drafts.ts";
import { Feedback } from "./feedback.ts";
import type { FeedbackDocuments } from "./lenses.ts";
import { watchWaitingHere } from "./waiting-here.ts";

export type FeedbackRoom = ReturnType<typeof registerFeedback>;

export function registerFeedback(options: {
  readonly executions: Executions;
  readonly sending: Sending;
  readonly clock: Clock;
  readonly database: Database;
  readonly documents: FeedbackDocuments;
  readonly review: (execution: ExecutionSummary, taskId: string) => Promise<void>;
}) {
  const { executions, sending, clock, database, documents, review } = options;
  const { store } = executions;
  const owned = new Disposables();
  const presses = new SingleStart<FeedbackResult | undefined>(clock);
  const feedback = owned.add(new Feedback({ sending, documents, review, presses }));
  const drafts = owned.add(new Drafts(database, logProblem));
  owned.add(registerLenses(executionScheme, { documents, store, feedback, drafts }));
  owned.add(watchWaitingHere(documents, store));
  return { feedback, drafts, dispose: () => owned.dispose() };
}

/** The code is loaded with the first document. */
export function registerLenses(
  scheme: string,
  parts: {
    readonly documents: FeedbackDocuments;
    readonly store: Pick<ExecutionStore, "onDidChange">;
    readonly feedback: Feedback;
    readonly drafts: Drafts;
  },
): vscode.Disposable {
  const { store, feedback, drafts } = parts;
  const changed = new vscode.EventEmitter<void>();
  const fire = () => changed.fire();
  return vscode.Disposable.from(
    changed,
    store.onDidChange(fire),
    feedback.onDidChangeSending(fire),
    drafts.onDidChange(fire),
    // An editor that is shown again keeps its old lenses (observed in 1.139).
    vscode.window.onDidChangeVisibleTextEditors(fire),
    vscode.languages.registerCodeLensProvider(
      { scheme },
      {
        onDidChangeCodeLenses: changed.event,
        provideCodeLenses: async (document) =>
          (await import("./lenses.ts")).feedbackLenses(document, parts),
      },
    ),
  );
}

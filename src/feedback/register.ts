import { join } from "node:path";
import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import type { Crews } from "../crews/crews.ts";
import { Disposables } from "../base/events.ts";
import { executionScheme } from "../editor/ids.ts";
import { logProblem } from "../editor/log.ts";
import type { Executions } from "../executions/executions.ts";
import type { Execution } from "../executions/model.ts";
import { Drafts } from "./drafts.ts";
import { Feedback, type Presses } from "./feedback.ts";
import { FeedbackLenses } from "./lenses.ts";
import { sendAskingAboutSecrets } from "./lost-secrets.ts";
import type { FindExecution, FindPlace } from "./place.ts";
import { FeedbackSender } from "./send.ts";
import { FeedbackThreads } from "./threads.ts";
import { watchWaitingHere } from "./waiting-here.ts";

/** What feedback works with. */
export interface FeedbackRoomOptions {
  readonly crews: Crews;
  readonly executions: Executions;
  readonly clock: Clock;
  readonly presses: Presses;
  /** The extension's storage on this machine. */
  readonly storage: vscode.Uri;
  readonly find: FindPlace;
  readonly findExecution: FindExecution;
  readonly show: (execution: Execution) => Promise<vscode.TextEditor>;
}

/** What a person says of outputs, as the other parts use it. */
export interface FeedbackRoom {
  /** Ends all of it. */
  dispose(): void;
  readonly feedback: Feedback;
  readonly threads: FeedbackThreads;
  readonly drafts: Drafts;
}

/** Registers lenses and threads over the tasks that wait for a person. */
export function registerFeedback({
  crews,
  executions,
  clock,
  presses,
  storage,
  find,
  findExecution,
  show,
}: FeedbackRoomOptions): FeedbackRoom {
  const { store, intents, secrets, tracker } = executions;
  const owned = new Disposables();
  const sender = new FeedbackSender({
    store,
    intents,
    secrets,
    clock,
    clientFor: (crew) => crews.client(crew),
    poll: (localId) => void tracker.pollNow(localId),
    onProblem: logProblem,
  });
  const feedback = owned.add(
    new Feedback({
      sender: { send: (words) => sendAskingAboutSecrets(sender, words) },
      find,
      presses,
      show,
    }),
  );
  const drafts = owned.add(new Drafts(join(storage.fsPath, "drafts"), logProblem));
  const threads = owned.add(
    new FeedbackThreads({
      find,
      current: (localId) => store.find(localId),
      send: (words) => feedback.send(words),
      drafts,
      clock,
      onProblem: logProblem,
    }),
  );
  feedback.use(threads);
  owned.add(
    store.onDidChange(({ removed }) => {
      for (const { localId } of removed)
        drafts
          .removeAll(localId)
          .catch((error: unknown) => logProblem("Removing the drafts of an execution", error));
    }),
  );
  const lenses = owned.add(
    new FeedbackLenses({
      find,
      findExecution,
      feedback,
      drafts,
      onDidChange: (listener) => store.onDidChange(listener),
    }),
  );
  owned.add(watchWaitingHere({ find, onDidChange: (listener) => store.onDidChange(listener) }));
  owned.add(vscode.languages.registerCodeLensProvider({ scheme: executionScheme }, lenses));
  return { feedback, threads, drafts, dispose: () => owned.dispose() };
}

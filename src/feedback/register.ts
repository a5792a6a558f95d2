import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import type { Crews } from "../crews/crews.ts";
import { Disposables } from "../base/events.ts";
import { executionScheme } from "../editor/ids.ts";
import { logProblem } from "../editor/log.ts";
import type { Executions } from "../executions/executions.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import type { Database } from "../store/database.ts";
import { Drafts } from "./drafts.ts";
import { Feedback, type Presses } from "./feedback.ts";
import { FeedbackLenses } from "./lenses.ts";
import type { FindExecution, FindPlace } from "./place.ts";
import type { FeedbackSender, FeedbackToSend } from "../sending/feedback.ts";
import type { Sending } from "../sending/sending.ts";
import { FeedbackThreads } from "./threads.ts";
import { watchWaitingHere } from "./waiting-here.ts";

/** What feedback works with. */
export interface FeedbackRoomOptions {
  readonly crews: Crews;
  readonly executions: Executions;
  readonly sending: Sending;
  readonly clock: Clock;
  readonly presses: Presses;
  readonly database: Database;
  readonly find: FindPlace;
  readonly findExecution: FindExecution;
  readonly show: (execution: ExecutionSummary) => Promise<vscode.TextEditor>;
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
  sending,
  clock,
  presses,
  database,
  find,
  findExecution,
  show,
}: FeedbackRoomOptions): FeedbackRoom {
  const { store, tracker } = executions;
  const { sends, secrets } = sending;
  const owned = new Disposables();
  let sender: FeedbackSender | undefined;
  const send = async (words: FeedbackToSend) => {
    // Most windows never send any.
    const [{ FeedbackSender }, { sendAskingAboutSecrets }] = await Promise.all([
      import("../sending/feedback.ts"),
      import("./lost-secrets.ts"),
    ]);
    sender ??= new FeedbackSender({
      store,
      sends,
      secrets,
      clock,
      clientFor: (crew) => crews.client(crew),
      poll: (localId) => void tracker.pollNow(localId),
      onProblem: logProblem,
    });
    return await sendAskingAboutSecrets(sender, words);
  };
  const feedback = owned.add(
    new Feedback({
      sender: { send },
      find,
      presses,
      show,
    }),
  );
  const drafts = owned.add(new Drafts(database, logProblem));
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

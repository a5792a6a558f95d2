import * as vscode from "vscode";
import type { Clock } from "../api/clock.ts";
import type { Crews } from "../crews/crews.ts";
import { Disposables } from "../editor/disposables.ts";
import { executionScheme } from "../editor/ids.ts";
import { logProblem } from "../editor/log.ts";
import type { Executions } from "../executions/executions.ts";
import type { Execution } from "../executions/model.ts";
import { Feedback } from "./feedback.ts";
import { FeedbackLenses } from "./lenses.ts";
import { sendAskingAboutSecrets } from "./lost-secrets.ts";
import type { FindPlace } from "./place.ts";
import { FeedbackSender } from "./send.ts";
import { FeedbackThreads } from "./threads.ts";

/** What feedback works with. */
export interface FeedbackRoomOptions {
  readonly crews: Crews;
  readonly executions: Executions;
  readonly clock: Clock;
  readonly find: FindPlace;
  readonly show: (execution: Execution) => Promise<vscode.TextEditor>;
}

/** What a person says of outputs, as the other parts use it. */
export interface FeedbackRoom {
  /** Ends all of it. */
  dispose(): void;
  readonly feedback: Feedback;
  readonly threads: FeedbackThreads;
}

/** Registers lenses and threads over the tasks that wait for a person. */
export function registerFeedback({ crews, executions, clock, find, show }: FeedbackRoomOptions): FeedbackRoom {
  const { store, intents, secrets, tracker } = executions;
  const owned = new Disposables();
  const sender = new FeedbackSender({ store, intents, secrets, clock, clientFor: (crew) => crews.client(crew), poll: (localId) => void tracker.pollNow(localId), onProblem: logProblem });
  const feedback = owned.add(new Feedback({ sender: { send: (words) => sendAskingAboutSecrets(sender, words) }, find, show }));
  const threads = owned.add(new FeedbackThreads({ find, current: (localId) => store.find(localId), send: (words) => feedback.send(words) }));
  feedback.use(threads);
  const lenses = owned.add(new FeedbackLenses({ find, feedback, onDidChange: (listener) => store.onDidChange(listener) }));
  owned.add(vscode.languages.registerCodeLensProvider({ scheme: executionScheme }, lenses));
  return { feedback, threads, dispose: () => owned.dispose() };
}

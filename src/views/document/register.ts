import path from "node:path";
import * as vscode from "vscode";
import type { Crews } from "../../crews/crews.ts";
import { Disposables } from "../../base/events.ts";
import { parseExecutionUri } from "../../editor/execution-uri.ts";
import { executionScheme } from "../../editor/ids.ts";
import type { Execution, ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import type { Tracker } from "../../executions/tracker.ts";
import type { FindExecution, FindPlace } from "../../feedback/lenses.ts";
import { doubtOf } from "../doubt.ts";
import { RawAnswers } from "./answers.ts";
import { compareLenses } from "./compare-lenses.ts";
import { documentLenses } from "./document-lenses.ts";
import { ExecutionDocuments } from "./documents.ts";
import { nextLenses } from "./next-lenses.ts";
import { showExecution } from "./open.ts";
import { watchReading } from "./has-read.ts";
import type { RawAnswer } from "./open-answer.ts";
import { OutputFiles } from "./output-files.ts";
import { outputLenses } from "./output-lenses.ts";
import type { Output } from "./outputs.ts";
import { placeOf } from "./places.ts";
import { ReaderPlaces } from "./reader.ts";

/** What the documents of executions need. */
export interface DocumentsOptions {
  readonly store: ExecutionStore;
  readonly crews: Crews;
  readonly tracker: Pick<Tracker, "problemOf" | "localProblemOf" | "onDidChange">;
  /** Resolves when the store is open: documents are read after that. */
  readonly ready: Promise<unknown>;
  /** The extension's folder on this machine. */
  readonly storage: vscode.Uri;
  /** What is noted on this machine. */
  readonly memory: Pick<vscode.Memento, "get" | "update">;
}

/** What is done with single outputs. Each returns the address of what it made, or nothing where the person cancelled. */
export interface OutputsRoom {
  /** Shows an output in an editor of its own. */
  readonly open: (execution: Execution, output: Output) => Promise<vscode.Uri | undefined>;
  /** Asks for a file and saves an output to it. */
  readonly save: (execution: Execution, output: Output) => Promise<vscode.Uri | undefined>;
  /** Shows what a crew answered. */
  readonly openAnswer: (execution: Execution, answer: RawAnswer) => Promise<vscode.Uri | undefined>;
}

/** The documents of executions, as the other parts use them. */
export interface DocumentsRoom {
  /** Ends all of it. */
  dispose(): void;
  readonly documents: ExecutionDocuments;
  /** Shows an execution's document, at a task or at what waits for a person. */
  readonly show: (execution: ExecutionSummary, taskId?: string) => Promise<vscode.TextEditor>;
  /** Where in a document a person gives feedback. */
  readonly find: FindPlace;
  readonly findExecution: FindExecution;
  readonly outputs: OutputsRoom;
}

/** Registers the documents of executions and of their outputs. */
export function registerDocuments({
  store,
  crews,
  tracker,
  ready,
  storage,
  memory,
}: DocumentsOptions): DocumentsRoom {
  const owned = new Disposables();
  const answers = owned.add(new RawAnswers());
  // What was never answered with an ID says so itself, at more length.
  const doubtInWords = (execution: ExecutionSummary) =>
    execution.kickoffIds.length === 0 ? undefined : doubtOf({ crews, tracker }, execution)?.words;
  const documents = owned.add(
    new ExecutionDocuments({
      store,
      crewIdOf: (name) => crews.find(name)?.id,
      doubtOf: doubtInWords,
      ready,
      answers,
    }),
  );
  owned.add(tracker.onDidChange(() => documents.refresh()));
  owned.add(crews.onDidChange(() => documents.refresh()));
  owned.add(
    vscode.workspace.registerFileSystemProvider(executionScheme, documents, {
      isReadonly: true,
      isCaseSensitive: true,
    }),
  );
  for (const lenses of [compareLenses, outputLenses, nextLenses]) {
    owned.add(
      vscode.languages.registerCodeLensProvider(
        { scheme: executionScheme },
        documentLenses(documents, lenses),
      ),
    );
  }
  owned.add(new ReaderPlaces(documents));
  owned.add(watchReading(memory));
  const files = owned.add(new OutputFiles(path.join(storage.fsPath, "outputs"), store));
  return {
    documents,
    show: (execution, taskId) => showExecution(documents, execution, taskId),
    find: (document) => placeOf(documents, document),
    findExecution: ({ uri }) =>
      parseExecutionUri(uri) === undefined ? undefined : documents.summary(uri),
    outputs: {
      open: async (execution, output) =>
        (await import("./open-output.ts")).openOutput(files, execution, output),
      save: async (execution, output) =>
        (await import("./save-output.ts")).saveOutput(execution, output),
      openAnswer: async (execution, answer) =>
        (await import("./open-answer.ts")).openAnswer(answers, files, execution, answer),
    },
    dispose: () => owned.dispose(),
  };
}

import * as vscode from "vscode";
import type { Crews } from "../../crews/crews.ts";
import { Disposables } from "../../editor/disposables.ts";
import { executionScheme } from "../../editor/ids.ts";
import type { Execution } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import type { FindPlace } from "../../feedback/place.ts";
import { CompareLenses } from "./compare-lenses.ts";
import { ExecutionDocuments } from "./documents.ts";
import { showExecution } from "./open.ts";
import { outputUri } from "./outputs.ts";
import { placeOf } from "./places.ts";
import { ReaderPlaces } from "./reader.ts";

/** The documents of executions, as the other parts use them. */
export interface DocumentsRoom {
  /** Ends all of it. */
  dispose(): void;
  readonly documents: ExecutionDocuments;
  /** Shows an execution's document, at a task or at what waits for a person. */
  readonly show: (execution: Execution, taskId?: string) => Promise<vscode.TextEditor>;
  /** Where in a document a person gives feedback. */
  readonly find: FindPlace;
  /** The address of the document of one attempt of a task, whose text never changes. Nothing where the output is not known. */
  readonly outputUri: (execution: Execution, taskId: string, attempt: number) => vscode.Uri | undefined;
}

/** Registers the documents of executions; they are read once `ready` has resolved, when the store is open. */
export function registerDocuments(store: ExecutionStore, crews: Crews, ready: Promise<unknown>): DocumentsRoom {
  const owned = new Disposables();
  const documents = owned.add(new ExecutionDocuments({ store, crewIdOf: (name) => crews.find(name)?.id, ready }));
  owned.add(vscode.workspace.registerFileSystemProvider(executionScheme, documents, { isReadonly: true, isCaseSensitive: true }));
  owned.add(vscode.languages.registerCodeLensProvider({ scheme: executionScheme }, new CompareLenses(documents)));
  owned.add(new ReaderPlaces(documents));
  return {
    documents,
    show: (execution, taskId) => showExecution(documents, execution, taskId),
    find: (document) => placeOf(documents, document),
    outputUri,
    dispose: () => owned.dispose(),
  };
}

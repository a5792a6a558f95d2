import { rm } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { Disposables, type Event } from "../../base/events.ts";
import type { Crews } from "../../crews/crews.ts";
import { executionLanguage, executionScheme } from "../../editor/manifest.ts";
import { logProblem } from "../../editor/log.ts";
import { plainLabel } from "../../editor/messages.ts";
import type { Picture } from "../../api/types.ts";
import type { Execution, ExecutionSummary } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import type { Drafts } from "../../executions/drafts.ts";
import type { CurrentCircumstances } from "../circumstances.ts";
import type { Clock } from "../../base/clock.ts";
import { ExecutionDocuments } from "./documents.ts";
import type { RawAnswer } from "./output-editors.ts";
import type { Output } from "../../view/outputs.ts";

export type DocumentsRoom = ReturnType<typeof registerDocuments>;

/** `ready` resolves when the executions are read; `storage` is the extension's own folder. */
export function registerDocuments(options: {
  readonly store: ExecutionStore;
  readonly crews: Crews;
  readonly circumstances: CurrentCircumstances;
  readonly drafts: Drafts;
  readonly clock: Clock;
  readonly ready: Promise<unknown>;
  readonly storage: vscode.Uri;
}) {
  const { store, crews, circumstances, drafts, clock, ready, storage } = options;
  const owned = new Disposables();
  const documents = owned.add(
    new ExecutionDocuments({
      store,
      crewIdOf: (name) => crews.find(name)?.id,
      circumstances,
      ready,
    }),
  );
  owned.add(circumstances.onDidChange(() => documents.refresh()));
  owned.add(
    vscode.workspace.registerFileSystemProvider(executionScheme, documents, {
      isReadonly: true,
      isCaseSensitive: true,
    }),
  );
  const changes = [store.onDidChange, circumstances.onDidChange];
  owned.add(registerLenses(executionScheme, documents, drafts, changes));
  owned.add(registerOutline(documents, { language: executionLanguage, scheme: executionScheme }));
  let isShown = false;
  const showFirst = () => {
    const editors = vscode.window.visibleTextEditors;
    if (isShown || !editors.some(({ document }) => document.uri.scheme === executionScheme)) return;
    isShown = true;
    Promise.all([import("./decorations.ts"), import("./reader.ts")])
      .then(([{ decorate }, { keepReaderPlaces }]) => {
        owned.add(decorate({ documents, circumstances, store, clock }));
        owned.add(keepReaderPlaces(documents));
      })
      .catch((error: unknown) => logProblem("Showing times and costs beside an execution", error));
  };
  owned.add(vscode.window.onDidChangeVisibleTextEditors(showFirst));
  showFirst();
  /** Large outputs, by local ID; nothing else may be in it. */
  const folder = path.join(storage.fsPath, "outputs");
  owned.add(
    store.onDidChange(({ removed }) => {
      for (const { localId } of removed)
        rm(path.join(folder, localId), { recursive: true, force: true }).catch((error: unknown) =>
          logProblem("Removing the files of an execution's outputs", error),
        );
    }),
  );
  return {
    documents,
    /** What can be done with outputs. Each returns an address, or undefined if cancelled. */
    outputs: {
      open: async (execution: Execution, { part, output }: Output) =>
        (await import("./output-editors.ts")).openOutput(folder, execution, part, output),
      openPicture: async (execution: ExecutionSummary, picture: Required<Picture>) =>
        (await import("./output-editors.ts")).openPicture(folder, execution, picture),
      save: async (execution: Execution, output: Output) =>
        (await import("./output-editors.ts")).saveOutput(execution, output),
      openAnswer: async (execution: Execution, answer: RawAnswer) =>
        (await import("./output-editors.ts")).openAnswer(folder, execution, answer),
    },
    dispose: () => owned.dispose(),
  };
}

/** @param changes after which they may differ */
export function registerLenses(
  scheme: string,
  documents: Pick<ExecutionDocuments, "execution" | "view" | "rendered">,
  drafts: Pick<Drafts, "of" | "onDidChange">,
  changes: readonly Event<unknown>[],
): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const fire = () => changed.fire();
  return vscode.Disposable.from(
    changed,
    drafts.onDidChange(fire),
    ...changes.map((event) => event(fire)),
    // An editor that is shown again keeps its old lenses (observed in 1.139).
    vscode.window.onDidChangeVisibleTextEditors(fire),
    vscode.languages.registerCodeLensProvider(
      { scheme },
      {
        onDidChangeCodeLenses: changed.event,
        async provideCodeLenses(document) {
          const { lensesOf } = await import("./lenses.ts");
          const execution = documents.execution(document.uri);
          const view = documents.view(document.uri);
          const rendered = documents.rendered(document);
          if (execution === undefined || view === undefined || rendered === undefined) return [];
          const lenses = lensesOf(execution, view, rendered, drafts.of(execution.localId));
          return lenses.map(({ line, icon, title, ...command }) => {
            const label = plainLabel(title);
            return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
              command: "",
              ...command,
              // VS Code leaves no room between an icon and a plain space.
              title: icon === undefined ? label : `$(${icon})\u00a0${label}`,
            });
          });
        },
      },
    ),
  );
}

/** VS Code has an outline and folding only for Markdown itself. */
export function registerOutline(
  documents: Pick<ExecutionDocuments, "rendered">,
  selector: vscode.DocumentSelector,
): vscode.Disposable {
  const load = () => import("./outline.ts");
  return vscode.Disposable.from(
    vscode.languages.registerDocumentSymbolProvider(selector, {
      provideDocumentSymbols: async (document) => (await load()).outlineOf(document),
    }),
    vscode.languages.registerFoldingRangeProvider(selector, {
      provideFoldingRanges: async (document) =>
        (await load()).foldingOf(document, documents.rendered(document)),
    }),
  );
}

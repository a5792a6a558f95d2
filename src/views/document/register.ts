import { rm } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import type { Disposable, Event } from "../../base/events.ts";
import { logged } from "../../editor/log.ts";
import { executionLanguage as language, executionScheme } from "../../editor/manifest.ts";
import { plainLabel } from "../../editor/messages.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import type { ExecutionDocuments } from "./documents.ts";

export function registerDocuments(
  documents: ExecutionDocuments,
  changes: readonly Event<unknown>[],
  scheme = executionScheme,
): vscode.Disposable {
  const { languages, window, workspace } = vscode;
  const load = () => import("./text-editors.ts");
  const lensesChanged = new vscode.EventEmitter<void>();
  // An editor that is shown again keeps its old lenses (observed in 1.139).
  const lenses = [...changes, window.onDidChangeVisibleTextEditors].map((event) =>
    event(() => lensesChanged.fire()),
  );
  return vscode.Disposable.from(
    lensesChanged,
    ...lenses,
    workspace.registerFileSystemProvider(scheme, documents, {
      isReadonly: true,
      isCaseSensitive: true,
    }),
    languages.registerCodeLensProvider(
      { scheme },
      {
        onDidChangeCodeLenses: lensesChanged.event,
        async provideCodeLenses(document) {
          const { lensesOf } = await import("./lenses.ts");
          const execution = documents.execution(document.uri);
          const view = documents.view(document.uri);
          const rendered = documents.rendered(document);
          if (execution === undefined || view === undefined || rendered === undefined) return [];
          return lensesOf(execution, view, rendered).map(({ line, icon, title, ...command }) => {
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
    languages.registerDocumentSymbolProvider(
      { scheme, language },
      { provideDocumentSymbols: async (document) => (await load()).outlineOf(document) },
    ),
    languages.registerFoldingRangeProvider(
      { scheme, language },
      {
        provideFoldingRanges: async (document) =>
          (await load()).foldingOf(document, documents.rendered(document)),
      },
    ),
  );
}

/** @param folder of large outputs, by local ID; nothing else may be in it */
export function removeOutputsOf(store: ExecutionStore, folder: string): Disposable {
  return store.onDidChange(({ removed }) => {
    for (const { localId } of removed)
      rm(path.join(folder, localId), { recursive: true, force: true }).catch(
        logged("Removing the files of an execution's outputs"),
      );
  });
}

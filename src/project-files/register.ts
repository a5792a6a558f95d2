import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import { Disposables, type Disposable } from "../base/events.ts";
import type { Crews } from "../crews/crews.ts";
import { logProblem } from "../editor/log.ts";
import type { ExecutionStore } from "../executions/store.ts";

export interface ProjectFilesOptions {
  readonly crews: Pick<Crews, "list" | "onDidChange">;
  readonly store: Pick<ExecutionStore, "list" | "onDidChange">;
  readonly clock: Pick<Clock, "after">;
}

const withLenses =
  "**/{config/*.yaml,config/*.yml,crew.py,crew.json,crew.jsonc,agents/*.json,agents/*.jsonc}";
const names = /\/(config\/[^/]+\.ya?ml|crew\.(py|jsonc?)|agents\/[^/]+\.jsonc?|pyproject\.toml)$/;

/** Whether a file's name is one of a crew project's. Other projects may use it, too. */
export function mayBeProjectFile({ uri }: vscode.TextDocument): boolean {
  return uri.scheme === "file" && names.test(uri.path);
}

/** Lenses and problems in the files of crew projects. The code is loaded with the first such file. */
export function registerProjectFiles(options: ProjectFilesOptions): Disposable {
  const owned = new Disposables();
  const changed = owned.add(new vscode.EventEmitter<void>());
  const open = async () => {
    const { ProjectFiles } = await import("./project-files.ts");
    const onChange = () => changed.fire();
    return owned.add(new ProjectFiles({ ...options, onChange }));
  };
  let loading: ReturnType<typeof open> | undefined;
  const load = () => (loading ??= open());
  const look = (document: vscode.TextDocument) => {
    if (mayBeProjectFile(document))
      void load().catch((error: unknown) =>
        logProblem("Loading the support for crew projects' files", error),
      );
  };
  const { languages, workspace } = vscode;
  owned.add(workspace.onDidOpenTextDocument(look));
  workspace.textDocuments.forEach(look);
  owned.add(
    languages.registerCodeLensProvider(
      { scheme: "file", pattern: withLenses },
      {
        onDidChangeCodeLenses: changed.event,
        provideCodeLenses: async (document) => (await load()).lenses(document),
      },
    ),
  );
  return owned;
}

import * as vscode from "vscode";
import type { Crews } from "../../crews/crews.ts";
import { Disposables } from "../../base/events.ts";
import { logProblem } from "../../editor/log.ts";
import { isRequestFile, requestFiles } from "./document.ts";
import { RequestFileLenses } from "./lenses.ts";
import type { RequestFiles, RequestFilesOptions } from "./request-files.ts";
import type { RequestFilesRoom } from "./room.ts";

/** Request files, as the other parts use them. */
export interface RegisteredRequestFiles {
  readonly load: () => Promise<RequestFiles>;
  /** Ends all of it. */
  dispose(): void;
}

/** Registers what helps to write request files and to use them. Most of it is loaded with the first file: most windows never see one. */
export function registerRequestFiles(
  crews: Crews,
  options: Omit<RequestFilesOptions, "crews" | "onLearnt" | "isTrusted">,
): RegisteredRequestFiles {
  const owned = new Disposables();
  let loading: Promise<RequestFilesRoom> | undefined;
  const load = () =>
    (loading ??= import("./room.ts").then(({ openRoom }) => owned.add(openRoom(crews, options))));
  const look = ({ uri }: vscode.TextDocument) => {
    if (isRequestFile(uri))
      void load().catch((error: unknown) =>
        logProblem("Loading what belongs to request files", error),
      );
  };
  owned.add(vscode.workspace.onDidOpenTextDocument(look));
  vscode.workspace.textDocuments.forEach(look);
  owned.add(vscode.languages.registerCodeLensProvider(requestFiles, new RequestFileLenses()));
  const completion: vscode.CompletionItemProvider = {
    provideCompletionItems: async (document, position, token) =>
      await (await load()).completion.provideCompletionItems(document, position, token),
  };
  owned.add(vscode.languages.registerCompletionItemProvider(requestFiles, completion, '"', ":"));
  return { load: async () => (await load()).files, dispose: () => owned.dispose() };
}

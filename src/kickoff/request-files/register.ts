import * as vscode from "vscode";
import { Disposables } from "../../base/events.ts";
import type { Crews } from "../../crews/crews.ts";
import { logProblem } from "../../editor/log.ts";
import type { Database } from "../../store/database.ts";
import { isRequestFile, requestFileEnding } from "./name.ts";
import type { RequestFiles, RequestFilesOptions } from "./request-files.ts";

/** Registers what helps to write and use request files. Most of it is loaded with the first file. */
export function registerRequestFiles({
  database,
  crews,
  ...options
}: Pick<RequestFilesOptions, "sender" | "forms" | "clock"> & {
  readonly database: Database;
  readonly crews: Crews;
}): { readonly load: () => Promise<RequestFiles>; dispose(): void } {
  const owned = new Disposables();
  const open = async () => {
    const [request, diagnose, completion, allow] = await Promise.all([
      import("./request-files.ts"),
      import("./diagnostics.ts"),
      import("./completion.ts"),
      import("../callback-consent.ts"),
    ]);
    const { refresh: onLearnt } = owned.add(diagnose.diagnoseRequestFiles(crews));
    const files = new request.RequestFiles({
      ...options,
      crews,
      consent: new allow.CallbackConsent(database),
      onLearnt,
      isTrusted: () => vscode.workspace.isTrusted,
    });
    return { files, complete: completion.completeRequestFiles(crews, onLearnt) };
  };
  let loading: ReturnType<typeof open> | undefined;
  const load = () => (loading ??= open());
  const look = ({ uri }: vscode.TextDocument) => {
    if (isRequestFile(uri))
      void load().catch((error: unknown) =>
        logProblem("Loading the support for request files", error),
      );
  };
  owned.add(vscode.workspace.onDidOpenTextDocument(look));
  vscode.workspace.textDocuments.forEach(look);
  // Saved or not, in any file system.
  const selector: vscode.DocumentSelector = { pattern: `**/*${requestFileEnding}` };
  owned.add(
    vscode.languages.registerCodeLensProvider(selector, {
      provideCodeLenses: ({ uri }) => lensesFor(uri),
    }),
  );
  const completion: vscode.CompletionItemProvider = {
    provideCompletionItems: async (document, position, token) =>
      await (await load()).complete(document, position, token),
  };
  owned.add(vscode.languages.registerCompletionItemProvider(selector, completion, '"', ":"));
  return { load: async () => (await load()).files, dispose: () => owned.dispose() };
}

function lensesFor(uri: vscode.Uri): vscode.CodeLens[] {
  const given = [{ file: uri.toString(), fromLens: true }];
  return [
    {
      title: vscode.l10n.t("Kick Off"),
      command: "crewdeck.kickoffFile",
      tooltip: vscode.l10n.t("Starts an execution with these inputs, including unsaved changes"),
    },
    {
      title: vscode.l10n.t("Open in Form"),
      command: "crewdeck.openFileInForm",
      tooltip: vscode.l10n.t("Fills these values into the crew's form; nothing is sent yet"),
    },
    {
      title: vscode.l10n.t("Copy as cURL"),
      command: "crewdeck.copyAsCurl",
      tooltip: vscode.l10n.t("The same kickoff as a command for a shell, without the token"),
    },
  ].map((lens) => new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { ...lens, arguments: given }));
}

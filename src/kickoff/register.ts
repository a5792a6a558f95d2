import * as vscode from "vscode";
import { Disposables } from "../base/events.ts";
import type { Crews } from "../crews/crews.ts";
import { logProblem } from "../editor/log.ts";
import { formType } from "../editor/manifest.ts";
import type { Senders } from "../sending/senders.ts";
import { forgetCrewValues } from "../store/crew-values.ts";
import type { KickoffForms, KickoffFormsOptions } from "./form/forms.ts";
import { isRequestFile, requestFileEnding } from "./request-files/name.ts";
import type { RequestFiles } from "./request-files/request-files.ts";

export type KickoffRoom = ReturnType<typeof registerKickoff>;

/** What starts executions: forms and request files, loaded with the first one. */
export function registerKickoff(
  options: KickoffFormsOptions & { readonly crews: Crews; readonly sending: Senders },
) {
  const { crews, database } = options;
  const owned = new Disposables();
  let loadingForms: Promise<KickoffForms> | undefined;
  const createForms = async () => {
    const { KickoffForms } = await import("./form/forms.ts");
    return owned.add(new KickoffForms(options));
  };
  const loadForms = () => (loadingForms ??= createForms());
  owned.add(
    vscode.window.registerWebviewPanelSerializer(formType, {
      deserializeWebviewPanel: async (panel, state) => (await loadForms()).restore(panel, state),
    }),
  );
  owned.add(
    crews.onDidRemove(({ id }) => {
      loadForms()
        .then((forms) => forms.forget(id))
        .catch((error: unknown) => logProblem("Deleting the saved values of a crew", error));
      forgetCrewValues(database, id);
    }),
  );
  owned.add(
    crews.onDidReplace(({ from, to }) => {
      if (from.id !== to.id)
        loadForms()
          .then((forms) => forms.move(from, to))
          .catch((error: unknown) => logProblem("Moving the kickoff form of a crew", error));
    }),
  );
  const forms = {
    open: async (...request: Parameters<KickoffForms["open"]>) =>
      await (await loadForms()).open(...request),
    showHint: async (...request: Parameters<KickoffForms["showHint"]>) =>
      await (await loadForms()).showHint(...request),
    // If they aren't loaded, no form is open.
    advise: async () => (await loadingForms)?.advise(),
    closeAll: async () => await (await loadingForms)?.closeAll(),
  };

  let loadingFiles: Promise<RequestFiles> | undefined;
  const loadFiles = () =>
    (loadingFiles ??= import("./request-files/request-files.ts").then(({ RequestFiles }) => {
      const isTrusted = () => vscode.workspace.isTrusted;
      return owned.add(new RequestFiles({ ...options, forms, isTrusted }));
    }));
  const look = ({ uri }: vscode.TextDocument) => {
    if (isRequestFile(uri))
      loadFiles().catch((error: unknown) =>
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
      await (await loadFiles()).editing.complete(document, position, token),
  };
  owned.add(vscode.languages.registerCompletionItemProvider(selector, completion, '"', ":"));
  const files = {
    kickOff: async (...request: Parameters<RequestFiles["kickOff"]>) =>
      await (await loadFiles()).kickOff(...request),
    openInForm: async (file: vscode.Uri) => await (await loadFiles()).openInForm(file),
    copyCurl: async (file: vscode.Uri) => await (await loadFiles()).copyCurl(file),
  };
  return { forms, files, dispose: () => owned.dispose() };
}

function lensesFor(uri: vscode.Uri): vscode.CodeLens[] {
  return [
    {
      title: vscode.l10n.t("Kick Off"),
      command: "crewdeck.kickoffFile",
      tooltip: vscode.l10n.t("Starts an execution with these inputs, including unsaved changes"),
    },
    {
      title: vscode.l10n.t("Open in Form"),
      command: "crewdeck.kickoffFile",
      form: true,
      tooltip: vscode.l10n.t("Fills these values into the crew's form; nothing is sent yet"),
    },
    {
      title: vscode.l10n.t("Copy as cURL"),
      command: "crewdeck.copyAsCurl",
      tooltip: vscode.l10n.t("The same kickoff as a command for a shell, without the token"),
    },
  ].map(({ form, ...lens }) => {
    const given = [{ file: uri.toString(), form, by: "person" }];
    return new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { ...lens, arguments: given });
  });
}

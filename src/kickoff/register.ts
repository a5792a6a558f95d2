import * as vscode from "vscode";
import { Disposables } from "../base/events.ts";
import type { Crews } from "../crews/crews.ts";
import { logged } from "../editor/log.ts";
import { formType } from "../editor/manifest.ts";
import type { Senders } from "../sending/senders.ts";
import { forgetCrewValues } from "../store/crew-values.ts";
import type { KickoffForms, KickoffFormsOptions } from "./form/forms.ts";
import { isRequestFile } from "./request-files/name.ts";
import type { RequestFiles } from "./request-files/request-files.ts";

export type KickoffRoom = ReturnType<typeof registerKickoff>;

export function registerKickoff(
  options: KickoffFormsOptions & { readonly crews: Crews; readonly sending: Senders },
) {
  const { crews, database } = options;
  const owned = new Disposables();
  let loadingForms: Promise<KickoffForms> | undefined;
  const loadForms = () =>
    (loadingForms ??= import("./form/forms.ts").then(({ kickoffForms }) =>
      owned.add(kickoffForms(options)),
    ));
  const withForms = (what: string, act: (forms: KickoffForms) => unknown) =>
    void loadForms().then(act).catch(logged(what));
  const registered = vscode.Disposable.from(
    vscode.window.registerWebviewPanelSerializer(formType, {
      deserializeWebviewPanel: async (panel, state) => (await loadForms()).restore(panel, state),
    }),
    crews.onDidRemove(({ id }) => {
      withForms("Deleting the saved values of a crew", (forms) => forms.forget(id));
      forgetCrewValues(database, id);
    }),
    crews.onDidReplace(({ from, to }) => {
      if (from.id !== to.id)
        withForms("Moving the kickoff form of a crew", (forms) => forms.move(from, to));
    }),
    vscode.workspace.onDidOpenTextDocument((document) => look(document)),
  );
  owned.add(registered);
  const forms = {
    open: async (...request: Parameters<KickoffForms["open"]>) =>
      await (await loadForms()).open(...request),
    // If they aren't loaded, no form is open.
    advise: async () => (await loadingForms)?.advise(),
    closeAll: async () => await (await loadingForms)?.closeAll(),
  };

  let loadingFiles: Promise<RequestFiles> | undefined;
  const loadFiles = () =>
    (loadingFiles ??= import("./request-files/request-files.ts").then(({ requestFiles }) => {
      const isTrusted = () => vscode.workspace.isTrusted;
      return owned.add(requestFiles({ ...options, forms, isTrusted }));
    }));
  const look = ({ uri }: vscode.TextDocument) => {
    if (isRequestFile(uri)) loadFiles().catch(logged("Loading the support for request files"));
  };
  vscode.workspace.textDocuments.forEach(look);
  const files = {
    kickOff: async (...request: Parameters<RequestFiles["kickOff"]>) =>
      await (await loadFiles()).kickOff(...request),
    openInForm: async (file: vscode.Uri) => await (await loadFiles()).openInForm(file),
  };
  return { forms, files, dispose: () => owned.dispose() };
}

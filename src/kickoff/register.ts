import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import { Disposables } from "../base/events.ts";
import type { Crews } from "../crews/crews.ts";
import { formType } from "../editor/manifest.ts";
import { logProblem } from "../editor/log.ts";
import type { Executions } from "../executions/executions.ts";
import type { KickoffSender } from "../sending/kickoff.ts";
import type { Sending } from "../sending/sending.ts";
import type { Database } from "../store/database.ts";
import type { KickoffForms } from "./form/forms.ts";
import { LastEditor } from "./form/last-editor.ts";
import type { FormParts } from "./form/open-form.ts";
import type { Presets } from "./presets/presets.ts";
import { registerRequestFiles } from "./request-files/register.ts";
import type { RequestFiles } from "./request-files/request-files.ts";

/** What starts executions. Most of it is loaded when it is first used. */
export interface KickoffRoom {
  readonly sender: Pick<KickoffSender, "send">;
  readonly forms: Pick<KickoffForms, "open" | "closeAll">;
  readonly files: () => Promise<RequestFiles>;
  readonly presets: () => Promise<Presets>;
  dispose(): void;
}

export function registerKickoff(options: {
  readonly context: Pick<vscode.ExtensionContext, "extensionUri">;
  readonly database: Database;
  readonly crews: Crews;
  readonly executions: Executions;
  readonly sending: Sending;
  readonly clock: Clock;
  readonly documents: FormParts["documents"];
}): KickoffRoom {
  const { context, database, crews, executions, sending, clock, documents } = options;
  const { store } = executions;
  const owned = new Disposables();

  const sender: KickoffRoom["sender"] = {
    send: async (...request) => (await sending.kickoffSender()).send(...request),
  };

  // Not with the forms, which are loaded after the editor lost focus.
  const editor = owned.add(new LastEditor());
  let loadingForms: Promise<KickoffForms> | undefined;
  const loadForms = () => (loadingForms ??= openForms());
  const openForms = async () => {
    const [{ KickoffForms }, sender] = await Promise.all([
      import("./form/forms.ts"),
      sending.kickoffSender(),
    ]);
    return owned.add(
      new KickoffForms({
        context,
        database,
        store,
        crews,
        sender,
        editor,
        clock,
        documents,
      }),
    );
  };
  owned.add(
    vscode.window.registerWebviewPanelSerializer(formType, {
      deserializeWebviewPanel: async (panel, state) => (await loadForms()).restore(panel, state),
    }),
  );

  const forget = async (crewId: string) => {
    const { CallbackConsent } = await import("./callback-consent.ts");
    new CallbackConsent(database).forget(crewId);
  };
  const leave = (crewId: string, change: (forms: KickoffForms) => void | Promise<void>) => {
    for (const done of [loadForms().then(change), forget(crewId)])
      void done.catch((error: unknown) =>
        logProblem("Updating kickoff forms after a crew changed", error),
      );
  };
  owned.add(crews.onDidRemove(({ id }) => leave(id, (forms) => forms.forget(id))));
  owned.add(
    crews.onDidReplace(({ from, to }) => {
      if (from.id !== to.id) leave(from.id, (forms) => forms.move(from, to));
    }),
  );

  const forms: KickoffRoom["forms"] = {
    open: async (...given) => await (await loadForms()).open(...given),
    // If they aren't loaded, no form is open.
    closeAll: async () => await (await loadingForms)?.closeAll(),
  };
  const files = owned.add(registerRequestFiles({ database, crews, sender, forms, clock }));
  return {
    sender,
    forms,
    files: files.load,
    presets: async () => (await loadForms()).presets,
    dispose: () => owned.dispose(),
  };
}

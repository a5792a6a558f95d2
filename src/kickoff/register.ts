import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import type { Crews } from "../crews/crews.ts";
import { Disposables } from "../base/events.ts";
import { formType, viewId } from "../editor/ids.ts";
import { logProblem } from "../editor/log.ts";
import type { Executions } from "../executions/executions.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import type { Database } from "../store/database.ts";
import { CallbackConsent } from "./callback-consent.ts";
import type { KickoffForms } from "./form/forms.ts";
import type { FormsRoom } from "./forms-room.ts";
import type { Presets } from "./presets/presets.ts";
import { LastEditor } from "./form/last-editor.ts";
import { registerRequestFiles } from "./request-files/register.ts";
import type { RequestFiles } from "./request-files/request-files.ts";
import type { KickoffSender } from "../sending/kickoff.ts";
import type { Sending } from "../sending/sending.ts";

/** What kicking off works with. */
export interface KickoffRoomOptions {
  readonly context: Pick<vscode.ExtensionContext, "extensionUri">;
  readonly database: Database;
  readonly crews: Crews;
  readonly executions: Executions;
  readonly sending: Sending;
  readonly clock: Clock;
  /** Makes sure that a local crew's service runs; nothing to do for a deployed one. */
  readonly wake: (crewId: string) => Promise<void>;
  /** Shows an execution's document. */
  readonly show: (execution: ExecutionSummary) => Promise<unknown>;
}

/** Kicking off, as the other parts use it. */
export interface KickoffRoom {
  readonly sender: Pick<KickoffSender, "send">;
  readonly forms: Pick<KickoffForms, "open" | "closeAll">;
  /** Loads what uses request files. */
  readonly files: () => Promise<RequestFiles>;
  /** Loads the presets. */
  readonly presets: () => Promise<Presets>;
  /** Ends all of it. */
  dispose(): void;
}

/** Registers the kickoff forms and what starts executions. */
export function registerKickoff({
  context,
  database,
  crews,
  executions,
  sending,
  clock,
  wake,
  show,
}: KickoffRoomOptions): KickoffRoom {
  const { store, tracker } = executions;
  const { sends, secrets } = sending;
  const owned = new Disposables();
  let loadingSender: Promise<KickoffSender> | undefined;
  const loadSender = () =>
    (loadingSender ??= import("../sending/kickoff.ts").then(
      ({ KickoffSender }) =>
        new KickoffSender({
          store,
          sends,
          secrets,
          clock,
          clientFor: (crew) => crews.client(crew),
          poll: (localId) => void tracker.pollNow(localId),
          onProblem: logProblem,
        }),
    ));
  const sender: Pick<KickoffSender, "send"> = {
    send: async (...request) => (await loadSender()).send(...request),
  };
  const showOrLog = (execution: ExecutionSummary) =>
    show(execution).catch((error: unknown) => logProblem("Showing an execution", error));
  // Not with the forms, which are loaded when the editor may be out of sight.
  const editor = owned.add(new LastEditor());
  let loading: Promise<FormsRoom> | undefined;
  const load = () =>
    (loading ??= Promise.all([import("./forms-room.ts"), loadSender()]).then(
      ([{ openFormsRoom }, sender]) =>
        owned.add(
          openFormsRoom({
            context,
            database,
            crews,
            store,
            sender,
            editor,
            clock,
            wake,
            onStarted: (execution) => void showOrLog(execution),
            onOpenExecution: (execution) =>
              void (execution
                ? showOrLog(execution)
                : vscode.commands.executeCommand(`${viewId}.focus`)),
          }),
        ),
    ));
  const whenLoaded = (then: (room: FormsRoom) => void) =>
    void load()
      .then(then)
      .catch((error: unknown) =>
        logProblem("Keeping kickoff forms in step with their crew", error),
      );
  owned.add(
    vscode.window.registerWebviewPanelSerializer(formType, {
      deserializeWebviewPanel: async (panel, state) => (await load()).forms.restore(panel, state),
    }),
  );
  const consent = new CallbackConsent(database);
  owned.add(
    crews.onDidRemove(({ id }) =>
      whenLoaded((room) => {
        room.forget(id);
        consent.forget(id);
      }),
    ),
  );
  owned.add(
    crews.onDidReplace(({ from, to }) =>
      whenLoaded((room) => {
        room.move(from, to);
        if (from.id !== to.id) consent.forget(from.id);
      }),
    ),
  );
  const forms: KickoffRoom["forms"] = {
    open: async (...given) => await (await load()).forms.open(...given),
    // Where nothing is loaded, no form is open.
    closeAll: async () => await (await loading)?.forms.closeAll(),
  };
  const files = owned.add(
    registerRequestFiles(crews, {
      sender,
      forms,
      consent,
      clock,
      wake,
    }),
  );
  return {
    sender,
    forms,
    files: files.load,
    presets: async () => (await load()).presets,
    dispose: () => owned.dispose(),
  };
}

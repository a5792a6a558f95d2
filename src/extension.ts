import { config } from "@vscode/l10n";
import * as vscode from "vscode";
import { systemClock as clock } from "./base/clock.ts";
import { offer } from "./base/errors.ts";
import { Disposables } from "./base/events.ts";
import type { Callbacks } from "./callbacks/callbacks.ts";
import { createExtensionApi, registerVerbs, watchClearing } from "./actions/register.ts";
import { Crews } from "./crews/crews.ts";
import { callRules } from "./crews/settings.ts";
import { watchArrivals } from "./crews/identity.ts";
import { log, logged, logProblem, problemLog } from "./editor/log.ts";
import { keepEndedExecutions, resetContext, setContext, versionOf } from "./editor/manifest.ts";
import { plainMessage, showError } from "./editor/messages.ts";
import { Executions } from "./executions/executions.ts";
import { titleOf } from "./executions/title.ts";
import { Drafts } from "./executions/drafts.ts";
import { registerKickoff } from "./kickoff/register.ts";
import { LocalCrews } from "./local/local-crews.ts";
import { startForDevelopment, watchProjects } from "./local/projects.ts";
import type { Models } from "./models/models.ts";
import { ProjectFiles } from "./project-files/project-files.ts";
import { Batches } from "./sending/batches.ts";
import { sendersOf } from "./sending/senders.ts";
import { crewIdsWith } from "./store/crew-values.ts";
import { Database } from "./store/database.ts";
import { StoreError } from "./store/errors.ts";
import { isInFront, watchAttention, watchWaitingHere } from "./views/attention.ts";
import { registerTests } from "./tests/register.ts";
import type { CrewdeckApi } from "./actions/crewdeck-api.ts";
import { BatchTables } from "./views/batch/register.ts";
import { Comparisons } from "./views/comparison/register.ts";
import { ExecutionDocuments } from "./views/document/documents.ts";
import { registerDocuments, removeOutputsOf } from "./views/document/register.ts";
import { watchEnds } from "./views/export/register.ts";
import { CurrentCircumstances } from "./views/circumstances.ts";
import { showNotifications, watchRefusedTokens } from "./views/notifications.ts";
import { Pages } from "./views/page/register.ts";
import { showStatusBar } from "./views/status-bar.ts";
import { Timeline } from "./views/timeline/timeline.ts";
import { ExecutionTree } from "./views/tree/tree.ts";
import type { Act } from "./view/actions.ts";

export type { CrewdeckApi } from "./actions/crewdeck-api.ts";

export async function activate(context: vscode.ExtensionContext): Promise<CrewdeckApi> {
  // For files without `vscode`, which use `@vscode/l10n`. Undefined for English, and without a translation.
  if (vscode.l10n.bundle !== undefined) config({ contents: vscode.l10n.bundle });
  const owned = new Disposables();
  context.subscriptions.push(log, owned);
  resetContext();
  const storage = context.globalStorageUri;

  const shared = { clock, log: problemLog };
  const onDamage = (message: string) =>
    void vscode.window.showWarningMessage(plainMessage(message));
  const database = owned.add(new Database({ ...shared, folder: storage.fsPath, onDamage }));
  const userAgent = `crewdeck/${versionOf(context)}`;
  const crews = owned.add(new Crews(context, userAgent));
  const executions = owned.add(
    new Executions({ ...shared, database, keepEnded: keepEndedExecutions, crews }),
  );
  const { store, leader, poller } = executions;
  let receiving: Promise<Callbacks> | undefined;
  // With the first execution whose crew may call back.
  const callbacks = () =>
    (receiving ??= import("./crews/receiving.ts").then(({ receiveCallbacks }) =>
      owned.add(
        receiveCallbacks({
          ...{ ...shared, database, store, crews, secrets: context.secrets, userAgent },
          poll: (localId) => poller.pollNow(localId),
        }),
      ),
    ));
  const sending = owned.add(
    sendersOf({
      ...{ ...shared, database, store, leader, poller, crews, storage: context.secrets },
      rules: callRules,
      addresses: {
        for: (...given) =>
          callbacks().then(
            (receiver) => receiver.for(...given),
            (error: unknown) => {
              logProblem("Receiving callbacks", error);
              return undefined;
            },
          ),
      },
    }),
  );
  let loading: Promise<Models> | undefined;
  // With the first crew that runs with crewAI.
  const models = () =>
    (loading ??= import("./models/models.ts").then((module) =>
      owned.add(module.modelsOf(context)),
    ));
  const locals = owned.add(
    new LocalCrews({
      ...{ models, crews, database, storage, extension: context.extensionUri },
      hasOpenExecutions: (id) => executions.hasOpen(id),
      titleOf: (id) => {
        const execution = store.summary(id);
        return execution && titleOf(execution);
      },
    }),
  );

  // Awaited at the end: a document that returns with its window waits for it.
  const opened = locals
    .refresh()
    .catch(logged("Reading the local crews"))
    .then(() =>
      executions.open(async () => {
        sending.begin();
        (await callbacks()).begin();
        await locals.restore();
      }),
    )
    .catch((error: unknown) => showUnusable(error, context.extension.id));
  const inFlows = (act: (callbacks: Callbacks) => unknown) => {
    const useThem = async () => {
      await opened;
      if (crewIdsWith(database, "flow webhook").length > 0) await act(await callbacks());
    };
    useThem().catch(logged("Receiving the requests of flows"));
  };
  // A flow may ask a person at any time.
  inFlows((receiving) => receiving.begin());
  const circumstances = owned.add(
    new CurrentCircumstances({ crews, poller, outbox: sending.outbox, clock }),
  );
  const act: Act = (verb, argument) => verbs.run(verb, argument);

  const drafts = owned.add(new Drafts(database, logProblem));
  const documents = owned.add(
    new ExecutionDocuments({ store, crews, circumstances, ready: opened }),
  );
  owned.add(registerDocuments(documents, [store.onDidChange, circumstances.onDidChange]));
  const outputsFolder = vscode.Uri.joinPath(storage, "outputs").fsPath;
  owned.add(removeOutputsOf(store, outputsFolder));
  owned.add(watchWaitingHere(documents, circumstances, store));
  const surfaces = {
    ...{ store, crews, circumstances, documents, clock, act, ready: opened },
    extension: context.extensionUri,
  };
  const { onDidChange } = circumstances;
  const page = owned.add(new Pages({ ...surfaces, drafts, onDidChange }));
  owned.add(page.register());
  const reading = { show: page.open };
  const { forms, files } = owned.add(
    registerKickoff({
      ...{ context, database, store, crews, sending, clock, callbacks, documents: reading },
      testCallbacks: (crew) => act("testCallbacks", { crew }),
      debug: async (crew) => await (await import("./local/engines.ts")).awaitCrewInDebugger(crew),
    }),
  );
  const memento = context.workspaceState;
  const tree = owned.add(new ExecutionTree({ ...surfaces, poller, memento }));
  owned.add(
    showNotifications({
      ...{ store, leader, clock },
      isInFront: (execution) => isInFront(documents, page, execution),
    }),
  );
  owned.add(watchEnds({ store, leader, clock, context }));
  owned.add(showStatusBar(store, circumstances));
  owned.add(watchRefusedTokens(poller, leader, crews, database));
  owned.add(watchProjects(tree, crews, opened));
  owned.add(new ProjectFiles(crews, store, clock));
  const timeline = owned.add(new Timeline({ ...surfaces, page, tree }));
  const comparisons = owned.add(new Comparisons(surfaces));
  const batches = owned.add(new Batches({ sending, store, log: problemLog }));
  const tables = owned.add(new BatchTables({ ...surfaces, batches }));
  owned.add(watchAttention(poller, database, tree, documents, timeline, comparisons, tables));

  owned.add(crews.onDidChangeToken((crewId) => poller.pollAgain(crewId)));
  owned.add(watchArrivals(crews, (crewId) => poller.pollAgain(crewId)));
  owned.add(
    crews.onDidReplace(({ from, to }) => {
      inFlows(({ flows }) => flows.move(from.id, to.id));
      executions.moveCrew(from.id, to);
    }),
  );
  owned.add(crews.onDidRemove(({ id }) => inFlows(({ flows }) => flows.forget(id))));

  const tests = owned.add(
    registerTests({
      extension: context.extensionUri,
      routeOf: async (crewId) => await (await models()).route(crewId),
      isTrusted: () => vscode.workspace.isTrusted,
      act,
    }),
  );

  const parts = {
    ...{ context, clock, database, crews, executions, store, poller, leader, callbacks, locals },
    ...{ models, sending, forms, files, tree, circumstances, documents, page, outputsFolder },
    ...{ timeline, comparisons, drafts, tests, batches, tables },
  };
  const verbs = owned.add(registerVerbs(parts));
  owned.add(watchClearing(parts));
  const { api, disposable } = createExtensionApi(parts, verbs.api);
  owned.add(disposable);
  await opened;
  // Only now does the view show that it is empty.
  setContext("crewdeck.isReady", true);
  tests.begin();
  startForDevelopment(locals);
  return api;
}

/** The extension works without its database: each action that needs it reports the same error. */
function showUnusable(error: unknown, extension: string): void {
  logProblem("Opening the database", error);
  const show = { title: vscode.l10n.t("Show Extension"), command: "extension.open" };
  const reload = {
    title: vscode.l10n.t("Reload Window"),
    command: "workbench.action.reloadWindow",
  };
  if (error instanceof StoreError && error.kind !== "missing")
    offer(error, [error.kind === "newer" ? { ...show, arguments: [extension] } : reload]);
  void showError(error);
}

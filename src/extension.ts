import * as vscode from "vscode";
import { systemClock as clock } from "./base/clock.ts";
import { watchClearing } from "./commands/clearing.ts";
import { registerLinks } from "./commands/register-links.ts";
import { registerCommands } from "./commands/table.ts";
import { watchArrivals } from "./crews/arrivals.ts";
import { Crews } from "./crews/crews.ts";
import { keepEndedExecutions, loadTranslations, versionOf } from "./editor/environment.ts";
import { resetContext } from "./editor/context.ts";
import { Disposables } from "./base/events.ts";
import { offer, type ErrorAction } from "./base/errors.ts";
import { log, logProblem } from "./editor/log.ts";
import { plainMessage, showError } from "./editor/messages.ts";
import { Executions } from "./executions/executions.ts";
import { moveCrew } from "./executions/move-crew.ts";
import { registerFeedback } from "./feedback/register.ts";
import { OneWish } from "./kickoff/one-wish.ts";
import { registerKickoff } from "./kickoff/register.ts";
import { LocalCrews } from "./local/local-crews.ts";
import { startForDevelopment } from "./local/start-for-development.ts";
import { watchProjects } from "./local/workspace-projects.ts";
import { Sending } from "./sending/sending.ts";
import { Database } from "./store/database.ts";
import { StoreError } from "./store/errors.ts";
import { registerTools } from "./tools/register.ts";
import { watchAttention, watchReading } from "./views/attention.ts";
import type { CrewdeckApi } from "./extension-api/crewdeck-api.ts";
import { registerDocuments } from "./views/document/register.ts";
import { createExtensionApi } from "./extension-api/extension-api.ts";
import { Kickoffs } from "./views/kickoffs.ts";
import { Notifications } from "./views/notifications.ts";
import { watchRefusedTokens } from "./views/refused-tokens.ts";
import { StatusBar } from "./views/status-bar.ts";
import { registerTree } from "./views/tree/register.ts";

export type { CrewdeckApi } from "./extension-api/crewdeck-api.ts";

/** Builds the house: crews, executions, documents, feedback, kickoff, tree, commands. Each part is handed what it needs; what changes travels from executions to views. */
export async function activate(context: vscode.ExtensionContext): Promise<CrewdeckApi> {
  loadTranslations();
  const owned = new Disposables();
  context.subscriptions.push(log, owned);
  resetContext();

  const database = owned.add(
    new Database({
      folder: context.globalStorageUri.fsPath,
      clock,
      onProblem: logProblem,
      onDamage: (message) => void vscode.window.showWarningMessage(plainMessage(message)),
    }),
  );
  const crews = owned.add(new Crews(context, { userAgent: `crewdeck/${versionOf(context)}` }));
  const executions = owned.add(
    new Executions({
      database,
      clock,
      keepEnded: keepEndedExecutions,
      clientFor: ({ id }) =>
        Promise.resolve(crews.find(id)).then((crew) => crew && crews.client(crew)),
      onProblem: logProblem,
    }),
  );
  const { store, notified, lease, tracker } = executions;
  const sending = owned.add(
    new Sending({
      database,
      store,
      lease,
      clock,
      storage: context.secrets,
      onProblem: logProblem,
    }),
  );
  const locals = owned.add(
    new LocalCrews({
      crews,
      database,
      storage: context.globalStorageUri,
      extension: context.extensionUri,
      hasOpenExecutions: (id) => executions.hasOpen(id),
    }),
  );

  // Begun here and awaited at the end: a document that comes back with its window waits for it.
  const opened = locals
    .refresh()
    .catch((error: unknown) => logProblem("Reading the local crews", error))
    .then(() =>
      executions.open(() => {
        sending.begin();
        return locals.restore();
      }),
    )
    .catch((error: unknown) => {
      // The extension works on without what is kept: each action that needs it says the same.
      logProblem("Opening what is kept on this machine", error);
      if (error instanceof StoreError) offer(error, [wayOut(error, context.extension.id)]);
      void showError(error);
    });
  const kickoffs = owned.add(new Kickoffs(sending.sends, clock));
  const { documents, show, find, findExecution, outputs } = owned.add(
    registerDocuments({
      store,
      crews,
      tracker,
      kickoffs,
      ready: opened,
      storage: context.globalStorageUri,
    }),
  );
  const feedback = owned.add(
    registerFeedback({
      crews,
      executions,
      sending,
      clock,
      presses: new OneWish(clock),
      database,
      find,
      findExecution,
      show,
    }),
  );
  const wake = async (crewId: string) => {
    if (crewId.startsWith("local:")) await locals.ensureRunning(crewId);
  };
  const { sender, forms, ...requests } = owned.add(
    registerKickoff({ context, database, crews, executions, sending, clock, wake, show }),
  );
  const tree = owned.add(registerTree(context, opened, { store, crews, tracker, kickoffs, clock }));
  owned.add(new Notifications({ store, lease, notified, clock }));
  owned.add(watchProjects(tree.view, crews, opened));
  owned.add(new StatusBar(store));
  owned.add(watchRefusedTokens(tracker, lease, database));
  owned.add(watchAttention(tracker, database, tree, documents));
  owned.add(watchReading(context.globalState));
  owned.add(crews.onDidChangeToken((crewId) => tracker.unpark(crewId)));
  owned.add(watchArrivals(crews, (crewId) => tracker.unpark(crewId)));
  owned.add(
    crews.onDidReplace(({ from, to }) => {
      try {
        moveCrew(store, from.id, to);
      } catch (error) {
        logProblem("Moving a crew's executions", error);
      }
    }),
  );
  owned.add(
    registerCommands(context, async () =>
      (await import("./commands/all.ts")).allCommands({
        context,
        database,
        crews,
        executions,
        sending,
        locals,
        sender,
        forms,
        requests,
        feedback,
        tree,
        outputs,
        clock,
        wake,
        show,
      }),
    ),
  );
  owned.add(registerLinks(crews));
  owned.add(watchClearing(store, { context, forms, tree }));
  owned.add(
    registerTools(context, { crews, executions, sender, feedback: feedback.feedback, clock, wake }),
  );

  const { api, disposable } = createExtensionApi({
    crews,
    store,
    sender,
    feedback: feedback.feedback,
    wake,
  });
  owned.add(disposable);
  await opened;
  startForDevelopment(locals);
  return api;
}

/** What a person can do about a database that can't be used. */
function wayOut({ kind }: StoreError, extension: string): ErrorAction {
  return kind === "newer"
    ? {
        title: vscode.l10n.t("Show Extension"),
        command: "extension.open",
        arguments: [extension],
      }
    : { title: vscode.l10n.t("Reload Window"), command: "workbench.action.reloadWindow" };
}

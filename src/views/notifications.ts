import * as vscode from "vscode";
import type { CrewApiError } from "../api/errors.ts";
import type { Clock } from "../base/clock.ts";
import { actionsOf, UserError } from "../base/errors.ts";
import type { Crews } from "../crews/crews.ts";
import { tokenTypeName } from "../crews/token-format.ts";
import { logged, logProblem } from "../editor/log.ts";
import { viewId } from "../editor/manifest.ts";
import { plainMessage, showError, showStatus } from "../editor/messages.ts";
import { type CrewRef, type ExecutionSummary, waitsForPerson } from "../executions/model.ts";
import type { Poller } from "../executions/poller.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Database } from "../store/database.ts";
import type { Leader } from "../store/leader.ts";
import {
  buttonsOn,
  countMessage,
  type Event,
  type EventKind,
  eventOf,
  isPersons,
  type News,
  reportsOf,
} from "./events.ts";

interface EventsOptions {
  readonly store: Pick<ExecutionStore, "claim" | "list" | "summary" | "onDidChange">;
  readonly leader: Pick<Leader, "isThisWindow" | "confirm" | "onDidChange">;
  readonly clock: Clock;
}

/** How long to wait for more events (ms): VS Code shows three notifications at a time, and what may be waiting is often known a moment later. */
const delay = 1_000;

/** Calls `report` once for each event, in one window. @param wanted returns the event of an execution, or undefined @param prefix of the keys by which a window claims events */
export function watchEvents(
  { store, leader, clock }: EventsOptions,
  wanted: (execution: ExecutionSummary) => Event | undefined,
  report: (news: readonly News[]) => void,
  prefix = "",
): vscode.Disposable {
  const seen = new Set<string>();
  /** Local IDs by the keys of events to report soon. */
  const soon = new Map<string, string>();
  let cancel: (() => void) | undefined;
  const look = (executions: readonly ExecutionSummary[]) => {
    if (!leader.isThisWindow) return;
    for (const execution of executions) {
      const event = wanted(execution);
      if (event === undefined || seen.has(event.key)) continue;
      seen.add(event.key);
      soon.set(event.key, execution.localId);
      cancel ??= clock.after(delay, reportSoon);
    }
  };
  const claim = (key: string, localId: string): readonly News[] => {
    try {
      const execution = leader.confirm() ? store.summary(localId) : undefined;
      const event = execution && wanted(execution);
      if (execution === undefined || event?.key !== key) seen.delete(key);
      else if (store.claim(`${prefix}${key}`, localId)) return [{ execution, event }];
    } catch (error) {
      // The next change tries again.
      seen.delete(key);
      logProblem("Reporting an execution", error);
    }
    return [];
  };
  const reportSoon = () => {
    const all = [...soon];
    soon.clear();
    cancel = undefined;
    report(all.flatMap((each) => claim(...each)));
  };
  return vscode.Disposable.from(
    store.onDidChange(({ added, changed }) => look([...added, ...changed])),
    leader.onDidChange(() => look(store.list())),
    { dispose: () => cancel?.() },
  );
}

interface NotificationsOptions extends EventsOptions {
  readonly isInFront: (execution: ExecutionSummary) => boolean;
  readonly show?: typeof showMessage;
}

export function showNotifications(options: NotificationsOptions): vscode.Disposable {
  const { clock, isInFront } = options;
  const openedAt = clock.now();
  const wanted = (execution: ExecutionSummary) => {
    const event = isPersons(execution) ? undefined : eventOf(execution, clock.now(), openedAt);
    return event !== undefined && isWanted(event.kind, event.isUnseen) ? event : undefined;
  };
  return watchEvents(options, wanted, (news) => {
    for (const report of reportsOf(news.filter(({ execution }) => !isInFront(execution))))
      showReport(report, options).catch(logged("Reporting an execution"));
  });
}

async function showReport(
  [first, ...others]: readonly [News, ...News[]],
  { store, show = showMessage }: NotificationsOptions,
): Promise<void> {
  const { kind, message } = first.event;
  const isOne = others.length === 0;
  const waiting = store.list().filter(waitsForPerson).length;
  const count = kind === "waiting" ? waiting : others.length + 1;
  // All may have been answered meanwhile.
  if (count === 0) return;
  const buttons = isOne ? buttonsOn(first.execution, kind) : buttonsOnMany(kind);
  const off = vscode.l10n.t("Don't Show Again");
  const titles = [...new Set(buttons.map(({ title }) => title)), off];
  const chosen = await show(kind, isOne ? message : countMessage(kind, count), titles);
  if (chosen === off) await turnOff(kind);
  for (const each of buttons)
    if (each.title === chosen)
      await vscode.commands.executeCommand(each.command, ...each.arguments);
}

function buttonsOnMany(kind: EventKind) {
  const first = { title: vscode.l10n.t("Next to Review"), command: "crewdeck.nextToReview" };
  const all = { title: vscode.l10n.t("Show All"), arguments: [] };
  return [
    ...(kind === "waiting" ? [{ ...first, arguments: [{ by: "person" }] }] : []),
    { ...all, command: `${viewId}.focus` },
    { ...all, command: "list.focusFirst" },
  ];
}

/** A failure is a warning: VS Code doesn't hide errors with buttons. */
function showMessage(kind: EventKind, message: string, buttons: readonly string[]) {
  const show = vscode.window[kind === "failed" ? "showWarningMessage" : "showInformationMessage"];
  return show(plainMessage(message), ...buttons);
}

/** @param isUnseen it happened while no window was open: then only a person's own setting turns it off */
function isWanted(kind: EventKind, isUnseen: boolean): boolean {
  const configuration = vscode.workspace.getConfiguration("crewdeck.notifications");
  const { globalValue, workspaceValue, workspaceFolderValue } = configuration.inspect(kind) ?? {};
  const own = workspaceFolderValue ?? workspaceValue ?? globalValue;
  return configuration.get(kind) === true || (isUnseen && own === undefined);
}

/** In the workspace if it has its own value, which takes precedence. */
async function turnOff(kind: EventKind): Promise<void> {
  const section = "crewdeck.notifications";
  const configuration = vscode.workspace.getConfiguration(section);
  const isOwn = configuration.inspect(kind)?.workspaceValue !== undefined;
  await configuration.update(kind, false, !isOwn);
  showStatus(vscode.l10n.t("The setting {0} turns these on again.", `${section}.${kind}`));
}

/** VS Code shows the same words and buttons once: a new message replaces the one before. */
export function refusedToken({ name }: Pick<CrewRef, "name">, error: CrewApiError): UserError {
  const token = error.tokenType ? ` (${tokenTypeName(error.tokenType)})` : "";
  const message = vscode.l10n.t(
    "“{0}” no longer accepts its token{1}, so its executions are not watched.",
    name,
    token,
  );
  return new UserError(message, actionsOf(error));
}

/** Asks for another token: once for each, in one window. */
export function watchRefusedTokens(
  poller: Pick<Poller, "onDidRefuse" | "refusingCrews">,
  leader: Pick<Leader, "confirm">,
  crews: Pick<Crews, "onDidChangeToken">,
  database: Database,
): vscode.Disposable {
  const ask = async (crew: CrewRef, error: CrewApiError) => {
    // The crew may have another token by now.
    if (!leader.confirm() || !poller.refusingCrews().has(crew.id)) return;
    const sql = "INSERT OR IGNORE INTO token_prompts (crew_id, pid, session) VALUES (?, 0, '')";
    if (database.run(sql, crew.id) > 0) await showError(refusedToken(crew, error));
  };
  return vscode.Disposable.from(
    poller.onDidRefuse(({ crew, error }) => {
      ask(crew, error).catch(logged("Asking for another token"));
    }),
    crews.onDidChangeToken((crewId) => {
      database.run("DELETE FROM token_prompts WHERE crew_id = ?", crewId);
    }),
  );
}

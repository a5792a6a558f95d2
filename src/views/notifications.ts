import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import { logProblem } from "../editor/log.ts";
import { viewId } from "../editor/manifest.ts";
import { plainMessage, showStatus } from "../editor/messages.ts";
import type { Leader } from "../store/leader.ts";
import { type ExecutionSummary, waitsForPerson } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import {
  buttonsOn,
  countMessage,
  type EventKind,
  eventOf,
  isPersons,
  type News,
  reportsOf,
} from "./events.ts";

interface NotificationsOptions {
  readonly store: Pick<ExecutionStore, "claim" | "list" | "summary" | "onDidChange">;
  readonly leader: Pick<Leader, "isThisWindow" | "confirm" | "onDidChange">;
  readonly clock: Clock;
  readonly isInFront: (execution: ExecutionSummary) => boolean;
  readonly show?: typeof showMessage;
}

/** How long to wait for more events (ms): VS Code shows three notifications at a time, and what may be waiting is often known a moment later. */
const delay = 1_000;

/** Each event is notified once, in one window. */
export class Notifications implements vscode.Disposable {
  readonly #options: NotificationsOptions;
  readonly #openedAt: number;
  readonly #seen = new Set<string>();
  /** Local IDs by the keys of events to report soon. */
  readonly #soon = new Map<string, string>();
  #cancel: (() => void) | undefined;
  readonly #subscriptions: vscode.Disposable;

  constructor(options: NotificationsOptions) {
    this.#options = options;
    const { store, leader, clock } = options;
    this.#openedAt = clock.now();
    this.#subscriptions = vscode.Disposable.from(
      store.onDidChange(({ added, changed }) => this.#look([...added, ...changed])),
      leader.onDidChange(() => this.#look(store.list())),
    );
    this.#look(store.list());
  }

  dispose(): void {
    this.#cancel?.();
    this.#subscriptions.dispose();
  }

  #eventOf(execution: ExecutionSummary) {
    if (isPersons(execution)) return undefined;
    const event = eventOf(execution, this.#options.clock.now(), this.#openedAt);
    return event !== undefined && isWanted(event.kind, event.isUnseen) ? event : undefined;
  }

  #look(executions: readonly ExecutionSummary[]): void {
    const { leader, clock } = this.#options;
    if (!leader.isThisWindow) return;
    for (const execution of executions) {
      const event = this.#eventOf(execution);
      if (event === undefined || this.#seen.has(event.key)) continue;
      this.#seen.add(event.key);
      this.#soon.set(event.key, execution.localId);
      this.#cancel ??= clock.after(delay, () => this.#report());
    }
  }

  #report(): void {
    const soon = [...this.#soon];
    this.#soon.clear();
    this.#cancel = undefined;
    if (!this.#options.leader.confirm()) {
      for (const [key] of soon) this.#seen.delete(key);
      return;
    }
    for (const report of reportsOf(soon.flatMap((each) => this.#claim(...each) ?? [])))
      this.#show(report).catch((error: unknown) => logProblem("Reporting an execution", error));
  }

  #claim(key: string, localId: string): News | undefined {
    const { store, isInFront } = this.#options;
    const execution = store.summary(localId);
    const event = execution && this.#eventOf(execution);
    if (execution === undefined || event?.key !== key) return undefined;
    try {
      if (store.claim(key, localId) && !isInFront(execution)) return { execution, event };
    } catch (error) {
      // The next change tries again.
      this.#seen.delete(key);
      logProblem("Reporting an execution", error);
    }
    return undefined;
  }

  async #show([first, ...others]: readonly [News, ...News[]]): Promise<void> {
    const { store, show = showMessage } = this.#options;
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

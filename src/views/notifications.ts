import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import { logProblem } from "../editor/log.ts";
import { plainMessage } from "../editor/messages.ts";
import type { Lease } from "../executions/lease.ts";
import { type ExecutionSummary, waitsForPerson } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { countMessage, eventOf, isPersons, reportsOf } from "./events.ts";
import type { EventKind, News } from "./events.ts";
import type { NotificationAction } from "./notification-actions.ts";

interface NotificationsOptions {
  readonly store: Pick<ExecutionStore, "claim" | "list" | "summary" | "onDidChange">;
  readonly lease: Pick<Lease, "isHeld" | "confirm" | "onDidChange">;
  readonly clock: Clock;
  /** Whether the person looks at it now. */
  readonly isInFront: (execution: ExecutionSummary) => boolean;
  /** Shows a message and returns the clicked button. */
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
    const { store, lease, clock } = options;
    this.#openedAt = clock.now();
    this.#subscriptions = vscode.Disposable.from(
      store.onDidChange(({ added, changed, removed }) => {
        this.#look([...added, ...changed]);
        for (const execution of removed)
          this.#seen.delete(eventOf(execution, clock.now())?.key ?? "");
      }),
      lease.onDidChange(() => this.#look(store.list())),
    );
    this.#look(store.list());
  }

  dispose(): void {
    this.#cancel?.();
    this.#subscriptions.dispose();
  }

  /** Undefined also if it is turned off. */
  #eventOf(execution: ExecutionSummary) {
    if (isPersons(execution)) return undefined;
    const event = eventOf(execution, this.#options.clock.now(), this.#openedAt);
    return event !== undefined && isWanted(event.kind, event.isUnseen) ? event : undefined;
  }

  #look(executions: readonly ExecutionSummary[]): void {
    const { lease, clock } = this.#options;
    if (!lease.isHeld) return;
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
    if (!this.#options.lease.confirm()) {
      for (const [key] of soon) this.#seen.delete(key);
      return;
    }
    for (const report of reportsOf(soon.flatMap((each) => this.#claim(...each) ?? []))) {
      const shown =
        "one" in report ? this.#showOne(report.one) : this.#showMany(report.many, report.count);
      shown.catch((error: unknown) => logProblem("Reporting an execution", error));
    }
  }

  /** Undefined if the event is over, turned off, reported by another window, or in front of the person. */
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

  async #showOne({ execution, event: { kind, message } }: News): Promise<void> {
    const { actionsOn } = await import("./notification-actions.ts");
    await this.#show(kind, message, actionsOn(execution, kind));
  }

  async #showMany(kind: EventKind, count: number): Promise<void> {
    const { store } = this.#options;
    const present = kind === "waiting" ? store.list().filter(waitsForPerson).length : count;
    // All may have been answered meanwhile.
    if (present === 0) return;
    const { actionsOnMany } = await import("./notification-actions.ts");
    const actions = actionsOnMany(kind, () => store.list());
    await this.#show(kind, countMessage(kind, present), actions);
  }

  async #show(
    kind: EventKind,
    message: string,
    actions: readonly NotificationAction[],
  ): Promise<void> {
    const { show = showMessage } = this.#options;
    const titles = actions.map(({ title }) => title);
    const chosen = await show(kind, message, titles);
    await actions.find(({ title }) => title === chosen)?.run();
  }
}

/** A failure is a warning: VS Code doesn't hide errors with buttons. */
function showMessage(kind: EventKind, message: string, buttons: readonly string[]) {
  const text = plainMessage(message);
  return kind === "failed"
    ? vscode.window.showWarningMessage(text, ...buttons)
    : vscode.window.showInformationMessage(text, ...buttons);
}

/** @param isUnseen it happened while no window was open: then only a person's own setting turns it off */
function isWanted(kind: EventKind, isUnseen = false): boolean {
  const configuration = vscode.workspace.getConfiguration("crewdeck.notifications");
  const { globalValue, workspaceValue, workspaceFolderValue } = configuration.inspect(kind) ?? {};
  const isSet = [globalValue, workspaceValue, workspaceFolderValue].some(
    (each) => each !== undefined,
  );
  return configuration.get(kind) === true || (isUnseen && !isSet);
}

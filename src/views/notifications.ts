import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import { logProblem } from "../editor/log.ts";
import { plainMessage } from "../editor/messages.ts";
import type { Lease } from "../executions/lease.ts";
import { type ExecutionSummary, waitsForPerson } from "../executions/model.ts";
import type { Notified } from "../executions/executions.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { titleOf } from "../executions/title.ts";
import { eventOf, isPersons, reportsOf } from "./events.ts";
import type { EventKind, News } from "./events.ts";
import type { NotificationAction } from "./notification-actions.ts";

interface NotificationsOptions {
  readonly store: Pick<ExecutionStore, "list" | "summary" | "onDidChange">;
  readonly lease: Pick<Lease, "isHeld" | "confirm" | "onDidChange">;
  readonly notified: Pick<Notified, "claim">;
  readonly clock: Clock;
  /** Shows a message and returns the clicked button. */
  readonly show?: typeof showMessage;
}

/** How long to wait for more events (ms): briefly, unless there are many. VS Code shows three notifications at a time. */
const delay = { alone: 100, quiet: 1_500, longest: 10_000 };
const mostAlone = 3;

/** Each event is notified once, in one window. */
export class Notifications implements vscode.Disposable {
  readonly #options: NotificationsOptions;
  readonly #openedAt: number;
  readonly #seen = new Set<string>();
  /** Local IDs by the keys of events to report soon. */
  readonly #soon = new Map<string, string>();
  #since = 0;
  /** When the last ones were reported (ms since 1970). */
  #reportedAt: readonly number[] = [];
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
      const now = clock.now();
      if (this.#soon.size === 0) this.#since = now;
      this.#soon.set(event.key, execution.localId);
      const left = Math.max(0, this.#since + delay.longest - now);
      const few = this.#reportedAt.filter((at) => now - at < delay.quiet).length < mostAlone;
      // What may be waiting is often known a moment later.
      const isAlone =
        few && this.#soon.size === 1 && execution.mayBeWaiting !== true && event.isUnseen !== true;
      this.#cancel?.();
      const pause = Math.min(isAlone ? delay.alone : delay.quiet, left);
      this.#cancel = clock.after(pause, () => this.#report());
    }
  }

  #report(): void {
    const soon = [...this.#soon];
    this.#soon.clear();
    if (!this.#options.lease.confirm()) {
      for (const [key] of soon) this.#seen.delete(key);
      return;
    }
    this.#reportedAt = [...this.#reportedAt, this.#options.clock.now()].slice(-mostAlone);
    for (const report of reportsOf(soon.flatMap((each) => this.#claim(...each) ?? []))) {
      const shown =
        "one" in report ? this.#showOne(report.one) : this.#showMany(report.many, report.count);
      shown.catch((error: unknown) => logProblem("Reporting an execution", error));
    }
  }

  /** Undefined if the event is over, turned off or reported by another window. */
  #claim(key: string, localId: string): News | undefined {
    const { store, notified } = this.#options;
    const execution = store.summary(localId);
    const event = execution && this.#eventOf(execution);
    if (execution === undefined || event?.key !== key) return undefined;
    try {
      if (notified.claim(key, localId)) return { execution, event };
    } catch (error) {
      // The next change tries again.
      this.#seen.delete(key);
      logProblem("Reporting an execution", error);
    }
    return undefined;
  }

  async #showOne({ execution, event: { kind, message } }: News): Promise<void> {
    const title = titleOf(execution);
    const { actionsOn, openExecution, tooLateMessage } = await loadParts();
    const chosen = await this.#show(kind, message, actionsOn(execution, kind));
    const now = this.#options.store.summary(execution.localId);
    const tooLate = chosen?.isAnswer === true ? tooLateMessage(execution, title, now) : undefined;
    if (tooLate === undefined) await chosen?.run();
    else {
      if (now !== undefined) await openExecution(now);
      await this.#show(kind, tooLate, []);
    }
  }

  async #showMany(kind: EventKind, count: number): Promise<void> {
    const { store } = this.#options;
    const present = kind === "waiting" ? store.list().filter(waitsForPerson).length : count;
    // All may have been answered meanwhile.
    if (present === 0) return;
    const { actionsOnMany, countMessage } = await loadParts();
    const actions = actionsOnMany(kind, () => store.list());
    const chosen = await this.#show(kind, countMessage(kind, present), actions);
    await chosen?.run();
  }

  async #show(
    kind: EventKind,
    message: string,
    actions: readonly NotificationAction[],
  ): Promise<NotificationAction | undefined> {
    const { show = showMessage } = this.#options;
    const titles = actions.map(({ title }) => title);
    const chosen = await show(kind, message, titles);
    return actions.find(({ title }) => title === chosen);
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

/** With the first notification. */
async function loadParts() {
  const [actions, texts] = await Promise.all([
    import("./notification-actions.ts"),
    import("./notification-texts.ts"),
  ]);
  return { ...actions, ...texts };
}

import * as vscode from "vscode";
import type { Clock } from "../base/clock.ts";
import { logProblem } from "../editor/log.ts";
import { plainMessage } from "../editor/messages.ts";
import type { Lease } from "../executions/lease.ts";
import type { ExecutionSummary } from "../executions/model.ts";
import type { Notified } from "../executions/executions.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { titleOf } from "../executions/title.ts";
import { activeOf } from "./active.ts";
import { eventsOf, type EventKind, type ExecutionEvent } from "./events.ts";
import { countInWords, gathered, type News } from "./gathered.ts";
import {
  actionsOn,
  actionsOnMany,
  openExecution,
  type NotificationAction,
} from "./notification-actions.ts";
import { wantsToHear } from "./notification-settings.ts";

/** What {@link Notifications} needs. */
export interface NotificationsOptions {
  readonly store: Pick<ExecutionStore, "list" | "summary" | "onDidChange">;
  readonly lease: Pick<Lease, "isHeld" | "confirm" | "onDidChange">;
  readonly notified: Pick<Notified, "claim">;
  readonly clock: Clock;
  /** Shows a message with buttons and returns the one that was pressed; VS Code's own where absent. */
  readonly show?: (
    message: Pick<ExecutionEvent, "kind" | "message">,
    buttons: readonly string[],
  ) => PromiseLike<string | undefined>;
}

/** Milliseconds after an event in which others may follow that are reported together with it, and milliseconds after which they are reported in any case. VS Code shows three notifications at a time. */
const gathering = { quiet: 1_500, longest: 10_000 };

/** Tells a person that a task waits, or that an execution has ended: each once, in one window, unless the person's settings say no. Many at once are one notification that counts. */
export class Notifications implements vscode.Disposable {
  readonly #options: NotificationsOptions;
  /** Events this window has looked at already. */
  readonly #seen = new Set<string>();
  /** Local ids of executions by the keys of events that are reported soon. */
  readonly #soon = new Map<string, string>();
  #since = 0;
  #stop: (() => void) | undefined;
  readonly #subscriptions: vscode.Disposable;

  constructor(options: NotificationsOptions) {
    this.#options = options;
    const { store, lease } = options;
    this.#subscriptions = vscode.Disposable.from(
      store.onDidChange(({ added, changed, removed }) => {
        this.#look([...added, ...changed]);
        for (const execution of removed) this.#forget(execution);
      }),
      lease.onDidChange((isHeld) => {
        if (isHeld) this.#look(store.list());
      }),
    );
    if (lease.isHeld) this.#look(store.list());
  }

  dispose(): void {
    this.#stop?.();
    this.#subscriptions.dispose();
  }

  #look(executions: readonly ExecutionSummary[]): void {
    if (!this.#options.lease.isHeld) return;
    const now = this.#options.clock.now();
    for (const execution of executions) {
      for (const event of eventsOf(execution, now)) {
        if (this.#seen.has(event.key) || !wantsToHear(event.kind)) continue;
        this.#seen.add(event.key);
        this.#gather(event.key, execution.localId);
      }
    }
  }

  #gather(key: string, localId: string): void {
    const { clock } = this.#options;
    if (this.#soon.size === 0) this.#since = clock.now();
    this.#soon.set(key, localId);
    this.#stop?.();
    const left = this.#since + gathering.longest - clock.now();
    this.#stop = clock.after(Math.max(0, Math.min(gathering.quiet, left)), () => this.#report());
  }

  #report(): void {
    const { lease } = this.#options;
    const soon = [...this.#soon];
    this.#soon.clear();
    if (!lease.confirm()) {
      for (const [key] of soon) this.#seen.delete(key);
      return;
    }
    const news: News[] = [];
    for (const [key, localId] of soon) {
      const current = this.#newsOf(key, localId);
      if (current !== undefined && this.#claim(key, localId)) news.push(current);
    }
    for (const report of gathered(news)) {
      this.#background(
        "Reporting an execution",
        "one" in report ? this.#showOne(report.one) : this.#showMany(report.many, report.count),
      );
    }
  }

  /** An event that cannot be claimed is not shown; the others are. */
  #claim(key: string, localId: string): boolean {
    try {
      return this.#options.notified.claim(key, localId);
    } catch (error) {
      logProblem("Reporting an execution", error);
      return false;
    }
  }

  /** The event as it is now; undefined where that is over, or the person's settings say no. */
  #newsOf(key: string, localId: string): News | undefined {
    const execution = this.#options.store.summary(localId);
    const event =
      execution && eventsOf(execution, this.#options.clock.now()).find((each) => each.key === key);
    return execution === undefined || event === undefined || !wantsToHear(event.kind)
      ? undefined
      : { execution, event };
  }

  async #showOne({ execution, event }: News): Promise<void> {
    const actions = actionsOn(execution, event);
    const title = titleOf(execution);
    const chosen = await this.#show(event, actions);
    if (chosen?.isAnswer === true) {
      const now = this.#options.store.summary(execution.localId);
      const tooLate = (await import("./late-answer.ts")).tooLateInWords(execution, title, now);
      if (tooLate !== undefined) {
        if (now !== undefined) await openExecution(now);
        await this.#show({ kind: event.kind, message: tooLate }, []);
        return;
      }
    }
    await chosen?.run();
  }

  async #showMany(kind: EventKind, count: number): Promise<void> {
    const { store } = this.#options;
    const waiting = activeOf(store.list()).waiting.length;
    // All of them may have been answered meanwhile.
    if (kind === "waiting" && waiting === 0) return;
    const message = countInWords(kind, kind === "waiting" ? waiting : count);
    const chosen = await this.#show(
      { kind, message },
      actionsOnMany(kind, () => store.list()),
    );
    await chosen?.run();
  }

  async #show(
    message: Pick<ExecutionEvent, "kind" | "message">,
    actions: readonly NotificationAction[],
  ): Promise<NotificationAction | undefined> {
    const { show = showMessage } = this.#options;
    const chosen = await show(
      message,
      actions.map(({ title }) => title),
    );
    return actions.find(({ title }) => title === chosen);
  }

  #forget(execution: ExecutionSummary): void {
    for (const { key } of eventsOf(execution, this.#options.clock.now())) this.#seen.delete(key);
  }

  #background(doing: string, work: Promise<void>): void {
    work.catch((error: unknown) => {
      logProblem(doing, error);
    });
  }
}

/** A failure is a warning, since an error with buttons would stay in the way until it is closed; all of them wait in the bell's list. */
function showMessage(
  { kind, message }: Pick<ExecutionEvent, "kind" | "message">,
  buttons: readonly string[],
): PromiseLike<string | undefined> {
  const text = plainMessage(message);
  return kind === "failed"
    ? vscode.window.showWarningMessage(text, ...buttons)
    : vscode.window.showInformationMessage(text, ...buttons);
}

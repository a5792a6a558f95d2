import * as vscode from "vscode";
import type { Clock } from "../api/clock.ts";
import { logProblem } from "../editor/log.ts";
import { plainMessage } from "../editor/plain.ts";
import type { Intents } from "../executions/intents.ts";
import type { Lease } from "../executions/lease.ts";
import type { Execution } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { eventsOf, type ExecutionEvent } from "./events.ts";
import { actionsOn } from "./notification-actions.ts";
import { wantsToHear } from "./notification-settings.ts";

/** What {@link Notifications} needs. */
export interface NotificationsOptions {
  readonly store: Pick<ExecutionStore, "list" | "onDidChange">;
  readonly lease: Pick<Lease, "isHeld" | "confirm" | "onDidChange">;
  /** Remembers on disk what was told; a folder of its own, apart from the claims of what is sent. */
  readonly told: Pick<Intents, "claim" | "release">;
  readonly clock: Clock;
  /** Shows a message with buttons and returns the one that was pressed; VS Code's own where absent. */
  readonly show?: (event: ExecutionEvent, buttons: readonly string[]) => PromiseLike<string | undefined>;
}

/** Tells a person that a task waits, or that an execution has ended: each once, in one window, unless the person's settings say no. */
export class Notifications implements vscode.Disposable {
  readonly #options: NotificationsOptions;
  /** Events this window has looked at already. */
  readonly #seen = new Set<string>();
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
    this.#subscriptions.dispose();
  }

  #look(executions: readonly Execution[]): void {
    if (!this.#options.lease.isHeld) return;
    const now = this.#options.clock.now();
    for (const execution of executions) {
      for (const event of eventsOf(execution, now)) {
        if (this.#seen.has(event.key) || !wantsToHear(event.kind)) continue;
        this.#seen.add(event.key);
        this.#background("Telling of an execution", this.#tell(execution, event));
      }
    }
  }

  async #tell(execution: Execution, event: ExecutionEvent): Promise<void> {
    const { lease, told, show = showMessage } = this.#options;
    if (!(await lease.confirm())) {
      this.#seen.delete(event.key);
      return;
    }
    if (!(await told.claim(event.key, {}))) return;
    const actions = actionsOn(execution, event);
    const chosen = await show(event, actions.map(({ title }) => title));
    await actions.find(({ title }) => title === chosen)?.run();
  }

  #forget(execution: Execution): void {
    for (const { key } of eventsOf(execution, this.#options.clock.now())) {
      this.#seen.delete(key);
      this.#background("Forgetting what was told", this.#options.told.release(key));
    }
  }

  #background(doing: string, work: Promise<void>): void {
    work.catch((error: unknown) => {
      logProblem(doing, error);
    });
  }
}

/** A failure is a warning, since an error with buttons would stay in the way until it is closed; all of them wait in the bell's list. */
function showMessage({ kind, message }: ExecutionEvent, buttons: readonly string[]): PromiseLike<string | undefined> {
  const text = plainMessage(message);
  return kind === "failed" ? vscode.window.showWarningMessage(text, ...buttons) : vscode.window.showInformationMessage(text, ...buttons);
}

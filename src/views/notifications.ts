import * as vscode from "vscode";
import { logProblem } from "../editor/log.ts";
import { plainMessage } from "../editor/plain.ts";
import type { Intents } from "../executions/intents.ts";
import type { Lease } from "../executions/lease.ts";
import { keyOf, type Execution } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { eventsOf, type ExecutionEvent } from "./events.ts";

/** What {@link Notifications} needs. */
export interface NotificationsOptions {
  readonly store: Pick<ExecutionStore, "list" | "onDidChange">;
  readonly lease: Pick<Lease, "isHeld" | "confirm" | "onDidChange">;
  /** Remembers on disk what was told; a folder of its own, apart from the claims of what is sent. */
  readonly told: Pick<Intents, "claim" | "release">;
}

/** Tells a person that a task waits: once, in one window. */
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
    for (const execution of executions) {
      for (const event of eventsOf(execution)) {
        if (this.#seen.has(event.key)) continue;
        this.#seen.add(event.key);
        this.#background("Telling that an execution waits", this.#tell(execution, event));
      }
    }
  }

  async #tell(execution: Execution, { key, message }: ExecutionEvent): Promise<void> {
    const { lease, told } = this.#options;
    if (!(await lease.confirm())) {
      this.#seen.delete(key);
      return;
    }
    if (!(await told.claim(key, {}))) return;
    const open = vscode.l10n.t("Open");
    const chosen = await vscode.window.showInformationMessage(plainMessage(message), open);
    if (chosen === open) await vscode.commands.executeCommand("crewdeck.openExecution", { kind: "execution", crew: execution.crew.id, kickoffId: keyOf(execution) });
  }

  #forget(execution: Execution): void {
    for (const { key } of eventsOf(execution)) {
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

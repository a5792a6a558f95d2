import * as vscode from "vscode";
import { logProblem } from "../editor/log.ts";
import { plainMessage } from "../editor/plain.ts";
import type { Intents } from "../executions/intents.ts";
import type { Lease } from "../executions/lease.ts";
import { keyOf, type Execution } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Tracker } from "../executions/tracker.ts";
import { eventsOf, type ExecutionEvent } from "./events.ts";
import { TokenPrompts } from "./token-prompts.ts";

/** What {@link Notifications} needs. */
export interface NotificationsOptions {
  readonly store: Pick<ExecutionStore, "list" | "onDidChange">;
  readonly tracker: Pick<Tracker, "onDidPark" | "onDidChange" | "parkedCrews">;
  readonly lease: Pick<Lease, "isHeld" | "confirm" | "onDidChange">;
  /** Remembers on disk what was told; a folder of its own, apart from the claims of what is sent. */
  readonly told: Pick<Intents, "all" | "claim" | "release">;
}

/** Tells a person that a task waits, or that a crew wants another token: once, in one window. */
export class Notifications implements vscode.Disposable {
  readonly #options: NotificationsOptions;
  /** Events this window has looked at already. */
  readonly #seen = new Set<string>();
  readonly #tokenPrompts: TokenPrompts;
  readonly #subscriptions: vscode.Disposable;

  constructor(options: NotificationsOptions) {
    this.#options = options;
    const { store, tracker, lease, told } = options;
    this.#tokenPrompts = new TokenPrompts(told);
    this.#subscriptions = vscode.Disposable.from(
      store.onDidChange(({ added, changed, removed }) => {
        this.#look([...added, ...changed]);
        for (const execution of removed) this.#forget(execution);
      }),
      lease.onDidChange((isHeld) => {
        if (isHeld) this.#look(store.list());
      }),
      tracker.onDidPark(({ crew }) => {
        this.#background("Asking for another token", this.#askForToken(crew));
      }),
      tracker.onDidChange(() => {
        this.#background("Noting which crews take their token", this.#tokenPrompts.keep(tracker.parkedCrews()));
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

  async #askForToken(crew: { readonly id: string; readonly name: string }): Promise<void> {
    if (!(await this.#options.lease.confirm())) return;
    // Meanwhile the crew may have got another token.
    if (!this.#options.tracker.parkedCrews().has(crew.id) || !(await this.#tokenPrompts.begin(crew.id))) return;
    const isLocal = crew.id.startsWith("local:");
    const replace = isLocal ? vscode.l10n.t("Start Local Crew") : vscode.l10n.t("Replace Token");
    const message = vscode.l10n.t("{0} no longer takes the token, so its executions are not asked for.", crew.name);
    const chosen = await vscode.window.showErrorMessage(plainMessage(message), replace);
    if (chosen !== replace) return;
    if (isLocal) await vscode.commands.executeCommand("crewdeck.startLocalCrew", { kind: "crew", folder: crew.id.slice("local:".length) });
    else await vscode.commands.executeCommand("crewdeck.setToken", { kind: "crew", crew: crew.id });
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

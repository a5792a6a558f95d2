import * as vscode from "vscode";
import { logProblem } from "../editor/log.ts";
import { plainMessage } from "../editor/plain.ts";
import type { Intents } from "../executions/intents.ts";
import type { Lease } from "../executions/lease.ts";
import type { Tracker } from "../executions/tracker.ts";
import { TokenPrompts } from "./token-prompts.ts";

/** What {@link RefusedTokens} needs. */
export interface RefusedTokensOptions {
  readonly tracker: Pick<Tracker, "onDidPark" | "onDidChange" | "parkedCrews">;
  readonly lease: Pick<Lease, "confirm">;
  /** Remembers on disk which window asked. */
  readonly told: Pick<Intents, "all" | "claim" | "release">;
}

/** Asks a person for another token when a crew that is watched refuses the one it gets: once, in one window. */
export class RefusedTokens implements vscode.Disposable {
  readonly #options: RefusedTokensOptions;
  readonly #prompts: TokenPrompts;
  readonly #subscriptions: vscode.Disposable;

  constructor(options: RefusedTokensOptions) {
    this.#options = options;
    const { tracker, told } = options;
    this.#prompts = new TokenPrompts(told);
    this.#subscriptions = vscode.Disposable.from(
      tracker.onDidPark(({ crew }) => {
        this.#background("Asking for another token", this.#ask(crew));
      }),
      tracker.onDidChange(() => {
        this.#background("Noting which crews take their token", this.#prompts.keep(tracker.parkedCrews()));
      }),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  async #ask(crew: { readonly id: string; readonly name: string }): Promise<void> {
    const { lease, tracker } = this.#options;
    if (!(await lease.confirm())) return;
    // Meanwhile the crew may have got another token.
    if (!tracker.parkedCrews().has(crew.id) || !(await this.#prompts.begin(crew.id))) return;
    const isLocal = crew.id.startsWith("local:");
    const replace = isLocal ? vscode.l10n.t("Start Local Crew") : vscode.l10n.t("Replace Token");
    const message = vscode.l10n.t("{0} no longer takes the token, so its executions are not asked for.", crew.name);
    const chosen = await vscode.window.showErrorMessage(plainMessage(message), replace);
    if (chosen !== replace) return;
    if (isLocal) await vscode.commands.executeCommand("crewdeck.startLocalCrew", { kind: "crew", folder: crew.id.slice("local:".length) });
    else await vscode.commands.executeCommand("crewdeck.setToken", { kind: "crew", crew: crew.id });
  }

  #background(doing: string, work: Promise<void>): void {
    work.catch((error: unknown) => {
      logProblem(doing, error);
    });
  }
}

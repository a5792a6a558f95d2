import * as vscode from "vscode";
import type { CrewApiError } from "../api/errors.ts";
import { describeTokenType } from "../crews/token-format.ts";
import { actionsOf } from "../base/errors.ts";
import { logProblem } from "../editor/log.ts";
import { plainMessage, runAction } from "../editor/messages.ts";
import type { Lease } from "../executions/lease.ts";
import type { Tracker } from "../executions/tracker.ts";
import type { Database } from "../store/database.ts";
import { TokenPrompts } from "./token-prompts.ts";

/** What {@link RefusedTokens} needs. */
export interface RefusedTokensOptions {
  readonly tracker: Pick<Tracker, "onDidPark" | "onDidChange" | "parkedCrews">;
  readonly lease: Pick<Lease, "confirm">;
  /** Remembers which window asked. */
  readonly database: Database;
}

/** Asks a person for another token when a crew that is watched refuses the one it gets: once, in one window. */
export class RefusedTokens implements vscode.Disposable {
  readonly #options: RefusedTokensOptions;
  readonly #prompts: TokenPrompts;
  readonly #subscriptions: vscode.Disposable;

  constructor(options: RefusedTokensOptions) {
    this.#options = options;
    const { tracker, database } = options;
    this.#prompts = new TokenPrompts(database);
    this.#subscriptions = vscode.Disposable.from(
      tracker.onDidPark(({ crew, error }) => {
        this.#background("Asking for another token", this.#ask(crew, error));
      }),
      tracker.onDidChange(() => {
        this.#prompts.keep(tracker.parkedCrews());
      }),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  async #ask(
    crew: { readonly id: string; readonly name: string },
    error: CrewApiError,
  ): Promise<void> {
    const { lease, tracker } = this.#options;
    if (!lease.confirm()) return;
    // Meanwhile the crew may have got another token.
    if (!tracker.parkedCrews().has(crew.id) || !this.#prompts.begin(crew.id)) return;
    const actions = actionsOf(error);
    const chosen = await vscode.window.showErrorMessage(
      plainMessage(messageFor(crew.name, error)),
      ...actions.map(({ title }) => title),
    );
    const action = actions.find(({ title }) => title === chosen);
    if (action !== undefined) await runAction(action);
  }

  #background(doing: string, work: Promise<void>): void {
    work.catch((error: unknown) => {
      logProblem(doing, error);
    });
  }
}

function messageFor(crew: string, { tokenType }: CrewApiError): string {
  return tokenType === undefined
    ? vscode.l10n.t("“{0}” no longer accepts the token, so its executions are not asked for.", crew)
    : vscode.l10n.t(
        "“{0}” no longer accepts {1}, so its executions are not asked for.",
        crew,
        describeTokenType(tokenType),
      );
}

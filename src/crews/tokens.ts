import * as vscode from "vscode";
import { defined } from "../base/json.ts";
import { logProblem } from "../editor/log.ts";
import { stateByCrew, type StateByCrew, tokenNotesKey } from "./state-by-crew.ts";
import { cleanToken, parseEntry } from "./token-format.ts";
import type { CrewTokens, TokenState } from "./types.ts";

const prefix = "crewdeck.token.";

type TokenReading =
  | { readonly kind: "stored"; readonly tokens: CrewTokens }
  | Exclude<TokenState, { kind: "stored" }>;

/** Not cached: not every change in another window fires an event (observed in VS Code's server). */
export class Tokens implements vscode.Disposable {
  readonly #secrets: vscode.SecretStorage;
  /** For which crews there is one: SecretStorage doesn't list them. */
  readonly #notes: StateByCrew<unknown>;
  readonly #changed = new vscode.EventEmitter<string>();
  readonly #subscription: vscode.Disposable;

  constructor(secrets: vscode.SecretStorage, memento: vscode.Memento) {
    this.#secrets = secrets;
    this.#notes = stateByCrew(memento, tokenNotesKey, (note) => note);
    this.#subscription = secrets.onDidChange(({ key }) => {
      if (key.startsWith(prefix)) this.#changed.fire(key.slice(prefix.length));
    });
  }

  readonly onDidChange = this.#changed.event;

  async read(crewId: string): Promise<TokenReading> {
    try {
      const tokens = parseEntry((await this.#secrets.get(prefix + crewId)) ?? "");
      return tokens === undefined ? { kind: "none" } : { kind: "stored", tokens };
    } catch (error) {
      logProblem("Reading the secret storage", error);
      return { kind: "locked" };
    }
  }

  async write(crewId: string, { inUse, bearer, userBearer }: CrewTokens): Promise<void> {
    const tokens = defined({
      bearer: bearer && cleanToken(bearer),
      userBearer: userBearer && cleanToken(userBearer),
    });
    await this.#secrets.store(prefix + crewId, JSON.stringify({ inUse, ...tokens }));
    await this.#notes.write(crewId, true);
  }

  async delete(crewId: string): Promise<void> {
    await this.#secrets.delete(prefix + crewId);
    await this.#notes.delete(crewId);
  }

  crewIds(): readonly string[] {
    return this.#notes.crewIds();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}

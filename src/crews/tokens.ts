import * as vscode from "vscode";
import { messageOf } from "../base/errors.ts";
import { defined } from "../base/json.ts";
import { log, logProblem } from "../editor/log.ts";
import type { TokenNotes } from "./state-by-crew.ts";
import { cleanToken, formatEntry, parseEntry } from "./token-format.ts";
import type { CrewTokens, TokenState } from "./types.ts";

const prefix = "crewdeck.token.";

type TokenReading =
  | { readonly kind: "stored"; readonly tokens: CrewTokens }
  | Exclude<TokenState, { kind: "stored" }>;

/** Not cached: not every change in another window fires an event (observed in VS Code's server). */
export class Tokens implements vscode.Disposable {
  readonly #secrets: vscode.SecretStorage;
  readonly #notes: TokenNotes;
  readonly #changed = new vscode.EventEmitter<string>();
  readonly #subscription: vscode.Disposable;

  constructor(secrets: vscode.SecretStorage, notes: TokenNotes) {
    this.#secrets = secrets;
    this.#notes = notes;
    this.#subscription = secrets.onDidChange(({ key }) => {
      if (key.startsWith(prefix)) this.#changed.fire(key.slice(prefix.length));
    });
  }

  /** Fires with a crew's id, but not always for changes in another window. */
  readonly onDidChange = this.#changed.event;

  /** Never throws: a failing storage, such as a locked keychain, gives `lost`. */
  async read(crewId: string): Promise<TokenReading> {
    let stored: string | undefined;
    try {
      stored = await this.#secrets.get(prefix + crewId);
    } catch (error) {
      logProblem("Reading the secret storage", error);
      return { kind: "lost", why: "locked" };
    }
    if (stored === undefined)
      return this.#notes.read(crewId) ? { kind: "lost", why: "gone" } : { kind: "none" };
    const tokens = parseEntry(stored);
    return tokens === undefined ? { kind: "lost", why: "garbled" } : { kind: "stored", tokens };
  }

  async write(crewId: string, { inUse, bearer, userBearer }: CrewTokens): Promise<void> {
    const tokens = defined({
      bearer: bearer && cleanToken(bearer),
      userBearer: userBearer && cleanToken(userBearer),
    });
    await this.#secrets.store(prefix + crewId, formatEntry({ inUse, ...tokens }));
    await this.#notes.write(crewId, true);
  }

  async delete(crewId: string): Promise<void> {
    await this.#secrets.delete(prefix + crewId);
    await this.#notes.delete(crewId);
  }

  async crewIds(): Promise<readonly string[]> {
    const keys = (await this.#keys()).filter((key) => key.startsWith(prefix));
    return [...new Set([...this.#notes.crewIds(), ...keys.map((key) => key.slice(prefix.length))])];
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  /** Newer versions of VS Code have `keys`; in some it is a proposed API, which throws. */
  async #keys(): Promise<readonly string[]> {
    const secrets: vscode.SecretStorage & { keys?: () => Thenable<readonly string[]> } =
      this.#secrets;
    try {
      return (await secrets.keys?.()) ?? [];
    } catch (error) {
      log.debug(`SecretStorage does not list its keys: ${messageOf(error)}`);
      return [];
    }
  }
}

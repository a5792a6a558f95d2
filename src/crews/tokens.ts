import * as vscode from "vscode";
import { messageOf, UserError } from "../base/errors.ts";
import { log, logProblem } from "../editor/log.ts";
import { formatEntry, parseEntry, tokenTypes } from "./token-entry.ts";
import type { TokenNotes } from "./token-notes.ts";
import { tokenIn, tokenProblem } from "./token-text.ts";
import type { CrewTokens, TokenLoss } from "./types.ts";

const prefix = "crewdeck.token.";

/** What the machine's store of secrets says of a crew. */
export type TokenReading =
  | { readonly kind: "stored"; readonly tokens: CrewTokens }
  /** This machine never had one. */
  | { readonly kind: "none" }
  /** This machine had one, and its store does not give it back. */
  | { readonly kind: "lost"; readonly why: TokenLoss };

/**
 * The tokens in VS Code's SecretStorage, one entry for each crew id with both kinds in it. Nothing is kept in memory: each read
 * asks the storage, because another window may have changed it and the change's event does not always arrive (observed in VS Code's server).
 */
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

  /** The id of a crew whose tokens changed, here or (a hint only) in another window. */
  readonly onDidChange = this.#changed.event;

  /** Reads a crew's tokens. Never throws: a storage that fails, such as a locked keychain, is told apart from a crew that refuses a token. */
  async read(crewId: string): Promise<TokenReading> {
    let stored: string | undefined;
    try {
      stored = await this.#secrets.get(prefix + crewId);
    } catch (error) {
      logProblem("Reading the secret storage", error);
      return { kind: "lost", why: "locked" };
    }
    if (stored === undefined)
      return this.#notes.read(crewId).length === 0
        ? { kind: "none" }
        : { kind: "lost", why: "gone" };
    const tokens = parseEntry(stored);
    return tokens === undefined ? { kind: "lost", why: "garbled" } : { kind: "stored", tokens };
  }

  /** Stores a crew's tokens in the place of those before. Throws {@link UserError} for what can be no token. */
  async write(crewId: string, tokens: CrewTokens): Promise<void> {
    const { bearer, userBearer } = tokens;
    const clean = {
      inUse: tokens.inUse,
      ...(bearer === undefined ? {} : { bearer: cleanToken(bearer) }),
      ...(userBearer === undefined ? {} : { userBearer: cleanToken(userBearer) }),
    };
    await this.#secrets.store(prefix + crewId, formatEntry(clean));
    await this.#notes.write(
      crewId,
      tokenTypes.filter((type) => clean[type] !== undefined),
    );
  }

  /** Deletes both tokens of a crew; no error when there is none. */
  async delete(crewId: string): Promise<void> {
    await this.#secrets.delete(prefix + crewId);
    await this.#notes.delete(crewId);
  }

  /** The crews that have tokens here, as far as that is known: by the notes, and by VS Code's own list where it gives one. */
  async crewIds(): Promise<readonly string[]> {
    const ids = (await this.#keys())
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length));
    return [...new Set([...this.#notes.crewIds(), ...ids])];
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  /**
   * All that VS Code keeps for the extension. Versions later than the oldest that is supported list it; there `keys` is a proposal,
   * which Microsoft's builds have and refuse by throwing. The notes are what is known then, which is no problem to tell of.
   */
  async #keys(): Promise<readonly string[]> {
    if (!isListed(this.#secrets)) return [];
    try {
      return await this.#secrets.keys();
    } catch (error) {
      log.debug(`The store of secrets does not list what is in it: ${messageOf(error)}`);
      return [];
    }
  }
}

function isListed(
  secrets: vscode.SecretStorage,
): secrets is vscode.SecretStorage & { keys(): Thenable<readonly string[]> } {
  return "keys" in secrets && typeof secrets.keys === "function";
}

/** The token in a text. Throws {@link UserError}, which does not quote it, for what can be no token. */
export function cleanToken(text: string): string {
  const token = tokenIn(text);
  const problem = describeTokenProblem(token);
  if (problem !== undefined) throw new UserError(problem);
  return token;
}

/** What is wrong with a token, as a sentence that does not quote it. */
export function describeTokenProblem(token: string): string | undefined {
  switch (tokenProblem(token)) {
    case "empty":
      return vscode.l10n.t("Paste the token.");
    case "notOneWord":
      return vscode.l10n.t(
        "A token is one word of letters, digits and signs. This has a space, a line break or another character in it.",
      );
    case "tooLong":
      return vscode.l10n.t("This is too long for a token.");
    case undefined:
      return undefined;
  }
}

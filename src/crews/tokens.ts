import * as vscode from "vscode";
import { UserError } from "../editor/errors.ts";
import { logProblem } from "../editor/log.ts";
import { tokenIn, tokenProblem } from "./token-text.ts";
import type { StoredToken } from "./types.ts";

const prefix = "crewdeck.token.";

/**
 * The tokens in VS Code's SecretStorage, one entry for each crew id. Nothing is kept in memory: each read asks the
 * storage, because another window may have changed it and the change's event does not always arrive (observed in VS Code's server).
 */
export class Tokens implements vscode.Disposable {
  readonly #secrets: vscode.SecretStorage;
  readonly #changed = new vscode.EventEmitter<string>();
  readonly #subscription: vscode.Disposable;

  constructor(secrets: vscode.SecretStorage) {
    this.#secrets = secrets;
    this.#subscription = secrets.onDidChange(({ key }) => {
      if (key.startsWith(prefix)) this.#changed.fire(key.slice(prefix.length));
    });
  }

  /** The id of a crew whose token was set or deleted, here or (a hint only) in another window. */
  readonly onDidChange = this.#changed.event;

  /** The token of a crew, or nothing where this machine has none. Throws {@link UserError} when an entry is there and cannot be read. */
  async read(crewId: string): Promise<StoredToken | undefined> {
    const stored = await this.#stored(crewId);
    if (stored === undefined) return undefined;
    const token = parse(stored);
    if (token !== undefined) return token;
    throw new UserError(vscode.l10n.t("The stored token cannot be read back. Set it again."), [
      { title: vscode.l10n.t("Set Token"), command: "crewdeck.setToken", arguments: [{ crew: crewId }] },
    ]);
  }

  /** A failure of the storage itself, such as a locked keychain, comes before any request: it must not read like a lost answer. */
  async #stored(crewId: string): Promise<string | undefined> {
    try {
      return await this.#secrets.get(prefix + crewId);
    } catch (error) {
      logProblem("Reading the secret storage", error);
      throw new UserError(vscode.l10n.t("This machine's secret storage, which keeps the token, cannot be read. Unlock it and try again."));
    }
  }

  /** Stores a token in the place of the one before. Throws {@link UserError} for what can be no token. */
  async write(crewId: string, { token, type }: StoredToken): Promise<void> {
    await this.#secrets.store(prefix + crewId, JSON.stringify({ token: cleanToken(token), type }));
  }

  /** Deletes a token; no error when there is none. */
  async delete(crewId: string): Promise<void> {
    await this.#secrets.delete(prefix + crewId);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
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
      return vscode.l10n.t("A token is one word of letters, digits and signs. This has a space, a line break or another character in it.");
    case "tooLong":
      return vscode.l10n.t("This is too long for a token.");
    case undefined:
      return undefined;
  }
}

function parse(stored: string): StoredToken | undefined {
  let value: unknown;
  try {
    value = JSON.parse(stored);
  } catch {
    // The parser's message would quote the secret; the caller tells that it cannot be read.
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("token" in value) || !("type" in value)) return undefined;
  const { token, type } = value;
  if (typeof token !== "string" || (type !== "bearer" && type !== "userBearer")) return undefined;
  return { token, type };
}

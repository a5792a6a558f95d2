import type * as vscode from "vscode";
import type { TokenType } from "../api/types.ts";
import { tokenTypes } from "./token-entry.ts";

/** Where the notes are kept in VS Code's global state. */
export const tokenNotesKey = "crewdeck.storedTokens";

/**
 * Which kinds of token were stored for which crew on this machine, never the tokens. By it a token that the machine's store
 * of secrets has lost is told from one that was never there. Windows that are open at once may not see each other's notes.
 */
export class TokenNotes {
  readonly #memento: vscode.Memento;

  constructor(memento: vscode.Memento) {
    this.#memento = memento;
  }

  /** The kinds that were stored for a crew and not deleted since. */
  read(crewId: string): readonly TokenType[] {
    const noted: unknown = this.#all()[crewId];
    return Array.isArray(noted) ? tokenTypes.filter((type) => noted.includes(type)) : [];
  }

  /** The crews that have a stored token by these notes. */
  crewIds(): readonly string[] {
    return Object.keys(this.#all());
  }

  async write(crewId: string, types: readonly TokenType[]): Promise<void> {
    if (this.read(crewId).join() !== types.join())
      await this.#memento.update(tokenNotesKey, { ...this.#all(), [crewId]: types });
  }

  async delete(crewId: string): Promise<void> {
    const { [crewId]: gone, ...others } = this.#all();
    if (gone !== undefined)
      await this.#memento.update(
        tokenNotesKey,
        Object.keys(others).length === 0 ? undefined : others,
      );
  }

  #all(): Readonly<Record<string, unknown>> {
    const kept: unknown = this.#memento.get(tokenNotesKey);
    return typeof kept === "object" && kept !== null ? { ...kept } : {};
  }
}

import type * as vscode from "vscode";
import { asObject, type UnknownObject } from "../base/json.ts";

export const tokenNotesKey = "crewdeck.storedTokens";
export const stopRoutesKey = "crewdeck.stopRoutes";

/** Values by crew id in VS Code's global state, which open windows may not share. */
export class StateByCrew<T> {
  readonly #memento: vscode.Memento;
  readonly #key: string;
  readonly #parse: (value: unknown) => T;

  constructor(memento: vscode.Memento, key: string, parse: (value: unknown) => T) {
    this.#memento = memento;
    this.#key = key;
    this.#parse = parse;
  }

  read(crewId: string): T {
    return this.#parse(this.#all()[crewId]);
  }

  crewIds(): readonly string[] {
    return Object.keys(this.#all());
  }

  async write(crewId: string, value: T): Promise<void> {
    if (JSON.stringify(this.read(crewId)) !== JSON.stringify(value))
      await this.#memento.update(this.#key, { ...this.#all(), [crewId]: value });
  }

  async delete(crewId: string): Promise<void> {
    const { [crewId]: gone, ...others } = this.#all();
    const isEmpty = Object.keys(others).length === 0;
    if (gone !== undefined) await this.#memento.update(this.#key, isEmpty ? undefined : others);
  }

  #all(): UnknownObject {
    return asObject(this.#memento.get(this.#key));
  }
}

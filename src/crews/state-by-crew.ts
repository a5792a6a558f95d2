import type * as vscode from "vscode";
import { asObject, type UnknownObject } from "../base/json.ts";

export const tokenNotesKey = "crewdeck.storedTokens";
export const stopRoutesKey = "crewdeck.stopRoutes";

export type StateByCrew<T> = ReturnType<typeof stateByCrew<T>>;

/** Values by crew id in VS Code's global state, which open windows may not share. */
export function stateByCrew<T>(memento: vscode.Memento, key: string, parse: (value: unknown) => T) {
  const all = (): UnknownObject => asObject(memento.get(key));
  const read = (crewId: string): T => parse(all()[crewId]);
  return {
    read,
    crewIds: (): readonly string[] => Object.keys(all()),
    async write(crewId: string, value: T): Promise<void> {
      if (JSON.stringify(read(crewId)) !== JSON.stringify(value))
        await memento.update(key, { ...all(), [crewId]: value });
    },
    async delete(crewId: string): Promise<void> {
      const { [crewId]: gone, ...others } = all();
      const isEmpty = Object.keys(others).length === 0;
      if (gone !== undefined) await memento.update(key, isEmpty ? undefined : others);
    },
  };
}

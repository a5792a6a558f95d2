import { asObject } from "../../base/json.ts";
import type { Database } from "../../store/database.ts";
import type { Prefill } from "../callbacks.ts";
import { crewValues, type CrewValues } from "../crew-values.ts";
import { readKickoffJson } from "../kickoff-json.ts";

/** Without secrets. */
export interface Preset {
  readonly name: string;
  readonly values: Prefill;
}

/** Each crew's presets, sorted by name. Methods throw the database's errors. */
export class Presets {
  readonly #values: CrewValues<readonly Preset[]>;

  constructor(database: Database, onUnreadable: (error: unknown, crewId: string) => void) {
    this.#values = crewValues(database, "presets", parsePresets, onUnreadable);
  }

  list(crewId: string): readonly Preset[] {
    return this.#values.get(crewId) ?? [];
  }

  save(crewId: string, name: string, given: Prefill): void {
    this.#put(crewId, [{ name, values: checked(given) }]);
  }

  rename(crewId: string, from: string, to: string): void {
    this.#change(crewId, (presets) => {
      const renamed = presets.find(({ name }) => name === from);
      return renamed === undefined
        ? presets
        : [...without(presets, from, to), { ...renamed, name: to }];
    });
  }

  delete(crewId: string, name: string): void {
    this.#change(crewId, (presets) => without(presets, name));
  }

  forget(crewId: string): void {
    this.#values.set(crewId, undefined);
  }

  /** The new ID may have presets; those of the same names are replaced. */
  move(from: string, to: string): void {
    this.#put(to, this.list(from));
    this.forget(from);
  }

  #put(crewId: string, added: readonly Preset[]): void {
    const names = added.map(({ name }) => name);
    this.#change(crewId, (presets) => [...without(presets, ...names), ...added]);
  }

  #change(crewId: string, change: (presets: readonly Preset[]) => readonly Preset[]): void {
    this.#values.change(crewId, (known = []) => {
      const presets = [...change(known)].sort((one, other) => one.name.localeCompare(other.name));
      return presets.length === 0 ? undefined : presets;
    });
  }
}

function without(presets: readonly Preset[], ...names: readonly string[]): readonly Preset[] {
  return presets.filter((preset) => !names.includes(preset.name));
}

function parsePresets(raw: unknown): readonly Preset[] {
  if (!Array.isArray(raw)) throw new TypeError("The presets aren't a list.");
  return raw.map((preset) => {
    const { name, values } = asObject(preset);
    if (typeof name !== "string") throw new TypeError("A preset has no name.");
    return { name, values: checked(values) };
  });
}

/** Without secrets. @throws TypeError if invalid */
function checked(given: unknown): Prefill {
  const { values, root, faults } = readKickoffJson(JSON.stringify(given ?? null));
  if (root === undefined || faults.some(({ kind }) => kind === "wrongType"))
    throw new TypeError("A preset's values are invalid.");
  return values;
}

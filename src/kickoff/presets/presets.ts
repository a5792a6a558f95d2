import * as v from "valibot";
import type { JsonObject, JsonValue } from "../../api/types.ts";
import type { Database } from "../../store/database.ts";
import type { Prefill } from "../callbacks.ts";
import { CrewValues } from "../crew-values.ts";

/** A named set of values for a crew's form, without secrets. */
export interface Preset {
  /** Unique for the crew. */
  readonly name: string;
  readonly values: Prefill;
}

const json: v.GenericSchema<unknown, JsonValue> = v.lazy(() =>
  v.union([v.string(), v.number(), v.boolean(), v.null(), v.array(json), jsonObject]),
);
// v.record leaves out a member named `__proto__`, but an input may have any name.
const jsonObject = v.custom<JsonObject>(
  (value) =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((member) => v.is(json, member)),
);
const address = v.exactOptional(v.string());
const bearer = v.object({ strategy: v.literal("bearer") });
/** Only these are stored, none of which is secret. */
const values: v.GenericSchema<unknown, Prefill> = v.object({
  inputs: v.exactOptional(jsonObject),
  meta: v.exactOptional(jsonObject),
  taskWebhookUrl: address,
  stepWebhookUrl: address,
  crewWebhookUrl: address,
  humanInputWebhookUrl: address,
  humanInputWebhook: v.exactOptional(
    v.object({
      url: v.string(),
      authentication: v.exactOptional(
        v.union([bearer, v.object({ strategy: v.literal("basic"), username: v.string() })]),
      ),
    }),
  ),
  webhooks: v.exactOptional(
    v.object({
      events: v.array(v.string()),
      url: v.string(),
      realtime: v.exactOptional(v.boolean()),
      authentication: v.exactOptional(bearer),
    }),
  ),
});
const presetList = v.array(v.object({ name: v.string(), values }));

/** The presets of each crew, sorted by name. Methods throw the database's errors. */
export class Presets {
  readonly #values: CrewValues<readonly Preset[]>;

  constructor(database: Database, onUnreadable: (error: unknown, crewId: string) => void) {
    const parse = (raw: unknown) => v.parse(presetList, raw);
    this.#values = new CrewValues(database, "presets", parse, onUnreadable);
  }

  list(crewId: string): readonly Preset[] {
    return this.#values.get(crewId) ?? [];
  }

  /** Replaces a preset of the same name. */
  save(crewId: string, name: string, given: Prefill): void {
    this.#put(crewId, [{ name, values: v.parse(values, given) }]);
  }

  /** Replaces a preset of the new name. */
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

  /** The crew has another id, which may have presets; those of the same names are replaced. */
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

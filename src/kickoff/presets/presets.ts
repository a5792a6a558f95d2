import * as v from "valibot";
import type { JsonObject, JsonValue } from "../../api/types.ts";
import { CrewValues, type CrewValuesOptions } from "../crew-values.ts";
import type { Prefill } from "../form/values.ts";

/** A named set of values for a crew's form; without secrets. */
export interface Preset {
  /** Unique among the presets of its crew. */
  readonly name: string;
  readonly values: Prefill;
}

const json: v.GenericSchema<unknown, JsonValue> = v.lazy(() =>
  v.union([v.string(), v.number(), v.boolean(), v.null(), v.array(json), jsonObject]),
);
// Not v.record, which leaves out a member named `__proto__`; an input may have any name.
const jsonObject = v.custom<JsonObject>(
  (value) =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((member) => v.is(json, member)),
);
const address = v.exactOptional(v.string());
const bearer = v.object({ strategy: v.literal("bearer") });
/** What is no secret, by name: all else is dropped. */
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

/** The presets of every crew, on this machine, in the order of their names. Methods throw what the database does. */
export class Presets {
  readonly #values: CrewValues<readonly Preset[]>;

  constructor(options: Pick<CrewValuesOptions<never>, "database" | "onUnreadable">) {
    this.#values = new CrewValues({
      ...options,
      kind: "presets",
      parse: (raw) => v.parse(presetList, raw),
    });
  }

  list(crewId: string): readonly Preset[] {
    return this.#values.get(crewId) ?? [];
  }

  /** Keeps values under a name, in the place of those before. */
  save(crewId: string, name: string, given: Prefill): void {
    this.#change(crewId, (presets) => [
      ...without(presets, name),
      { name, values: v.parse(values, given) },
    ]);
  }

  /** Gives a preset another name, in the place of one that has it. */
  rename(crewId: string, from: string, to: string): void {
    this.#change(crewId, (presets) => {
      const renamed = presets.find(({ name }) => name === from);
      return renamed === undefined
        ? presets
        : [...without(without(presets, from), to), { ...renamed, name: to }];
    });
  }

  delete(crewId: string, name: string): void {
    this.#change(crewId, (presets) => without(presets, name));
  }

  /** Forgets a crew. */
  forget(crewId: string): void {
    this.#values.set(crewId, undefined);
  }

  /** A crew has another id now. Presets that are there already stay, unless one of the same name comes. */
  move(from: string, to: string): void {
    const moved = this.list(from);
    this.#change(to, (there) => [
      ...moved.reduce((rest, { name }) => without(rest, name), there),
      ...moved,
    ]);
    this.forget(from);
  }

  #change(crewId: string, change: (presets: readonly Preset[]) => readonly Preset[]): void {
    this.#values.change(crewId, (known) => {
      const presets = [...change(known ?? [])].sort((one, other) =>
        one.name.localeCompare(other.name),
      );
      return presets.length === 0 ? undefined : presets;
    });
  }
}

function without(presets: readonly Preset[], name: string): readonly Preset[] {
  return presets.filter((preset) => preset.name !== name);
}

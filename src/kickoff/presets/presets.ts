import * as v from "valibot";
import type { JsonObject, JsonValue } from "../../api/types.ts";
import { CrewFiles, type CrewFilesOptions } from "../crew-files.ts";
import type { Prefill } from "../values.ts";

/** A named set of values for a crew's form; without secrets. */
export interface Preset {
  /** Unique among the presets of its crew. */
  readonly name: string;
  readonly values: Prefill;
}

interface Kept {
  readonly presets: readonly Preset[];
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
const file = v.object({
  version: v.literal(1),
  crew: v.string(),
  presets: v.array(v.object({ name: v.string(), values })),
});

/** The presets of every crew, on this machine, in the order of their names. */
export class Presets {
  readonly #files: CrewFiles<Kept>;

  constructor(options: Omit<CrewFilesOptions<Kept>, "parse">) {
    this.#files = new CrewFiles({
      ...options,
      parse: (raw) => ({ presets: v.parse(file, raw).presets }),
    });
  }

  async list(crewId: string): Promise<readonly Preset[]> {
    return (await this.#files.read(crewId))?.presets ?? [];
  }

  /** How many there are, of all crews. */
  async count(): Promise<number> {
    return (await this.#files.all()).reduce((sum, { presets }) => sum + presets.length, 0);
  }

  /** Keeps values under a name, in the place of those before. False where that failed, which is told. */
  save(crewId: string, name: string, given: Prefill): Promise<boolean> {
    return this.#change(crewId, (presets) => [
      ...without(presets, name),
      { name, values: v.parse(values, given) },
    ]);
  }

  /** Gives a preset another name, in the place of one that has it. */
  rename(crewId: string, from: string, to: string): Promise<boolean> {
    return this.#change(crewId, (presets) => {
      const renamed = presets.find(({ name }) => name === from);
      return renamed === undefined
        ? presets
        : [...without(without(presets, from), to), { ...renamed, name: to }];
    });
  }

  delete(crewId: string, name: string): Promise<boolean> {
    return this.#change(crewId, (presets) => without(presets, name));
  }

  /** Forgets a crew. */
  async forget(crewId: string): Promise<void> {
    await this.#files.change(crewId, () => undefined);
  }

  /** A crew goes by another id now. Presets that are there already stay, unless one of the same name comes. */
  async move(from: string, to: string): Promise<void> {
    const moved = await this.list(from);
    const isKept =
      moved.length === 0 ||
      (await this.#change(to, (there) => [
        ...moved.reduce((rest, { name }) => without(rest, name), there),
        ...moved,
      ]));
    if (isKept) await this.forget(from);
  }

  #change(
    crewId: string,
    change: (presets: readonly Preset[]) => readonly Preset[],
  ): Promise<boolean> {
    return this.#files.change(crewId, (known) => {
      const presets = [...change(known?.presets ?? [])].sort((one, other) =>
        one.name.localeCompare(other.name),
      );
      return presets.length === 0 ? undefined : { presets };
    });
  }
}

function without(presets: readonly Preset[], name: string): readonly Preset[] {
  return presets.filter((preset) => preset.name !== name);
}

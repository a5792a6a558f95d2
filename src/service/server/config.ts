import { dirname, resolve } from "node:path";
import { Ajv, type ErrorObject } from "ajv";
import schema from "../../../media/crewdeck.server.schema.json" with { type: "json" };
import { readRegularFile } from "../../base/files.ts";
import { asObject, textAt } from "../../base/json.ts";
import { safeUrl } from "../../base/loopback.ts";
import { parseJsonc, type Place } from "../../projects/source.ts";
import type { ProjectError } from "../../projects/types.ts";
import { Refusal, unreadable } from "../errors.ts";
import { isNetwork } from "../networks.ts";
import { configName } from "../options.ts";

/** The content of crewdeck.server.jsonc, with defaults. Paths are absolute. */
export interface ServerConfig {
  readonly crews: readonly ServerCrew[];
  readonly limits: {
    readonly requestsPerMinute: number;
    readonly underWayPerCrew: number;
  };
  readonly publicUrl?: string;
  readonly trustProxy: boolean;
  readonly host: string;
  readonly port: number;
  /** Networks besides the public ones to which callbacks are sent, such as `10.0.0.0/8`. */
  readonly callbackNetworks: readonly string[];
}

export interface ServerCrew {
  readonly name: string;
  readonly folder: string;
  readonly class?: string | undefined;
  readonly engine: "rehearsal" | "crewai";
  readonly python?: string;
  readonly environmentFile?: string;
  readonly parallel?: number | undefined;
  readonly dialect: "documented" | "live";
}

// Schemas are compiled when something is checked, and a test checks them: a start has no time for it.
const ajv = new Ajv({
  allErrors: true,
  useDefaults: true,
  verbose: true,
  validateSchema: false,
});
ajv.addVocabulary(["allowTrailingCommas", "defaultSnippets"]);
// What a schema can't say. Editors ignore these formats.
ajv.addFormat("network", isNetwork);
ajv.addFormat("safe-address", (address) => safeUrl(address) !== undefined);
ajv.addSchema(schema, "config");

export function isCrewName(text: string): boolean {
  return ajv.validate("config#/properties/crews/items/properties/name", text);
}

/** A name that stands twice. Folders have the crews' names, and some file systems ignore case. */
export function repeatedName(names: readonly string[]): string | undefined {
  const small = names.map((name) => name.toLowerCase());
  return names.find((name, index) => small.indexOf(name.toLowerCase()) !== index);
}

/** Reads and checks a configuration, but not the files that it names. @throws {Refusal} with line and column */
export async function readConfig(file: string): Promise<ServerConfig> {
  const text = await readSmallFile(file).catch((error: unknown) => {
    throw new Refusal(
      "options",
      `${unreadable(file, error)} Name the server's ${configName} with --config.`,
    );
  });
  return parseConfig(file, text);
}

export function parseConfig(file: string, text: string): ServerConfig {
  const report = (error: ProjectError) => {
    throw new Refusal("options", error.message);
  };
  const place = parseJsonc({ file, text }, { report, broken: new Set() });
  const config: unknown = place.plain();
  if (!ajv.validate<ServerConfig>("config", config)) {
    const errors = ajv.errors ?? [];
    // A misspelt member may be the one that is missing.
    const error = errors.find(({ keyword }) => keyword === "additionalProperties") ?? errors[0];
    throw new Refusal("options", error ? explain(error, place).message : `${file} is not valid.`);
  }
  const name = repeatedName(config.crews.map((crew) => crew.name));
  if (name !== undefined)
    throw new Refusal(
      "options",
      `${file}: two crews have the name "${name}", in capital or small letters.`,
    );
  const at = (named: string) => resolve(dirname(file), named);
  const crews = config.crews.map(({ python, environmentFile, ...crew }) => ({
    ...crew,
    folder: at(crew.folder),
    ...(python !== undefined && { python: at(python) }),
    ...(environmentFile !== undefined && { environmentFile: at(environmentFile) }),
  }));
  return { ...config, crews };
}

export const largestConfig = 1024 * 1024;

/** A device, a pipe or a wrong file could fill the memory. Rejects with what {@link unreadable} explains. */
export async function readSmallFile(file: string): Promise<string> {
  return (await readRegularFile(file, largestConfig)).toString("utf8");
}

/** Never has the wrong value, which may be a token in the wrong place. */
export function explain(
  { instancePath, params, parentSchema }: ErrorObject,
  root: Place,
): ProjectError {
  const { additionalProperty, missingProperty } = asObject(params);
  const unknown = typeof additionalProperty === "string" ? `/${additionalProperty}` : "";
  const path = instancePath + unknown;
  const place = path
    .split("/")
    .slice(1)
    .reduce((at, step) => at.inside.get(step) ?? at.list[Number(step)] ?? at, root);
  const named =
    path === ""
      ? "The file"
      : path
          .slice(1)
          .replace(/\/(\d+)/g, "[$1]")
          .replaceAll("/", ".");
  const expected = asObject(parentSchema);
  if (unknown !== "")
    return place.error(
      `${named} has no meaning. Known are ${Object.keys(asObject(expected["properties"])).join(", ")}.`,
    );
  const problem =
    typeof missingProperty === "string" ? `has no ${missingProperty}` : "is not valid";
  return place.error(`${named} ${problem}. Expected: ${textAt(expected, "description") ?? ""}`);
}

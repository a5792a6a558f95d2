import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parseEnv } from "node:util";
import { Ajv, type ErrorObject } from "ajv";
import { visit } from "jsonc-parser";
import schema from "../../../media/crewdeck.server.schema.json" with { type: "json" };
import { asArray, asObject, textAt, type UnknownObject } from "../../base/json.ts";
import { safeUrl } from "../../base/loopback.ts";
import { readRegularFile } from "../../base/files.ts";
import { parseJsonc, type Place } from "../../projects/source.ts";
import { ProjectError } from "../../projects/types.ts";
import { suggestion } from "../command-line.ts";
import { Refusal, unreadable } from "../errors.ts";
import { isNetwork } from "../networks.ts";
import { Secrets } from "../operations/redact.ts";
import { configName } from "../options.ts";
import type { Token } from "./tokens.ts";

/** The content of crewdeck.server.jsonc, with defaults. Paths are absolute. */
export interface ServerConfig {
  readonly crews: readonly ServerCrew[];
  readonly limits: ServerLimits;
  /** Of earlier versions: the database has them now. */
  readonly tokens: readonly Token[];
  readonly publicUrl?: string;
  readonly trustProxy: boolean;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Networks besides the public ones to which callbacks are sent, such as `10.0.0.0/8`. */
  readonly callbackNetworks: readonly string[];
}

export interface ServerCrew {
  /** Part of the crew's address. */
  readonly name: string;
  readonly folder: string;
  /** Which of several crews in the folder. */
  readonly class?: string | undefined;
  readonly engine: "rehearsal" | "crewai";
  readonly python?: string;
  readonly environmentFile?: string;
  readonly parallel?: number | undefined;
  readonly dialect: "documented" | "live";
}

export interface ServerLimits {
  /** How many requests a minute are accepted from a token. */
  readonly requestsPerMinute: number;
  /** How many executions of a crew may be queued or running. */
  readonly underWayPerCrew: number;
}

const ajv = new Ajv({ allErrors: true, useDefaults: true, verbose: true });
ajv.addVocabulary(["allowTrailingCommas", "defaultSnippets"]);
const isConfig = ajv.compile<ServerConfig>(schema);

const tokenName = new RegExp(schema.properties.tokens.items.properties.name.pattern);

export function isTokenName(text: string): boolean {
  return tokenName.test(text);
}

const fitsCrewName = ajv.compile(schema.properties.crews.items.properties.name);

export function isCrewName(text: string): boolean {
  return fitsCrewName(text);
}

interface ReadConfig {
  readonly config: ServerConfig;
  /** Of the file's members. */
  readonly place: Place;
}

/** Reads and checks a configuration, but not the files that it names. @throws {Refusal} with line and column */
export async function readConfig(file: string): Promise<ReadConfig> {
  const text = await readSmallFile(file).catch((error: unknown) => {
    throw new Refusal(
      "options",
      `${unreadable(file, error)} Name the server's ${configName} with --config.`,
    );
  });
  return parseConfig(file, text);
}

/** @throws {Refusal} with line and column */
export function parseConfig(file: string, text: string): ReadConfig {
  try {
    const { config, place } = parse(file, text);
    checkNames(config, place);
    const at = (named: string) => resolve(dirname(file), named);
    const crews = config.crews.map(({ python, environmentFile, ...crew }) => ({
      ...crew,
      folder: at(crew.folder),
      ...(python !== undefined && { python: at(python) }),
      ...(environmentFile !== undefined && { environmentFile: at(environmentFile) }),
    }));
    return { config: { ...config, crews }, place };
  } catch (error) {
    throw refusal(error);
  }
}

/** Bytes. */
export const largestConfig = 1024 * 1024;

/** A device, a pipe or a wrong file could fill the memory. Rejects with what {@link unreadable} explains. */
async function readSmallFile(file: string): Promise<string> {
  return (await readRegularFile(file, largestConfig)).toString("utf8");
}

/**
 * Checks that the crews' folders and interpreters exist, and reads their environment files. Resolves to the variables of each crew.
 * @throws {Refusal} with line and column
 */
export async function readEnvironments({
  config,
  place,
}: ReadConfig): Promise<readonly NodeJS.Dict<string>[]> {
  const places = place.inside.get("crews")?.list ?? [];
  return await Promise.all(
    config.crews.map(async ({ folder, engine, python, environmentFile }, index) => {
      const fail = (member: string, problem: string, expected: string) =>
        refusal(
          places[index]?.inside
            .get(member)
            ?.error(expecting(`crews[${index}].${member}: ${problem}`, expected)),
        );
      const isFolder = await stat(folder).then(
        (stats) => stats.isDirectory(),
        () => false,
      );
      if (!isFolder) throw fail("folder", `There is no folder ${folder}.`, "the folder of a crew.");
      if (engine === "crewai" && python !== undefined && !existsSync(python))
        throw fail(
          "python",
          `There is no file ${python}.`,
          "the project's Python interpreter, such as .venv/bin/python in its folder.",
        );
      if (environmentFile === undefined) return {};
      const variables = await readSmallFile(environmentFile).catch((error: unknown) => {
        throw fail(
          "environmentFile",
          unreadable(environmentFile, error),
          "a file with a line NAME=value for each variable.",
        );
      });
      return parseEnv(variables);
    }),
  );
}

function parse(file: string, text: string): ReadConfig {
  const place = parseJsonc(
    { file, text },
    {
      report: (error) => {
        throw error;
      },
      broken: new Set(),
    },
  );
  checkKeys(file, text);
  const config: unknown = place.plain();
  if (isConfig(config)) return { config, place };
  const errors = isConfig.errors ?? [];
  const of = (kind: string) => errors.find(({ keyword }) => keyword === kind);
  // A misspelt member may be the one that is missing.
  const error = of("additionalProperties") ?? of("anyOf") ?? errors[0];
  throw error ? explain(error, place) : new TypeError(`${file} is not valid.`);
}

/** @throws {ProjectError} for a key that stands twice in an object: only the last one would count */
function checkKeys(file: string, text: string): void {
  const open: Set<string>[] = [];
  visit(
    text,
    {
      onObjectBegin: () => void open.push(new Set()),
      onObjectEnd: () => void open.pop(),
      onObjectProperty(key, _offset, _length, line, column) {
        if (open.at(-1)?.has(key) === true)
          throw new ProjectError(
            expecting("This key appears twice.", "each key once; the last one counts."),
            { file, line: line + 1, column: column + 1 },
          );
        open.at(-1)?.add(key);
      },
    },
    { allowTrailingComma: true },
  );
}

function explain(error: ErrorObject, root: Place): ProjectError {
  const steps = error.instancePath.split("/").slice(1);
  const place = steps.reduce((at, step) => inside(at, step), root);
  const expected = asObject(error.parentSchema);
  const members = asObject(expected["properties"]);
  const { additionalProperty, missingProperty } = error.params as Readonly<Record<string, unknown>>;
  if (typeof additionalProperty === "string") {
    const names = Object.keys(members);
    return inside(place, additionalProperty).error(
      expecting(
        `${pathOf([...steps, additionalProperty])} has no meaning.${suggestion(additionalProperty, names)}`,
        `only ${names.join(", ")}.`,
      ),
    );
  }
  if (typeof missingProperty === "string")
    return place.error(
      expecting(
        `${pathOf([...steps, missingProperty])} is missing.`,
        describe(asObject(members[missingProperty])),
      ),
    );
  return place.error(
    expecting(
      `${steps.length === 0 ? "The file" : pathOf(steps)} is ${nameOf(place, steps[0] === "tokens")}.`,
      describe(expected, typeof place.value),
    ),
  );
}

/** Such as `crews[0].name`. */
function pathOf([first = "", ...steps]: readonly string[]): string {
  return first + steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join("");
}

/** Describes a wrong value. @param isSecret whether a text must not be quoted, because it may be a token in the wrong place */
function nameOf({ value, isMapping }: Place, isSecret: boolean): string {
  if (isMapping) return "an object";
  if (value === undefined) return "a list";
  if (typeof value !== "string") return String(value);
  // An address may have a password.
  return isSecret
    ? `a text of ${value.length} characters`
    : JSON.stringify(new Secrets().hide(value));
}

/** Describes what a member may be. @param found the type of the wrong value */
function describe(schema: UnknownObject, found?: string): string {
  const values = asArray(schema["enum"]).map((value) => JSON.stringify(value));
  if (values.length > 0) return `${values.join(" or ")}.`;
  const quotes =
    schema["type"] === "string" && found !== undefined && found !== "string"
      ? "a text in quotes: "
      : schema["type"] === "integer" && found === "string"
        ? "a number without quotes: "
        : "";
  return `${quotes}${firstSentence(schema)}`;
}

function inside(place: Place, step: string): Place {
  return place.inside.get(step) ?? place.list[Number(step)] ?? place;
}

/** The first sentence of a member's description says what is expected. */
function firstSentence(described: UnknownObject): string {
  const [sentence = ""] = (textAt(described, "description") ?? "").split(/(?<=\.)\s/);
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** Checks what the schema can't: unique names, and a safe `publicUrl`. @throws {ProjectError} */
function checkNames(config: ServerConfig, root: Place): void {
  const seen = new Map<string, number>();
  for (const [index, crew] of (root.inside.get("crews")?.list ?? []).entries()) {
    const place = crew.inside.get("name") ?? crew;
    // Folders have the crews' names, and some file systems ignore case.
    const name = String(place.value).toLowerCase();
    const first = seen.get(name);
    if (first !== undefined)
      throw place.error(
        expecting(
          `crews[${index}].name is the same as crews[${first}].name.`,
          "each name once, in capital or small letters.",
        ),
      );
    seen.set(name, index);
  }
  for (const network of root.inside.get("callbackNetworks")?.list ?? [])
    if (!isNetwork(String(network.value)))
      throw network.error(
        expecting(`${String(network.value)} is no network.`, 'one such as "10.0.0.0/8".'),
      );
  const publicUrl = root.inside.get("publicUrl");
  if (config.publicUrl !== undefined && safeUrl(config.publicUrl) === undefined)
    throw (publicUrl ?? root).error(
      expecting(
        "With this publicUrl, tokens would travel unencrypted.",
        "an address that begins with https://, or http:// for this machine only.",
      ),
    );
}

function expecting(problem: string, expected: string): string {
  return `${problem} Expected: ${expected}`;
}

function refusal(error: unknown): unknown {
  return error instanceof ProjectError ? new Refusal("options", error.message) : error;
}

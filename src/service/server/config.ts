import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parseEnv } from "node:util";
import { Ajv, type ErrorObject } from "ajv";
import { visit } from "jsonc-parser";
import schema from "../../../media/crewdeck.server.schema.json" with { type: "json" };
import { asArray, asObject, textAt, type UnknownObject } from "../../base/json.ts";
import { isLoopback, safeUrl } from "../../base/loopback.ts";
import { readRegularFile } from "../../base/files.ts";
import { parseJsonc, type Place } from "../../projects/source.ts";
import { ProjectError } from "../../projects/types.ts";
import { suggestion } from "../command-line.ts";
import { Refusal, unreadable } from "../errors.ts";
import { Secrets } from "../operations/redact.ts";
import { configName } from "../options.ts";

/** The content of crewdeck.server.jsonc, with defaults. Paths are absolute. */
export interface ServerConfig {
  readonly crews: readonly ServerCrew[];
  readonly limits: ServerLimits;
  readonly tokens: readonly ServerToken[];
  readonly publicUrl?: string;
  readonly trustProxy: boolean;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
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

export interface ServerToken {
  readonly name: string;
  readonly kind: "organization" | "user";
  readonly crews: "all" | readonly string[];
  /** SHA-256, in hexadecimal digits. */
  readonly hash: string;
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

/**
 * Reads and checks a configuration, but not the files that it names.
 * @throws {Refusal} with line and column
 */
export function parseServerConfig(file: string, text: string): ServerConfig {
  try {
    const { config, place } = read(file, text);
    checkNames(config, place);
    const at = (named: string) => resolve(dirname(file), named);
    const crews = config.crews.map(({ python, environmentFile, ...crew }) => ({
      ...crew,
      folder: at(crew.folder),
      ...(python !== undefined && { python: at(python) }),
      ...(environmentFile !== undefined && { environmentFile: at(environmentFile) }),
    }));
    return { ...config, crews };
  } catch (error) {
    throw refusal(error);
  }
}

/** Bytes. */
export const largestConfig = 1024 * 1024;

/** Reads a server's small file: a device, a pipe or a wrong file could fill the memory. Rejects with what {@link unreadable} explains. */
export async function readConfigText(file: string): Promise<string> {
  return (await readRegularFile(file, largestConfig)).toString("utf8");
}

/** The variables of each crew, by its name. */
type CrewEnvironments = ReadonlyMap<string, Readonly<Record<string, string | undefined>>>;

/**
 * Checks that the crews' folders and interpreters exist, and reads their environment files.
 * @param text a valid configuration
 * @throws {Refusal} with line and column, for a missing folder or interpreter, or an environment file that can't be read
 */
export async function readEnvironments(file: string, text: string): Promise<CrewEnvironments> {
  const environments = new Map<string, NodeJS.Dict<string>>();
  const { crews } = parseServerConfig(file, text);
  const places = read(file, text).place.inside.get("crews")?.list ?? [];
  for (const [index, crew] of crews.entries()) {
    const { name, folder, engine, python, environmentFile } = crew;
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
    const variables =
      environmentFile &&
      (await readConfigText(environmentFile).catch((error: unknown) => {
        throw fail(
          "environmentFile",
          unreadable(environmentFile, error),
          "a file with a line NAME=value for each variable.",
        );
      }));
    environments.set(name, parseEnv(variables ?? ""));
  }
  return environments;
}

/** @throws {Refusal} if other machines could reach a server without tokens */
export function requireTokens({ host, tokens }: Pick<ServerConfig, "host" | "tokens">): void {
  if (tokens.length > 0 || isLoopback(host.includes(":") ? `[${host}]` : host)) return;
  throw new Refusal(
    "options",
    `With the host ${host}, other machines could reach the server, and ${configName} has no tokens. Add one with "crewdeck token add NAME", or listen on 127.0.0.1.`,
  );
}

const publicUrlPattern = new RegExp(schema.properties.publicUrl.pattern);

/** Checks `--public-url`. @throws {Refusal} */
export function checkPublicUrl(publicUrl: string | undefined): void {
  if (publicUrl === undefined) return;
  if (publicUrlPattern.test(publicUrl) && safeUrl(publicUrl) !== undefined) return;
  throw new Refusal(
    "options",
    "--public-url: expected an address without a path that begins with https://, such as https://crews.example.com; http:// is for this machine only.",
  );
}

function read(
  file: string,
  text: string,
): { readonly config: ServerConfig; readonly place: Place } {
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

/** Checks what the schema can't: unique names, known crews, and a safe `publicUrl`. @throws {ProjectError} */
function checkNames(config: ServerConfig, root: Place): void {
  const placesOf = (list: "crews" | "tokens", member: string) =>
    (root.inside.get(list)?.list ?? []).map((place) => place.inside.get(member) ?? place);
  const once = (list: "crews" | "tokens", member: string) => {
    const seen = new Map<string, number>();
    for (const [index, place] of placesOf(list, member).entries()) {
      // Folders have the crews' names, and some file systems ignore case.
      const value = String(place.value).toLowerCase();
      const first = seen.get(value);
      if (first !== undefined)
        throw place.error(
          expecting(
            `${list}[${index}].${member} is the same as ${list}[${first}].${member}.`,
            `each ${member} once, in capital or small letters.`,
          ),
        );
      seen.set(value, index);
    }
  };
  once("crews", "name");
  once("tokens", "name");
  once("tokens", "hash");
  const names = config.crews.map(({ name }) => name);
  for (const [index, crews] of placesOf("tokens", "crews").entries())
    for (const [at, crew] of crews.list.entries())
      if (!names.includes(String(crew.value)))
        throw crew.error(
          expecting(
            `tokens[${index}].crews[${at}] is no crew of this file.`,
            names.length === 0
              ? "no name while the file has no crews."
              : `one of ${names.join(", ")}.`,
          ),
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

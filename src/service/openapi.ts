import { readFileSync } from "node:fs";
import { Ajv2020 as Ajv, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { parse } from "yaml";

/** The text of openapi.yaml, which the bundle carries; undefined when the source is run as it is. */
declare const CREWDECK_OPENAPI: string | undefined;

const yaml =
  typeof CREWDECK_OPENAPI === "string"
    ? CREWDECK_OPENAPI
    : readFileSync(new URL("openapi.yaml", import.meta.url), "utf8");

/** What openapi.yaml says, parsed. */
const description: unknown = parse(yaml);

const ajv = new Ajv({
  allErrors: true,
  strict: true,
  strictTypes: false,
  strictRequired: false,
  validateFormats: true,
  allowUnionTypes: true,
  verbose: true,
});
// What an OpenAPI document has around its schemas.
ajv.addVocabulary(["openapi", "info", "servers", "security", "paths", "components"]);
addFormats(ajv, ["uri", "uuid", "date-time"]);
ajv.addSchema(description as object, "openapi.yaml");

/** One thing that does not fit its schema. */
export interface Mismatch {
  /** Where: the names of members, numbers of items. */
  readonly path: readonly string[];
  readonly message: string;
  /** The schema's keyword that failed, such as `required`. */
  readonly keyword: string;
}

/** What does not fit the schema that `pointer` (parts of a JSON pointer) leads to in openapi.yaml; empty when all fits. Throws when there is no such schema. */
export function mismatches(pointer: readonly string[], value: unknown): Mismatch[] {
  const validate = schemaAt(pointer);
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  const choices = errors.filter(({ keyword }) => keyword === "anyOf" || keyword === "oneOf");
  // Why each branch of a choice does not fit says less than what the choice is about.
  const telling = errors.filter(
    (error) => !choices.some((choice) => error.schemaPath.startsWith(`${choice.schemaPath}/`)),
  );
  return telling.map((error) => ({
    path: [...error.instancePath.split("/").slice(1).map(unescape), ...missingMember(error.params)],
    message: choices.includes(error)
      ? `expected: ${describe(error.parentSchema)}`
      : (error.message ?? "does not fit"),
    keyword: error.keyword,
  }));
}

/** The part of openapi.yaml that `pointer` leads to, `$ref`s followed on the way; undefined where there is none. */
export function descriptionAt(pointer: readonly string[]): unknown {
  return resolve(pointer)?.value;
}

/** The same pointer without `$ref`s on the way. */
export function resolvePointer(pointer: readonly string[]): string[] | undefined {
  return resolve(pointer)?.pointer;
}

function resolve(pointer: readonly string[]): { pointer: string[]; value: unknown } | undefined {
  let here: { pointer: string[]; value: unknown } = { pointer: [], value: description };
  for (const part of pointer) {
    if (!isObject(here.value) || !Object.hasOwn(here.value, part)) return undefined;
    here = { pointer: [...here.pointer, part], value: here.value[part] };
    if (isObject(here.value) && typeof here.value["$ref"] === "string") {
      const target = resolve(here.value["$ref"].split("/").slice(1).map(unescape));
      if (!target) return undefined;
      here = target;
    }
  }
  return here;
}

function schemaAt(pointer: readonly string[]): ValidateFunction {
  const validate = ajv.getSchema(
    `openapi.yaml#${pointer.map((part) => `/${encodeURIComponent(escape(part))}`).join("")}`,
  );
  if (!validate) throw new Error(`openapi.yaml has no schema at ${pointer.join("/")}.`);
  return validate;
}

function describe(schema: unknown): string {
  return isObject(schema) && typeof schema["description"] === "string"
    ? schema["description"]
    : JSON.stringify(schema);
}

/** For a missing member: its name. */
function missingMember(params: Readonly<Record<string, unknown>>): string[] {
  return typeof params["missingProperty"] === "string" ? [params["missingProperty"]] : [];
}

/** A name as a part of a JSON pointer (RFC 6901), and back. */
function escape(part: string): string {
  return part.replaceAll("~", "~0").replaceAll("/", "~1");
}

function unescape(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

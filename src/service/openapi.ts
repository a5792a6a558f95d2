import { readFileSync } from "node:fs";
import { Ajv2020 as Ajv, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { parse } from "yaml";

/** The text of openapi.yaml in the bundle; undefined when the source runs. */
declare const CREWDECK_OPENAPI: string | undefined;

const yaml =
  typeof CREWDECK_OPENAPI === "string"
    ? CREWDECK_OPENAPI
    : readFileSync(new URL("openapi.yaml", import.meta.url), "utf8");

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
// The members of an OpenAPI document around its schemas.
ajv.addVocabulary(["openapi", "info", "servers", "security", "paths", "components"]);
addFormats(ajv, ["uri", "uuid", "date-time"]);
ajv.addSchema(description as object, "openapi.yaml");

export interface Mismatch {
  /** Names of members and indexes of items. */
  readonly path: readonly string[];
  readonly message: string;
  /** The schema's keyword that failed, such as `required`. */
  readonly keyword: string;
}

/** Validates a value with the schema at `pointer` (parts of a JSON pointer) in openapi.yaml. Throws if there is no such schema. */
export function mismatches(pointer: readonly string[], value: unknown): Mismatch[] {
  const validate = schemaAt(pointer);
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  const choices = errors.filter(({ keyword }) => keyword === "anyOf" || keyword === "oneOf");
  // The description of a choice says more than the error of each branch.
  const relevant = errors.filter(
    (error) => !choices.some((choice) => error.schemaPath.startsWith(`${choice.schemaPath}/`)),
  );
  return relevant.map((error) => ({
    path: [...error.instancePath.split("/").slice(1).map(unescape), ...missingMember(error.params)],
    message: choices.includes(error)
      ? `expected: ${describe(error.parentSchema)}`
      : (error.message ?? "does not match"),
    keyword: error.keyword,
  }));
}

export interface Answer {
  readonly method: string;
  /** The requested path, without the query. */
  readonly path: string;
  readonly status: number;
  /** Without parameters such as the charset. */
  readonly contentType: string;
  /** JSON, parsed, or text. */
  readonly body: unknown;
}

/** Checks a response against openapi.yaml; one line for each problem. */
export function answerProblems(answer: Answer): string[] {
  const response = [...responsesFor(answer), String(answer.status)];
  const name = `${answer.method} ${answer.path} ${answer.status}`;
  if (!resolve(response)) return [`${name}: this status is not described`];
  const schema = resolve([...response, "content", answer.contentType, "schema"]);
  if (!schema) return [`${name}: the content type ${answer.contentType} is not described`];
  return mismatches(schema.pointer, answer.body).map(
    ({ path, message }) => `${name}: /${path.join("/")} ${message}`,
  );
}

/** The operation with the responses that any request can get, also one for an unknown route. */
const anyResponses: readonly string[] = ["paths", "/resume", "post", "responses"];

function responsesFor({ method, path }: Answer): readonly string[] {
  const template = templateOf(path);
  if (template === undefined) return anyResponses;
  const verb = method === "HEAD" ? "get" : method.toLowerCase();
  const responses = ["paths", template, verb, "responses"];
  return resolve(responses) ? responses : anyResponses;
}

function templateOf(path: string): string | undefined {
  if (path === "/inputs" || path === "/kickoff" || path === "/resume") return path;
  if (/^\/status\/[^/]+$/.test(path)) return "/status/{kickoff_id}";
  return /^\/[^/]+\/status$/.test(path) ? "/{kickoff_id}/status" : undefined;
}

/** The part of openapi.yaml at `pointer`, with `$ref`s resolved. */
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

function missingMember(params: Readonly<Record<string, unknown>>): string[] {
  return typeof params["missingProperty"] === "string" ? [params["missingProperty"]] : [];
}

/** Escapes a part of a JSON pointer (RFC 6901). */
function escape(part: string): string {
  return part.replaceAll("~", "~0").replaceAll("/", "~1");
}

function unescape(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

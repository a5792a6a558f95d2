import { readFileSync } from "node:fs";
import { isFilled } from "../base/text.ts";
import { Ajv2020 as Ajv } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { parse } from "yaml";
import type { CallbackName } from "../api/callbacks.ts";
import type { Basic, Bearer, JsonObject, JsonValue } from "../api/types.ts";
import { asObject, isObject, textAt } from "../base/json.ts";
import { type CrewProject } from "../projects/types.ts";
import { ApiError } from "./errors.ts";
import type { Replay, Rules } from "./questions.ts";
import type { RunAgain } from "./run-again.ts";
import type { Callbacks, CallbackTarget, Decision, Execution } from "./model.ts";

/** Undefined when the source runs, not the bundle. */
declare const CREWDECK_OPENAPI: object | undefined;

export const openapi =
  typeof CREWDECK_OPENAPI === "object"
    ? CREWDECK_OPENAPI
    : (parse(readFileSync(new URL("openapi.yaml", import.meta.url), "utf8")) as object);

const ajv = new Ajv({
  allErrors: true,
  strict: true,
  // Only its parts are schemas, and strict mode checks them.
  validateSchema: false,
  strictTypes: false,
  strictRequired: false,
  allowUnionTypes: true,
  verbose: true,
});
ajv.addVocabulary(["openapi", "info", "servers", "security", "paths", "components"]);
addFormats(ajv, ["uri", "uuid", "date-time"]);
ajv.addSchema(openapi, "openapi.yaml");

/** `pointer` is a JSON pointer in openapi.yaml. Throws if there is no schema. */
export function mismatches(pointer: string, value: unknown) {
  const validate = ajv.getSchema(`openapi.yaml#${pointer}`);
  if (!validate) throw new Error(`openapi.yaml has no schema at ${pointer}.`);
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  const choices = errors.filter(({ keyword }) => keyword === "anyOf" || keyword === "oneOf");
  // A choice's own description says more than the error of each branch.
  const relevant = errors.filter(
    (error) => !choices.some((choice) => error.schemaPath.startsWith(`${choice.schemaPath}/`)),
  );
  return relevant.map((error) => {
    const { instancePath, keyword, message = "does not match" } = error;
    const missing: unknown = error.params["missingProperty"];
    const parts = instancePath.split("/").slice(1);
    const path = parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    const expected = textAt(asObject(error.parentSchema), "description");
    return {
      path: typeof missing === "string" ? [...path, missing] : path,
      message: choices.includes(error) && expected ? `expected: ${expected}` : message,
      keyword,
    };
  });
}

export interface Kickoff extends Pick<Execution, "inputs" | "meta" | "callbacks"> {
  readonly runAgain: RunAgain | null | undefined;
  readonly rules: Rules | null;
}

export interface Resume extends Decision {
  readonly isApprove: boolean;
  readonly executionId: string;
  readonly taskId: string;
  /** The feedback to a flow's method says which option is meant. */
  readonly isAnswer: boolean;
  /** Of a tool's call: later ones in this execution are allowed, too. */
  readonly isForRun: boolean;
}

interface CallbackMembers extends Readonly<Partial<Record<CallbackName, string | null>>> {
  readonly humanInputWebhook?: SecretTarget | null;
  readonly webhooks?:
    (SecretTarget & { readonly events: readonly string[]; readonly realtime?: boolean }) | null;
}

interface SecretTarget {
  readonly url: string;
  readonly authentication?: Bearer | Basic;
}

interface Bodies {
  readonly KickoffRequest: CallbackMembers & {
    readonly inputs: JsonObject;
    readonly meta?: JsonObject | null;
    readonly run_again?: RunAgain | null;
    readonly replay?: Replay | null;
    readonly approve_tools?: readonly string[] | null;
    readonly limits?: JsonObject | null;
    readonly debug_port?: number | null;
    readonly model?: string | null;
    readonly test?: Rules["test"] | null;
  };
  readonly FeedbackRequest: { readonly feedback: string; readonly source?: string | null };
  readonly ResumeRequest: CallbackMembers & {
    readonly execution_id: string;
    readonly task_id: string;
    readonly human_feedback: string;
    readonly is_approve: boolean;
    readonly is_answer?: boolean;
    readonly for_run?: boolean;
  };
}

/** Deeper JSON could overflow the stack. */
const maxDepth = 500;

export function readJson(text: string): JsonValue {
  let json: JsonValue;
  try {
    json = JSON.parse(text) as JsonValue;
  } catch {
    // Deployed crews answer 500 as plain text (observed).
    throw new ApiError(400, "The body is not valid JSON", { liveStatus: 500 });
  }
  let level: JsonValue[] = [json];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth)
      throw new ApiError(400, `The body is nested more than ${maxDepth} levels deep`);
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values(value) : [],
    );
  }
  return json;
}

export function readKickoff(json: JsonValue, crew: CrewProject): Kickoff {
  const hasInputs = !isObject(json) || Object.hasOwn(json, "inputs");
  const body = hasInputs ? checked(json, "KickoffRequest") : { inputs: {} };
  const inputs = { ...crew.defaults, ...body.inputs };
  const isFlow = crew.kind === "flow";
  if (isFlow && Object.hasOwn(body.inputs, "id"))
    throw invalidBody([{ path: ["inputs", "id"], message: idIsOurs, keyword: "not" }]);
  if (isFlow && body.run_again)
    throw invalidBody([{ path: ["run_again"], message: isWhole, keyword: "not" }]);
  const required = isFlow ? [] : crew.inputs.filter(isFilled);
  const missing = required.filter((name) => !Object.hasOwn(inputs, name) || inputs[name] === null);
  if (hasInputs && missing.length === 0) {
    const { meta = null, run_again: runAgain } = body;
    const given = {
      ...(body.approve_tools?.length && { approve_tools: body.approve_tools }),
      ...(body.limits && { limits: body.limits }),
      ...(body.debug_port && { debug_port: body.debug_port }),
      ...(body.replay && { replay: body.replay }),
      ...(body.model && { model: body.model }),
      ...(body.test && { test: body.test }),
    };
    const rules = Object.keys(given).length > 0 ? given : null;
    return { inputs, meta, callbacks: readCallbacks(body), runAgain, rules };
  }
  // Vendor's OpenAPI file, and observed.
  const names = missing.length > 0 ? `: ${missing.join(", ")}` : "";
  const wrapper = hasInputs ? "" : '. The body must have the member "inputs"';
  throw new ApiError(422, `Missing required inputs${names}${wrapper}`, {
    details: { missing_inputs: missing },
    detail:
      missing.length > 0
        ? `Missing inputs: ${[...missing].sort().join(", ")}`
        : [{ loc: ["body", "inputs"], msg: fieldRequired, type: "missing" }],
  });
}

const idIsOurs = "belongs to the flow, and is never an input";
const isWhole = "a flow can only run from its start";

/** FastAPI's words for a missing member (observed). */
const fieldRequired = "Field required";

/** Deployed crews accept some members in either casing (observed), this service all. */
const camelCase: Readonly<Record<string, string>> = {
  execution_id: "executionId",
  task_id: "taskId",
  human_feedback: "humanFeedback",
  is_approve: "isApprove",
};

export function readFeedback(json: JsonValue): string {
  return checked(json, "FeedbackRequest").feedback;
}

export function readResume(json: JsonValue): Resume {
  const given = isObject(json) ? { ...json } : json;
  if (isObject(given))
    for (const [snake, camel] of Object.entries(camelCase))
      if (given[camel] !== undefined) given[snake] ??= given[camel];
  const body = checked(given, "ResumeRequest");
  return {
    executionId: body.execution_id.toLowerCase(),
    taskId: body.task_id,
    feedback: body.human_feedback,
    isApprove: body.is_approve,
    isAnswer: body.is_answer === true,
    isForRun: body.for_run === true,
    callbacks: readCallbacks(body),
  };
}

function checked<Name extends keyof Bodies>(json: unknown, schema: Name): Bodies[Name] {
  const problems = mismatches(`/components/schemas/${schema}`, json);
  if (problems.length > 0) throw invalidBody(problems);
  return json as Bodies[Name];
}

function invalidBody(problems: ReturnType<typeof mismatches>): ApiError {
  const message = problems
    .map(({ path, message }) => `${path.join(".") || "body"}: ${message}`)
    .join("; ");
  const detail = problems.map(({ path, message, keyword }) => {
    const isMissing = keyword === "required";
    return {
      loc: ["body", ...path.map((part) => camelCase[part] ?? part)],
      msg: isMissing ? fieldRequired : message,
      type: isMissing ? "missing" : keyword,
    };
  });
  return new ApiError(400, message, { detail, liveStatus: 422 });
}

function readCallbacks(body: CallbackMembers): Callbacks {
  const at = (kind: Exclude<keyof Callbacks, "stream">) => {
    const name: CallbackName = `${kind}WebhookUrl`;
    return target(name, body[name]);
  };
  return {
    task: at("task"),
    step: at("step"),
    crew: at("crew"),
    humanInput: body.humanInputWebhook
      ? secretTarget("humanInputWebhook", body.humanInputWebhook)
      : at("humanInput"),
    stream: body.webhooks
      ? {
          ...secretTarget("webhooks", body.webhooks),
          events: body.webhooks.events,
          isBatched: body.webhooks.realtime === false,
        }
      : undefined,
  };
}

/** Credentials in an address move to the header, and are encrypted with it. */
function target(member: string, text: string | null | undefined): CallbackTarget | undefined {
  if (!text) return undefined;
  try {
    const url = new URL(text);
    const username = decodeURIComponent(url.username);
    const password = decodeURIComponent(url.password);
    if (username === "" && password === "") return { url: text };
    url.username = "";
    url.password = "";
    return { url: url.href, authorization: basic(username, password) };
  } catch {
    // The schema accepts some invalid addresses, such as one with the port 99999.
    throw invalidBody([{ path: [member], message: "is not a valid address", keyword: "format" }]);
  }
}

function secretTarget(member: string, { url, authentication }: SecretTarget): CallbackTarget {
  const plain = target(member, url) ?? { url };
  if (!authentication) return plain;
  const authorization =
    authentication.strategy === "bearer"
      ? `Bearer ${authentication.token}`
      : basic(authentication.username, authentication.password);
  return { url: plain.url, authorization };
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

import type { JsonObject, JsonValue } from "../api/types.ts";
import { invalidBody, missingInputs, missingWrapper, notJson } from "./errors.ts";
import type { Callbacks, CallbackTarget, Decision } from "./model.ts";
import { mismatches } from "./openapi.ts";

export interface Kickoff {
  readonly inputs: JsonObject;
  readonly meta: JsonObject | null;
  readonly callbacks: Callbacks;
}

export interface Resume extends Decision {
  readonly executionId: string;
  readonly taskId: string;
}

interface CallbackMembers {
  readonly taskWebhookUrl?: string | null;
  readonly stepWebhookUrl?: string | null;
  readonly crewWebhookUrl?: string | null;
  readonly humanInputWebhookUrl?: string | null;
  readonly humanInputWebhook?: SecretTarget | null;
  readonly webhooks?: (SecretTarget & { readonly events: readonly string[] }) | null;
}

interface SecretTarget {
  readonly url: string;
  readonly authentication?:
    | { readonly strategy: "bearer"; readonly token: string }
    | { readonly strategy: "basic"; readonly username: string; readonly password: string };
}

/** The bodies by the names of their schemas in openapi.yaml. */
interface Bodies {
  readonly KickoffRequest: CallbackMembers & {
    readonly inputs: JsonObject;
    readonly meta?: JsonObject | null;
  };
  readonly ResumeRequest: CallbackMembers & {
    readonly execution_id: string;
    readonly task_id: string;
    readonly human_feedback: string;
    readonly is_approve: boolean;
  };
  readonly LiveResumeRequest: CallbackMembers & {
    readonly executionId: string;
    readonly taskId: string;
    readonly humanFeedback?: string;
    readonly human_feedback?: string;
    readonly isApprove?: boolean;
    readonly is_approve?: boolean;
  };
}

/** @throws {ApiError} */
export function readJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw notJson();
  }
}

/** Reads the body of a kickoff; `names` are the crew's inputs. @throws {ApiError} */
export function readKickoff(json: JsonValue, names: readonly string[]): Kickoff {
  if (isObject(json) && !Object.hasOwn(json, "inputs")) throw missingWrapper(names);
  const body = checked(json, "KickoffRequest");
  const missing = names.filter(
    (name) => !Object.hasOwn(body.inputs, name) || body.inputs[name] === null,
  );
  if (missing.length > 0) throw missingInputs(missing);
  return { inputs: body.inputs, meta: body.meta ?? null, callbacks: readCallbacks(body) };
}

/** Reads the body of a resume in the documented dialect. @throws {ApiError} */
export function readResume(json: JsonValue): Resume {
  const body = checked(json, "ResumeRequest");
  return {
    executionId: body.execution_id,
    taskId: body.task_id,
    feedback: body.human_feedback,
    isApprove: body.is_approve,
    callbacks: readCallbacks(body),
  };
}

/** Reads the body of a resume in the live dialect, which accepts two members in either casing (observed). @throws {ApiError} */
export function readLiveResume(json: JsonValue): Resume {
  const body = checked(json, "LiveResumeRequest");
  return {
    executionId: body.executionId,
    taskId: body.taskId,
    feedback: body.humanFeedback ?? body.human_feedback ?? "",
    isApprove: body.isApprove ?? body.is_approve ?? false,
    callbacks: readCallbacks(body),
  };
}

/** Validates a body with its schema in openapi.yaml. @throws {ApiError} */
function checked<Name extends keyof Bodies>(json: unknown, schema: Name): Bodies[Name] {
  const problems = mismatches(["components", "schemas", schema], json);
  if (problems.length > 0) throw invalidBody(problems);
  return json as Bodies[Name];
}

function readCallbacks(body: CallbackMembers): Callbacks {
  return {
    task: target("taskWebhookUrl", body.taskWebhookUrl),
    step: target("stepWebhookUrl", body.stepWebhookUrl),
    crew: target("crewWebhookUrl", body.crewWebhookUrl),
    humanInput: body.humanInputWebhook
      ? secretTarget("humanInputWebhook", body.humanInputWebhook)
      : target("humanInputWebhookUrl", body.humanInputWebhookUrl),
    stream: body.webhooks
      ? { ...secretTarget("webhooks", body.webhooks), events: body.webhooks.events }
      : undefined,
  };
}

/** Moves credentials from the address to the header, because `fetch` rejects them in an address. */
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

function isObject(json: JsonValue): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

import type { JsonObject, JsonValue } from "../api/types.ts";
import { invalidBody, missingInputs, missingWrapper, notJson } from "./errors.ts";
import type { Callbacks, CallbackTarget } from "./model.ts";
import { mismatches } from "./openapi.ts";

/** What a kickoff asks for. */
export interface Kickoff {
  readonly inputs: JsonObject;
  readonly meta: JsonObject | null;
  readonly callbacks: Callbacks;
}

/** What a resume says. */
export interface Resume {
  readonly executionId: string;
  readonly taskId: string;
  readonly feedback: string;
  readonly isApprove: boolean;
  readonly callbacks: Callbacks;
}

/** The addresses in a body as its schema has them. */
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

interface KickoffBody extends CallbackMembers {
  readonly inputs: JsonObject;
  readonly meta?: JsonObject | null;
}

interface ResumeBody extends CallbackMembers {
  readonly execution_id: string;
  readonly task_id: string;
  readonly human_feedback: string;
  readonly is_approve: boolean;
}

interface LiveResumeBody extends CallbackMembers {
  readonly executionId: string;
  readonly taskId: string;
  readonly humanFeedback?: string;
  readonly human_feedback?: string;
  readonly isApprove?: boolean;
  readonly is_approve?: boolean;
}

/** The bodies by the names of their schemas in openapi.yaml. */
interface Bodies {
  readonly KickoffRequest: KickoffBody;
  readonly ResumeRequest: ResumeBody;
  readonly LiveResumeRequest: LiveResumeBody;
}

/** Reads the text of a body. @throws {ApiError} when it is not JSON. */
export function readJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw notJson();
  }
}

/** Reads the body of a kickoff of a crew that needs the inputs `names`. @throws {ApiError} */
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

/** Reads the body of a resume in the live dialect, which takes two members in either casing (observed). @throws {ApiError} */
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

/** The body as the type that its schema in openapi.yaml describes. */
function checked<Name extends keyof Bodies>(json: unknown, schema: Name): Bodies[Name] {
  const problems = mismatches(["components", "schemas", schema], json);
  if (problems.length > 0) throw invalidBody(problems);
  return json as Bodies[Name];
}

function readCallbacks(body: CallbackMembers): Callbacks {
  const task = target("taskWebhookUrl", body.taskWebhookUrl);
  const step = target("stepWebhookUrl", body.stepWebhookUrl);
  const crew = target("crewWebhookUrl", body.crewWebhookUrl);
  const humanInput = body.humanInputWebhook
    ? secretTarget("humanInputWebhook", body.humanInputWebhook)
    : target("humanInputWebhookUrl", body.humanInputWebhookUrl);
  const stream = body.webhooks && {
    ...secretTarget("webhooks", body.webhooks),
    events: body.webhooks.events,
  };
  return {
    ...(task && { task }),
    ...(step && { step }),
    ...(crew && { crew }),
    ...(humanInput && { humanInput }),
    ...(stream && { stream }),
  };
}

/** An address; what it holds of credentials goes into the header, since `fetch` takes no others. */
function target(member: string, text: string | null | undefined): CallbackTarget | undefined {
  if (!text) return undefined;
  try {
    const url = new URL(text);
    const [username, password] = [
      decodeURIComponent(url.username),
      decodeURIComponent(url.password),
    ];
    if (username === "" && password === "") return { url: text };
    url.username = "";
    url.password = "";
    return { url: url.href, authorization: basic(username, password) };
  } catch {
    // Some fit the schema's syntax and are no addresses, such as one with the port 99999.
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

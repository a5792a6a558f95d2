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
  const missing = names.filter((name) => !Object.hasOwn(body.inputs, name) || body.inputs[name] === null);
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
  const task = target(body.taskWebhookUrl);
  const step = target(body.stepWebhookUrl);
  const crew = target(body.crewWebhookUrl);
  const humanInput = body.humanInputWebhook ? secretTarget(body.humanInputWebhook) : target(body.humanInputWebhookUrl);
  const stream = body.webhooks && { ...secretTarget(body.webhooks), events: body.webhooks.events };
  return { ...(task && { task }), ...(step && { step }), ...(crew && { crew }), ...(humanInput && { humanInput }), ...(stream && { stream }) };
}

function target(url: string | null | undefined): CallbackTarget | undefined {
  return url ? { url } : undefined;
}

function secretTarget({ url, authentication }: SecretTarget): CallbackTarget {
  if (!authentication) return { url };
  if (authentication.strategy === "bearer") return { url, authorization: `Bearer ${authentication.token}` };
  const credentials = Buffer.from(`${authentication.username}:${authentication.password}`).toString("base64");
  return { url, authorization: `Basic ${credentials}` };
}

function isObject(json: JsonValue): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

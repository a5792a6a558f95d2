import * as v from "valibot";
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { Call } from "../calls.ts";
import type { EngineEvent } from "../engine.ts";

const json = v.custom<JsonObject>(isObject);

const event = v.custom<EngineEvent>(
  (event) =>
    isObject(event) && typeof event["type"] === "string" && typeof event["timestamp"] === "string",
);

const call = v.custom<Call>(
  (call) => isObject(call) && typeof call["kind"] === "string" && typeof call["key"] === "string",
);

const question = v.variant("kind", [
  v.object({
    kind: v.literal("tool"),
    tool: v.string(),
    arguments: v.custom<JsonValue>(() => true),
  }),
  v.object({ kind: v.literal("budget"), tokens: v.number(), dollars: v.number() }),
]);

const texts = v.pipe(v.array(v.string()), v.readonly());

/** What the worker replies (crewdeck_worker/protocol.py), also before the reply to a command: steps and events. */
export const replySchema = v.variant("type", [
  v.object({ type: v.literal("ready") }),
  v.object({
    type: v.literal("project"),
    variables: v.array(v.tuple([v.string(), v.string()])),
  }),
  v.object({
    type: v.literal("opened"),
    crew: v.object({
      agents: v.array(
        v.object({ name: v.string(), role: v.string(), goal: v.string(), backstory: v.string() }),
      ),
      tasks: v.array(
        v.object({
          id: v.string(),
          description: v.string(),
          expectedOutput: v.string(),
          agent: v.exactOptional(v.string()),
          context: v.exactOptional(texts),
          humanInput: v.boolean(),
          extras: v.string(),
        }),
      ),
    }),
    inputs: texts,
    remarks: texts,
  }),
  v.object({
    type: v.literal("step"),
    tool: v.optional(v.string()),
    toolInput: v.optional(v.string()),
    result: v.string(),
  }),
  v.object({
    type: v.literal("event"),
    event,
    method: v.exactOptional(v.object({ name: v.string(), output: v.string() })),
  }),
  v.object({ type: v.literal("call"), call }),
  v.object({ type: v.literal("question"), question }),
  v.object({
    type: v.literal("output"),
    output: v.string(),
    /** The task's condition wasn't met: nobody is asked about it. */
    isSkipped: v.exactOptional(v.boolean()),
    /** Of all later attempts, where the crew changes them before its first task. */
    inputs: v.exactOptional(json),
    usage: v.exactOptional(
      v.object({
        total_tokens: v.number(),
        prompt_tokens: v.number(),
        completion_tokens: v.number(),
      }),
    ),
    /** What is needed to do the rest once a person has approved the output. */
    draft: v.exactOptional(json),
    /** Why the crew itself refuses the approved draft, for the next attempt. */
    refusal: v.exactOptional(json),
    pause: v.exactOptional(
      v.object({
        method: v.string(),
        output: v.string(),
        message: v.string(),
        options: v.nullable(texts),
        defaultOption: v.nullable(v.string()),
        metadata: json,
        state: json,
        requestedAt: v.string(),
      }),
    ),
  }),
  v.object({ type: v.literal("failed"), message: v.string() }),
]);

export type Reply = v.InferOutput<typeof replySchema>;
export type ReplyOf<Type extends Reply["type"]> = Extract<Reply, { readonly type: Type }>;
const reports = ["step", "event", "call", "question"] as const;
export type Report = ReplyOf<(typeof reports)[number]>;

export function isReport(reply: Reply): reply is Report {
  return reports.some((type) => type === reply.type);
}

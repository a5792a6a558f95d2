import {
  asArray,
  asObject,
  isObject,
  numberAt,
  textAt,
  type JsonObject,
  type UnknownObject,
} from "../../base/json.ts";
import type { FlowPart, FlowPause, FlowResult, MethodReport, TokenUsage } from "../engine.ts";

/** For worker.py. @param store the folder of what crewAI stores when the flow pauses */
export function flowCommand({ executionId, inputs, answer }: FlowPart, store: string): JsonObject {
  return {
    do: "flow",
    id: executionId,
    store,
    inputs,
    answer: answer === undefined ? null : { ...answer },
  };
}

export function flowResult(reply: UnknownObject): FlowResult {
  const pause = pauseOf(asObject(reply["pause"]));
  return {
    output: textAt(reply, "output") ?? "",
    ...(pause && { pause }),
    ...(isObject(reply["usage"]) && { usage: usageOf(reply) }),
  };
}

function pauseOf(pause: UnknownObject): FlowPause | undefined {
  const [method, requestedAt] = [textAt(pause, "method"), textAt(pause, "requestedAt")];
  if (method === undefined || requestedAt === undefined) return undefined;
  const options = asArray(pause["options"]).map(String);
  return {
    method,
    requestedAt,
    output: textAt(pause, "output") ?? "",
    message: textAt(pause, "message") ?? "",
    options: options.length === 0 ? null : options,
    defaultOption: textAt(pause, "defaultOption") ?? null,
    // JSON from the worker.
    metadata: asObject(pause["metadata"]) as JsonObject,
    state: asObject(pause["state"]) as JsonObject,
  };
}

/** Undefined for an event that isn't about a method of the flow. */
export function methodOf(report: UnknownObject): MethodReport | undefined {
  const name = textAt(report, "method");
  return name === undefined ? undefined : { name, output: textAt(report, "output") ?? "" };
}

export function usageOf(reply: UnknownObject): TokenUsage {
  const usage = asObject(reply["usage"]);
  const tokens = (name: keyof TokenUsage) => numberAt(usage, name) ?? 0;
  return {
    total_tokens: tokens("total_tokens"),
    prompt_tokens: tokens("prompt_tokens"),
    completion_tokens: tokens("completion_tokens"),
  };
}

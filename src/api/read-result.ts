import { asObject, isJson, isObject, parseJson, readable, type UnknownObject } from "./json.ts";
import type { JsonValue } from "./types.ts";

/** The output of an execution as far as an answer holds one. */
export interface ResultReading {
  readonly output?: string;
  readonly outputJson?: JsonValue;
}

/**
 * Finds the output. Documented: `result.output`. Observed: `result` as a text beside `result_json` (an object or null),
 * and sometimes nothing but `last_executed_task.output`, which is the final output only once the execution is completed.
 */
export function readResult(answer: UnknownObject, completed: boolean): ResultReading {
  const result = answer["result"];
  const found = isObject(result) ? (result["output"] ?? result["raw"] ?? result["result"]) : result;
  const last = completed
    ? (answer["output"] ?? asObject(answer["last_executed_task"])["output"])
    : undefined;
  const outputJson =
    jsonOf(answer["result_json"]) ??
    jsonOf(asObject(result)["json_dict"]) ??
    structureOf(found) ??
    unnamed(result);
  const output = readable(found) ?? readable(last) ?? readable(outputJson);
  return {
    ...(output === undefined ? {} : { output }),
    ...(outputJson === undefined ? {} : { outputJson }),
  };
}

/** `result_json` as a value; some deployments send it as a text that holds JSON. */
function jsonOf(value: unknown): JsonValue | undefined {
  if (value === null) return undefined;
  const parsed = typeof value === "string" ? parseJson(value) : value;
  return isJson(parsed) && parsed !== null ? parsed : undefined;
}

function structureOf(value: unknown): JsonValue | undefined {
  return typeof value === "object" && value !== null && isJson(value) ? value : undefined;
}

/** A result object in which no member is known to be the output is the output itself. */
function unnamed(result: unknown): JsonValue | undefined {
  if (
    !isObject(result) ||
    ["output", "raw", "result", "tasks", "tasks_output"].some((name) => name in result)
  )
    return undefined;
  return Object.keys(result).length > 0 && isJson(result) ? result : undefined;
}

import assert from "node:assert/strict";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { asObject } from "../../src/base/json.ts";

/**
 * The responses in the vendor's published OpenAPI file of this API (crewAIInc/crewAI, enterprise API, 2026) as JSON Schema:
 * members and their types. Like the file, it requires no member and allows others.
 */
const text = { type: "string" };
const seconds = { type: "number" };

const error = { type: "object", properties: { error: text, message: text } };

const taskResult = {
  type: "object",
  properties: { task_id: text, output: text, agent: text, execution_time: seconds },
};

const running = {
  type: "object",
  properties: {
    status: { enum: ["running"] },
    current_task: text,
    progress: {
      type: "object",
      properties: { completed_tasks: { type: "integer" }, total_tasks: { type: "integer" } },
    },
  },
};

const completed = {
  type: "object",
  properties: {
    status: { enum: ["completed"] },
    result: {
      type: "object",
      properties: { output: text, tasks: { type: "array", items: taskResult } },
    },
    execution_time: seconds,
  },
};

const failed = {
  type: "object",
  properties: { status: { enum: ["error"] }, error: text, execution_time: seconds },
};

/** Schemas of responses by path and status. */
const schemas: Readonly<Record<string, Readonly<Record<number, object>>>> = {
  "/inputs": {
    200: { type: "object", properties: { inputs: { type: "array", items: text } } },
    401: error,
    404: error,
    500: error,
  },
  "/kickoff": {
    200: { type: "object", properties: { kickoff_id: { type: "string", format: "uuid" } } },
    400: error,
    401: error,
    422: {
      type: "object",
      properties: {
        error: text,
        message: text,
        details: { type: "object", properties: { missing_inputs: { type: "array", items: text } } },
      },
    },
    500: error,
  },
  "/status": { 200: { oneOf: [running, completed, failed] }, 401: error, 404: error, 500: error },
  "/resume": {
    200: {
      type: "object",
      properties: { status: { enum: ["resumed", "retrying", "completed"] }, message: text },
    },
    400: error,
    401: error,
    404: error,
    500: error,
  },
};

/** What the service says beyond the vendor's file: of its limits, of a resume that names an address that isn't allowed, of a stopped execution. */
const ownStatuses: readonly number[] = [403, 405, 413, 415, 422, 429, 503];
const isStopped = (body: unknown) => asObject(body)["status"] === "stopped";

const ajv = new Ajv({ allErrors: true });
addFormats(ajv, ["uuid"]);

/** Fails unless the vendor describes the status of a response, and the response matches. */
export function assertVendorDescribes(path: string, status: number, body: unknown): void {
  const operation = schemas[path.replace(/^\/status\/[^/]+$|^\/[^/]+\/status$/, "/status")];
  if (!operation || isStopped(body)) return;
  const schema = operation[status];
  if (!schema && ownStatuses.includes(status)) return;
  assert.ok(schema, `${path}: the vendor describes no ${status}`);
  const isValid = ajv.validate(schema, body);
  assert.ok(isValid, `${path} ${status}: ${ajv.errorsText()} in ${JSON.stringify(body)}`);
}

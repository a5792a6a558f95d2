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

/** Schemas of responses by operation and status; the vendor describes no other status. */
export const vendorSchemas = {
  inputs: {
    200: { type: "object", properties: { inputs: { type: "array", items: text } } },
    401: error,
    404: error,
    500: error,
  },
  kickoff: {
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
  status: { 200: { oneOf: [running, completed, failed] }, 401: error, 404: error, 500: error },
  resume: {
    200: {
      type: "object",
      properties: { status: { enum: ["resumed", "retrying", "completed"] }, message: text },
    },
    400: error,
    401: error,
    404: error,
    500: error,
  },
} as const;

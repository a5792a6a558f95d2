import type { Position } from "../projects/types.ts";
import type { Mismatch } from "./openapi.ts";

/** The message of an error with its cause, which for `fetch` says what happened. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== ""
    ? `${error.message}: ${error.cause.message}`
    : error.message;
}

/** FastAPI's description of an error in a request (observed). */
interface LiveIssue {
  readonly loc: readonly string[];
  readonly msg: string;
  readonly type: string;
}

/** An error response, in both dialects. */
export class ApiError extends Error {
  readonly status: number;
  /** `error` of the documented dialect. */
  readonly title: string;
  readonly details: object;
  /** `detail` of the live dialect. */
  readonly detail: string | readonly LiveIssue[];
  /** Status of the live dialect. */
  readonly liveStatus: number;

  constructor(
    status: number,
    title: string,
    message: string,
    more: { details?: object; detail?: string | readonly LiveIssue[]; liveStatus?: number } = {},
  ) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.title = title;
    this.details = more.details ?? {};
    this.detail = more.detail ?? message;
    this.liveStatus = more.liveStatus ?? status;
  }
}

/** A missing or wrong token (bodies: vendor's OpenAPI file, and observed). */
export function unauthorized(given: boolean): ApiError {
  const detail = given ? "Invalid or missing authentication credentials" : "Not authenticated";
  return new ApiError(401, "Unauthorized", "Invalid or missing bearer token", { detail });
}

export function forbidden(): ApiError {
  return new ApiError(
    403,
    "Forbidden",
    "The user token has access only to executions that it started",
  );
}

/** The Host header names another machine: perhaps a web page that resolves to this one (DNS rebinding). */
export function foreignHost(): ApiError {
  return new ApiError(
    403,
    "Forbidden",
    "This service accepts only requests to 127.0.0.1, localhost or [::1]",
  );
}

/** `detail` is FastAPI's, which tells a client that this is not an unknown execution (observed). */
export function unknownRoute(): ApiError {
  return new ApiError(404, "Not Found", "The requested resource was not found", {
    detail: "Not Found",
  });
}

export function wrongMethod(allowed: string): ApiError {
  return new ApiError(405, "Method Not Allowed", `This address accepts only ${allowed}`, {
    detail: "Method Not Allowed",
  });
}

/** Body: vendor's OpenAPI file. */
export function unknownExecution(id: string): ApiError {
  return new ApiError(404, "Execution not found", `No execution found with ID: ${id}`);
}

/** Body: vendor's OpenAPI file. */
export function notFoundForResume(what: "Execution" | "Task"): ApiError {
  return new ApiError(404, "Not Found", `${what} ID not found`);
}

/** The task doesn't wait, or the decision was already made (body: vendor's OpenAPI file). */
export function notPending(): ApiError {
  return new ApiError(400, "Invalid Request", "Execution is not in pending human input state");
}

/** Bodies: vendor's OpenAPI file, and observed. */
export function missingInputs(names: readonly string[]): ApiError {
  return new ApiError(422, "Validation Error", "Missing required inputs", {
    details: { missing_inputs: names },
    detail: `Missing inputs: ${names.join(", ")}`,
  });
}

/** The body has no member `inputs`. */
export function missingWrapper(names: readonly string[]): ApiError {
  const detail = [{ loc: ["body", "inputs"], msg: "Field required", type: "missing" }];
  return new ApiError(
    422,
    "Validation Error",
    'Missing required inputs: the body must have the member "inputs"',
    { details: { missing_inputs: names }, detail },
  );
}

export function invalidBody(problems: readonly Mismatch[]): ApiError {
  const message = problems
    .map(({ path, message }) => `${path.join(".") || "body"}: ${message}`)
    .join("; ");
  const detail = problems.map(({ path, message, keyword }) => ({
    loc: ["body", ...path],
    msg: message,
    type: keyword === "required" ? "missing" : keyword,
  }));
  return new ApiError(400, "Invalid Request", message, { detail, liveStatus: 422 });
}

/** Deployed crews answer 500 as plain text (observed). */
export function notJson(): ApiError {
  return new ApiError(400, "Invalid Request", "The body is not valid JSON", { liveStatus: 500 });
}

export function tooLarge(bytes: number): ApiError {
  return new ApiError(413, "Content Too Large", `The body is larger than ${bytes} bytes`);
}

/**
 * A file of the crew became invalid after the start. Only this service adds `details.crewdeck`: the position, and for a
 * kickoff that nothing was started, which no other 500 says.
 */
export function unreadableCrew(
  message: string,
  position: Position | undefined,
  isKickoff: boolean,
): ApiError {
  const crewdeck = { ...position, ...(isKickoff && { started: false }) };
  return new ApiError(500, "Internal Server Error", `The crew can no longer be read. ${message}`, {
    details: { crewdeck },
  });
}

export function serverError(): ApiError {
  const message = "An unexpected error occurred. See the service's log for details";
  return new ApiError(500, "Internal Server Error", message);
}

import type { Position } from "../projects/types.ts";
import type { Mismatch } from "./openapi.ts";

/** FastAPI's description of one thing wrong with a request (observed). */
export interface LiveIssue {
  readonly loc: readonly string[];
  readonly msg: string;
  readonly type: string;
}

/** An answer that is not 200, in both dialects. */
export class ApiError extends Error {
  readonly status: number;
  /** The title in the documented dialect. */
  readonly title: string;
  readonly details: object;
  /** The live dialect's `detail`. */
  readonly detail: string | readonly LiveIssue[];
  /** The live dialect's status where it is another one. */
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

/** No token, or a wrong one (bodies: vendor's OpenAPI file, and observed). */
export function unauthorized(given: boolean): ApiError {
  const detail = given ? "Invalid or missing authentication credentials" : "Not authenticated";
  return new ApiError(401, "Unauthorized", "Invalid or missing bearer token", { detail });
}

/** The user token and an execution that it did not start. */
export function forbidden(): ApiError {
  return new ApiError(403, "Forbidden", "The user token reaches only executions that it started");
}

/** A Host header that names another machine, as a web page has it that was made to resolve to this one. */
export function foreignHost(): ApiError {
  return new ApiError(
    403,
    "Forbidden",
    "This service answers only requests to 127.0.0.1, localhost or [::1]",
  );
}

/** No such route. `detail` is FastAPI's, by which a client tells it from an unknown execution (observed). */
export function unknownRoute(): ApiError {
  return new ApiError(404, "Not Found", "The requested resource was not found", {
    detail: "Not Found",
  });
}

/** The route is there, for another method. */
export function wrongMethod(allowed: string): ApiError {
  return new ApiError(405, "Method Not Allowed", `This address takes ${allowed} only`, {
    detail: "Method Not Allowed",
  });
}

/** An id that nothing was started under (body: vendor's OpenAPI file). */
export function unknownExecution(id: string): ApiError {
  return new ApiError(404, "Execution not found", `No execution found with ID: ${id}`);
}

/** The same for a resume, and a task that the crew does not have (body: vendor's OpenAPI file). */
export function notFoundForResume(what: "Execution" | "Task"): ApiError {
  return new ApiError(404, "Not Found", `${what} ID not found`);
}

/** The execution ended, another task waits, or somebody decided before (body: vendor's OpenAPI file). */
export function notPending(): ApiError {
  return new ApiError(400, "Invalid Request", "Execution is not in pending human input state");
}

/** Inputs that the crew needs and the kickoff does not give (bodies: vendor's OpenAPI file, and observed). */
export function missingInputs(names: readonly string[]): ApiError {
  return new ApiError(422, "Validation Error", "Missing required inputs", {
    details: { missing_inputs: names },
    detail: `Missing inputs: ${names.join(", ")}`,
  });
}

/** A body without the member `inputs`: all inputs of the crew are missing. */
export function missingWrapper(names: readonly string[]): ApiError {
  const detail = [{ loc: ["body", "inputs"], msg: "Field required", type: "missing" }];
  return new ApiError(
    422,
    "Validation Error",
    'Missing required inputs: the body must have the member "inputs"',
    { details: { missing_inputs: names }, detail },
  );
}

/** A body that does not fit its schema. */
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

/** A body that is not JSON. Deployed crews answer 500 as plain text (observed). */
export function notJson(): ApiError {
  return new ApiError(400, "Invalid Request", "The body is not valid JSON", { liveStatus: 500 });
}

/** More than the service reads. */
export function tooLarge(bytes: number): ApiError {
  return new ApiError(413, "Content Too Large", `The body is larger than ${bytes} bytes`);
}

/**
 * The crew was readable at the start, so a file that is not any more is the server's fault, not the request's. `details.crewdeck` is this
 * service's own: it names the place and, for a kickoff, says that nothing was started, which no other answer of 500 says.
 */
export function unreadableCrew(
  message: string,
  place: Position | undefined,
  isKickoff: boolean,
): ApiError {
  const crewdeck = {
    ...(place && { file: place.file, line: place.line, column: place.column }),
    ...(isKickoff && { started: false }),
  };
  return new ApiError(500, "Internal Server Error", `The crew can't be read any more. ${message}`, {
    details: { crewdeck },
  });
}

/** Something is wrong here, not with the request. */
export function serverError(message: string): ApiError {
  return new ApiError(500, "Internal Server Error", message);
}

import type { JsonObject, JsonValue } from "../api/types.ts";
import type { ApiError } from "./errors.ts";
import type { ExecutionView } from "./model.ts";
import type { Resume } from "./requests.ts";

/** What goes back: JSON, or text where a deployed crew sends text. */
export interface Reply {
  readonly status: number;
  readonly body: JsonObject | string;
}

/** How a resume ended, for its answer. */
export interface Resumed {
  readonly isApprove: boolean;
  /** Whether the execution has ended. */
  readonly ended: boolean;
  /** The further id that the dialect asked for. */
  readonly alias: string | undefined;
}

/** One of the two families of shapes on the wire. */
export interface Dialect {
  readonly name: "documented" | "live";
  /** Whether each resume gives the execution a further id. */
  readonly renames: boolean;
  /** Whether a status answer shows the output that waits for a person. */
  readonly showsOutputs: boolean;
  readResume(json: JsonValue): Resume;
  resumed(result: Resumed): JsonObject;
  /** The answer to a status request; undefined for an id that is not known. @throws {ApiError} */
  status(id: string, view: ExecutionView | undefined): JsonObject;
  error(error: ApiError): Reply;
}

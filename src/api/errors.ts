import { oneLine } from "./one-line.ts";
import type { TokenType } from "./types.ts";

/** What went wrong, for a program to switch on. */
export type CrewApiErrorKind =
  | "unauthorized"
  | "forbidden"
  | "notFound"
  | "validation"
  | "badRequest"
  | "rateLimited"
  | "server"
  | "gateway"
  | "unreachable"
  | "timeout"
  | "tooLarge"
  | "badAnswer"
  | "redirected"
  | "aborted";

/** Why a crew could not be reached. */
export type UnreachableReason = "dns" | "refused" | "certificate" | "proxy" | "reset" | "other";

/** Where in a crew's project something is wrong, as the local service tells it. Remote text: only of a local crew is it a file to open. */
export interface CrewPlace {
  /** Below the project's folder. */
  readonly file: string;
  /** Line and column count from 1. */
  readonly line: number;
  readonly column: number;
}

/** Characters of a message, in which text of others may stand. */
const longestMessage = 1500;

/** What a {@link CrewApiError} is made of. */
export interface CrewApiErrorDetails {
  readonly kind: CrewApiErrorKind;
  /** Whole sentences for a person: what is wrong. */
  readonly message: string;
  /** Whole sentences for a person: what to do. */
  readonly remedy: string;
  /** Status code of the answer, where there was one. */
  readonly status?: number;
  readonly missingInputs?: readonly string[];
  /** Milliseconds. */
  readonly retryAfterMs?: number;
  readonly reason?: UnreachableReason;
  /** The answer's body, cut to what a person can look at, without the token. */
  readonly body?: string;
  /** Absent means "no". */
  readonly sent?: "no" | "maybe";
  readonly tokenType?: TokenType;
  readonly place?: CrewPlace;
}

/** A request to a crew that did not succeed. Never holds the token: not in the message, not in the body, not as a property. */
export class CrewApiError extends Error {
  readonly kind: CrewApiErrorKind;
  /** What a person can do about it. */
  readonly remedy: string;
  /** Status code of the answer, where there was one. */
  readonly status?: number;
  /** Names of the inputs that the crew says are missing; empty unless `kind` is `validation`. */
  readonly missingInputs: readonly string[];
  /** How long the crew asks to be left alone, in milliseconds from when the answer came. */
  readonly retryAfterMs?: number;
  /** Set when `kind` is `unreachable`. */
  readonly reason?: UnreachableReason;
  /** The beginning of the answer's body, as it came but for the token. */
  readonly body?: string;
  /**
   * Whether a POST can have had an effect. "no": it never reached the crew, or was refused by a definite answer.
   * "maybe": no answer, or one that leaves it open. Always "no" for a GET, which has no effect.
   */
  readonly sent: "no" | "maybe";
  /** Whose token the request carried; set when `kind` is `unauthorized` or `forbidden` and the kind of the token is known. */
  readonly tokenType?: TokenType;
  /** What of the crew's project can't be read, where the answer names it. */
  readonly place?: CrewPlace;

  constructor(details: CrewApiErrorDetails) {
    super(oneLine(details.message, longestMessage));
    this.name = "CrewApiError";
    this.kind = details.kind;
    this.remedy = details.remedy;
    this.missingInputs = details.missingInputs ?? [];
    this.sent = details.sent ?? "no";
    if (details.status !== undefined) this.status = details.status;
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs;
    if (details.reason !== undefined) this.reason = details.reason;
    if (details.body !== undefined) this.body = details.body;
    if (details.tokenType !== undefined) this.tokenType = details.tokenType;
    if (details.place !== undefined) this.place = details.place;
  }
}

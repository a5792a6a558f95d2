import { oneLine } from "../base/text.ts";
import type { TokenType } from "./types.ts";

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

/** No property holds the token. */
export class CrewApiError extends Error {
  override readonly name = "CrewApiError";
  readonly kind: CrewApiErrorKind;
  readonly remedy: string;
  readonly status?: number;
  /** Empty unless `kind` is `validation`. */
  readonly missingInputs: readonly string[];
  /** From when the answer arrived (ms). */
  readonly retryAfterMs?: number;
  readonly reason?: "dns" | "refused" | "certificate" | "proxy" | "reset" | "other";
  /** The beginning, without the token. */
  readonly body?: string;
  /** Whether a POST may have had an effect. "no": it never arrived, was refused, or is a GET. */
  readonly sent: "no" | "maybe";
  /** The sent token's type, if known, when `kind` is `unauthorized` or `forbidden`. */
  readonly tokenType?: TokenType;
  /** In the crew's project. Remote text: open the file only for a local crew. */
  readonly place?: { readonly file: string; readonly line: number; readonly column: number };
  /** A run again was refused because earlier outputs don't fit the crew; `keepChanged` would help. */
  readonly canKeepChanged?: boolean;
  /** Only the local crew's Python knows the inputs, and a person has to allow that it is asked. */
  readonly asksPython?: boolean;

  constructor({ message, ...details }: CrewApiErrorDetails) {
    super(oneLine(message, 1500));
    this.kind = details.kind;
    this.remedy = details.remedy;
    this.missingInputs = details.missingInputs ?? [];
    this.sent = details.sent ?? "no";
    Object.assign(this, details);
  }
}

/** `message` and `remedy` are whole sentences. */
export type CrewApiErrorDetails = Pick<CrewApiError, "kind" | "message" | "remedy"> &
  Partial<Omit<CrewApiError, keyof Error>>;

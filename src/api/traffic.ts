import type { CrewApiErrorKind } from "./errors.ts";

/** What both halves of an exchange have in common. */
interface Exchange {
  /** The same for a request and what became of it; another one for each exchange of this process. */
  readonly id: number;
  readonly method: "GET" | "POST";
  /** Path below the crew's address. */
  readonly path: string;
  /** The body for a log, without secrets and bounded; made only when asked for, since it may be large. Absent where there is none. */
  readonly body?: () => string;
}

/** A request that leaves now. */
export interface TrafficRequest extends Exchange {
  readonly kind: "request";
}

/** What became of a request. */
export interface TrafficEnd extends Exchange {
  readonly kind: "end";
  /** Status code, where an answer came. */
  readonly status?: number;
  readonly error?: CrewApiErrorKind;
  /** From sending to the end of the body. */
  readonly milliseconds: number;
}

/** One half of an exchange as a log shows it. No header and no token is ever in it. */
export type Traffic = TrafficRequest | TrafficEnd;

let exchanges = 0;

/** A number for an exchange: one log shows those of all clients. */
export function nextExchange(): number {
  exchanges += 1;
  return exchanges;
}

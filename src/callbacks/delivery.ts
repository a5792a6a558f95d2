import { StoreError } from "../store/errors.ts";

/** A callback as it arrived: over HTTP, or through a relay. */
export interface Delivery {
  /** The path below the public address, which names the execution: `/<secret path>`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whether a relay parsed the body and wrote it anew, so that a signature may no longer fit. */
  readonly isRewritten?: true;
  /** When a relay received it (ms since 1970), while this machine was away. */
  readonly arrivedAt?: number;
}

/** Stores a callback. Resolves with the HTTP status to answer: 2xx only once it is in the store. Never rejects. */
export type Receive = (delivery: Delivery) => Promise<number>;

/** The HTTP status of a failure: 503 if the callback may come again, 422 if that would fail in the same way, and block the next. */
export function statusAfter(error: unknown): 503 | 422 {
  return error instanceof StoreError ? 503 : 422;
}

/** The largest body of a callback (bytes). A larger one is refused. */
export const mostBytes = 1_000_000;

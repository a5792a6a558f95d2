import { TokenBuckets } from "../service/token-buckets.ts";

export interface Limits {
  /** How many channels there may be. */
  readonly channels: number;
  /** Of a callback's body (bytes). */
  readonly bodyBytes: number;
  /** Of the sealed callbacks of a channel that wait (bytes). */
  readonly waitingBytes: number;
  /** Callbacks of a channel in a row, without a pause. */
  readonly burst: number;
  /** Callbacks of a channel, on average. */
  readonly perSecond: number;
  /** Callbacks of a channel that arrive at the same time. */
  readonly atOnce: number;
  /** How long a request may take to arrive (ms). */
  readonly requestMs: number;
}

export const usualLimits: Limits = {
  channels: 1000,
  // As much as the receiver takes: the sender must hear of what it would refuse.
  bodyBytes: 1_000_000,
  waitingBytes: 64 * 1024 * 1024,
  burst: 5000,
  perSecond: 200,
  atOnce: 50,
  requestMs: 20_000,
};

/** Counts each channel's callbacks, and those that are arriving. */
export class Rates {
  readonly #atOnce: number;
  readonly #buckets: TokenBuckets;
  readonly #arriving = new Map<string, number>();

  constructor(limits: Limits) {
    this.#atOnce = limits.atOnce;
    this.#buckets = new TokenBuckets(limits);
  }

  /** Admits a callback, which must `leave`, or returns in how many seconds the next one may come. */
  enter(channel: string, now: number): number | undefined {
    const arriving = this.#arriving.get(channel) ?? 0;
    if (arriving >= this.#atOnce) return 1;
    const wait = this.#buckets.take(channel, now);
    if (wait === undefined) this.#arriving.set(channel, arriving + 1);
    return wait;
  }

  leave(channel: string): void {
    this.#arriving.set(channel, (this.#arriving.get(channel) ?? 0) - 1);
  }
}

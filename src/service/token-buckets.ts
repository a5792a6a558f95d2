/** A bucket of tokens for each key: a burst in a row, then a number each second. */
export class TokenBuckets {
  readonly #burst: number;
  readonly #perSecond: number;
  readonly #buckets = new Map<string, { left: number; since: number }>();

  constructor({ burst, perSecond }: { readonly burst: number; readonly perSecond: number }) {
    this.#burst = burst;
    this.#perSecond = perSecond;
  }

  /** Takes one token, or returns in how many seconds the next one is there. */
  take(key: string, now: number): number | undefined {
    const bucket = this.#buckets.get(key) ?? { left: this.#burst, since: now };
    const earned = (Math.max(now - bucket.since, 0) / 1000) * this.#perSecond;
    bucket.left = Math.min(this.#burst, bucket.left + earned);
    bucket.since = now;
    this.#buckets.set(key, bucket);
    if (bucket.left < 1) return Math.ceil((1 - bucket.left) / this.#perSecond);
    bucket.left -= 1;
    return undefined;
  }
}

/** For each key, a burst in a row, then a number each second. */
export function tokenBuckets({ burst, perSecond }: { burst: number; perSecond: number }) {
  const buckets = new Map<string, { left: number; since: number }>();
  /** Takes one token, or returns in how many seconds the next one is there. */
  return (key: string, now: number): number | undefined => {
    const bucket = buckets.get(key) ?? { left: burst, since: now };
    const earned = (Math.max(now - bucket.since, 0) / 1000) * perSecond;
    bucket.left = Math.min(burst, bucket.left + earned);
    bucket.since = now;
    buckets.set(key, bucket);
    if (bucket.left < 1) return Math.ceil((1 - bucket.left) / perSecond);
    bucket.left -= 1;
    return undefined;
  };
}

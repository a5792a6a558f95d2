import { CrewApiError } from "./errors.ts";

/** How often a GET is sent in all. */
const attempts = 3;
/** Milliseconds: the upper bound of the first wait; it doubles with each attempt. */
const firstWait = 500;
/** Milliseconds: a longer `Retry-After` is left to the caller. */
const longestWait = 10_000;
/** Milliseconds: no longer than an execution is watched. */
const longestRest = 24 * 60 * 60 * 1000;

/**
 * Milliseconds to wait before a GET is retried; undefined if it isn't. Exponential back-off with full jitter on top of
 * `Retry-After`. A time-out isn't retried: it has taken long enough.
 * @param asked how often it was sent so far
 */
export function retryWait(error: unknown, asked: number, random: () => number): number | undefined {
  if (!(error instanceof CrewApiError) || asked >= attempts) return undefined;
  const passing =
    error.kind === "rateLimited" ||
    error.kind === "gateway" ||
    (error.kind === "server" && error.place === undefined) ||
    error.reason === "reset";
  const rest = error.retryAfterMs ?? 0;
  if (!passing || rest > longestWait) return undefined;
  return rest + random() * firstWait * 2 ** (asked - 1);
}

/** Reads `Retry-After` (seconds, or an HTTP date) as milliseconds from now, at most a day. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? "";
  if (text === "") return undefined;
  const milliseconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(milliseconds) ? undefined : Math.min(Math.max(milliseconds, 0), longestRest);
}

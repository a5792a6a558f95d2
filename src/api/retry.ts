import type { Clock } from "../base/clock.ts";
import { CrewApiError } from "./errors.ts";

/** How often a GET is asked in all. */
const attempts = 3;
/** Milliseconds: the first wait is up to this long, each further one up to twice the one before. */
const firstWait = 500;
/** Milliseconds: a crew that asks for a longer rest than this gets it from the caller, not from a request that seems to hang. */
const longestWait = 10_000;
/** Milliseconds: no rest is longer than an execution is watched. */
const longestRest = 24 * 60 * 60 * 1000;

/**
 * How long to wait before a GET is asked again, in milliseconds; nothing where it is not. Back-off with full jitter on top
 * of what `Retry-After` asks for. Only failures that pass by themselves are worth it; a time-out has cost enough time already.
 * @param asked how often it was asked so far
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

/** Reads `Retry-After` (seconds, or an HTTP date) as milliseconds from now, a day at most; nothing where it can't be read. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? "";
  if (text === "") return undefined;
  const milliseconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(milliseconds) ? undefined : Math.min(Math.max(milliseconds, 0), longestRest);
}

/** Waits; ends early when the signal aborts, which the caller looks at. */
export function wait(
  clock: Clock,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(milliseconds, done);
    signal?.addEventListener("abort", done);
    if (signal?.aborted) done();
  });
}

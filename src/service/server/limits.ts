import type { StartKickoff } from "../app.ts";
import { row, type Database, type Work } from "../database/database.ts";
import { ApiError } from "../errors.ts";
import { countUnderWay } from "../store.ts";
import { TokenBuckets } from "../token-buckets.ts";

/** When to come back if too many executions are under way (s). */
const fullSeconds = 10;
/** How long a count of executions is used (ms). People's decisions change it, too. */
const countedMs = 1000;
/** How long a kickoff waits for the kickoffs before it (ms). */
const longestWaitMs = 10_000;
/** Any number that nothing else uses for an advisory lock with two keys. */
const queueLock = 726_340;

/** Counts requests of each token. An idle one may send those of a minute at once. */
export class RequestRates {
  readonly #perMinute: () => number;
  #buckets: TokenBuckets | undefined;
  #bucketsFor = 0;

  constructor(perMinute: () => number) {
    this.#perMinute = perMinute;
  }

  /** @throws {ApiError} 429 */
  enter(token: string): void {
    const burst = this.#perMinute();
    if (!this.#buckets || burst !== this.#bucketsFor)
      this.#buckets = new TokenBuckets({ burst, perSecond: burst / 60 });
    this.#bucketsFor = burst;
    const retryAfter = this.#buckets.take(token, performance.now());
    if (retryAfter === undefined) return;
    const message = `Too many requests with this token. Try again in ${retryAfter} s`;
    throw new ApiError(429, "Too Many Requests", message, { retryAfter });
  }
}

/**
 * Admits kickoffs of a crew while fewer executions than the limit are queued or running, whichever process has started them.
 * @param limit is asked for at each kickoff
 * @returns what throws an {@link ApiError} 429 instead of running a kickoff
 */
export function createQueue(
  database: Pick<Database, "isShared" | "query">,
  crew: string,
  limit: () => number,
): (kickoff: StartKickoff) => Promise<string> {
  const queue = database.isShared
    ? new SharedQueue(crew, limit)
    : new KickoffQueue(limit, () => database.query(countUnderWay(crew)));
  return (kickoff) => queue.admit(kickoff);
}

/** For one of several processes that admit kickoffs: the change that stores a kickoff counts them. */
class SharedQueue {
  readonly #crew: string;
  readonly #limit: () => number;
  /** Kickoffs are admitted one after the other: if they waited in the database, they would take connections from other requests. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(crew: string, limit: () => number) {
    this.#crew = crew;
    this.#limit = limit;
  }

  async admit(kickoff: StartKickoff): Promise<string> {
    if (this.#limit() === Infinity) return await kickoff();
    const begun = performance.now();
    const started = this.#last.then(() => {
      // If the database hangs, those that have waited for so long must not wait for it one after the other.
      if (performance.now() - begun > longestWaitMs) throw tooMany("Too many kickoffs wait");
      return kickoff(() => this.#requireRoom());
    });
    this.#last = started.catch(() => undefined);
    return await started;
  }

  /** Keeps other processes from counting until the change is stored. */
  *#requireRoom(): Work<void> {
    const limit = this.#limit();
    yield* row("SELECT pg_advisory_xact_lock(?, hashtext(?))", queueLock, this.#crew);
    if ((yield* countUnderWay(this.#crew)) >= limit) throw full(limit);
  }
}

function full(limit: number): ApiError {
  return tooMany(`The crew already has ${limit} executions that are queued or running`);
}

function tooMany(problem: string): ApiError {
  const message = `${problem}. Try again in ${fullSeconds} s`;
  return new ApiError(429, "Too Many Requests", message, { retryAfter: fullSeconds });
}

/** For the only process that admits kickoffs of a crew. */
export class KickoffQueue {
  readonly #limit: () => number;
  readonly #countUnderWay: () => Promise<number>;
  /** How many kickoffs may still come before the executions are counted again. */
  #left = 0;
  #countedAt = -Infinity;
  #counting: Promise<void> | undefined;
  /** Kickoffs whose execution may not be stored yet. */
  readonly #starting = new Set<Promise<string>>();

  /** @param countUnderWay counts executions that haven't ended and don't wait for a person */
  constructor(limit: () => number, countUnderWay: () => Promise<number>) {
    this.#limit = limit;
    this.#countUnderWay = countUnderWay;
  }

  /** @throws {ApiError} 429 */
  async admit(kickoff: () => Promise<string>): Promise<string> {
    if (this.#left <= 0 || performance.now() - this.#countedAt >= countedMs)
      await (this.#counting ??= this.#count());
    if (this.#left <= 0) throw full(this.#limit());
    this.#left -= 1;
    const starting = kickoff();
    this.#starting.add(starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(starting);
    }
  }

  async #count(): Promise<void> {
    try {
      // No other kickoff is admitted meanwhile.
      await Promise.allSettled(this.#starting);
      this.#left = this.#limit() - (await this.#countUnderWay());
      this.#countedAt = performance.now();
    } finally {
      this.#counting = undefined;
    }
  }
}

import type { StartKickoff } from "../app.ts";
import { row, type Database, type Work } from "../database/database.ts";
import { ApiError } from "../errors.ts";
import { countUnderWay } from "../store.ts";

/** `Retry-After` of a kickoff that is refused (s). */
const fullSeconds = 10;
/** How long a count of executions is used before they are counted again (ms). */
const countedMs = 1000;
/** How long a kickoff waits for earlier kickoffs before it is refused (ms). */
const longestWaitMs = 10_000;
/** The first key of the advisory lock. The number is arbitrary; no other lock may use it. */
const queueLock = 726_340;

/**
 * Limits how many executions of a crew are queued or running, in all processes together.
 * @param limit is called at each kickoff, because the configuration may change
 * @returns a function that runs a kickoff, or throws an {@link ApiError} 429
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

/** Admits kickoffs where several processes do. Each kickoff counts the executions in the transaction that stores it. */
class SharedQueue {
  readonly #crew: string;
  readonly #limit: () => number;
  /** Kickoffs run one after the other. If they waited in the database instead, they would use up its connections. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(crew: string, limit: () => number) {
    this.#crew = crew;
    this.#limit = limit;
  }

  async admit(kickoff: StartKickoff): Promise<string> {
    if (this.#limit() === Infinity) return await kickoff();
    const begun = performance.now();
    const started = this.#last.then(() => {
      // If the database hangs, refuse those that have already waited, instead of letting each of them wait for it.
      if (performance.now() - begun > longestWaitMs) throw tooMany("Too many kickoffs wait");
      return kickoff(() => this.#requireRoom());
    });
    this.#last = started.catch(() => undefined);
    return await started;
  }

  /** Counts under a lock that lasts until the transaction ends, so that other processes count after it. @throws {ApiError} 429 */
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

/** Admits kickoffs where no other process does. It counts the executions at most once a second. */
export class KickoffQueue {
  readonly #limit: () => number;
  readonly #countUnderWay: () => Promise<number>;
  /** How many more kickoffs are admitted before the next count. */
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
      // Wait until the admitted kickoffs are stored, so that the count includes them. No other is admitted meanwhile.
      await Promise.allSettled(this.#starting);
      this.#left = this.#limit() - (await this.#countUnderWay());
      this.#countedAt = performance.now();
    } finally {
      this.#counting = undefined;
    }
  }
}

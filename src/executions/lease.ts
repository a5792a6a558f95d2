import type { Clock } from "../base/clock.ts";
import type { ProblemLog } from "../base/errors.ts";
import { type Disposable, Emitter } from "../base/events.ts";
import type { Database } from "../store/database.ts";

/** How often a lease is renewed, and after what time it expires (ms). */
const [renewal, expiry] = [5_000, 15_000];

interface LeaseOptions {
  readonly database: Pick<Database, "get" | "run">;
  readonly clock: Clock;
  /** Unique among all windows that share the database. */
  readonly owner: string;
  /** For database errors; the lease isn't held then, and is requested again. */
  readonly log: ProblemLog;
}

/** Which window polls and notifies, never who may write. Renewal and `confirm` notice a loss. */
export class Lease implements Disposable {
  readonly #options: LeaseOptions;
  readonly #changed = new Emitter<boolean>((error) =>
    this.#options.log.problem("A listener of the polling lease failed.", error),
  );
  readonly onDidChange = this.#changed.event;
  #held = false;
  #isDisposed = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  get isHeld(): boolean {
    return this.#held;
  }

  start(): void {
    this.#take(false);
  }

  takeOver(): void {
    this.#take(true);
  }

  stop(): void {
    const { database, owner } = this.#options;
    this.#cancelTimer?.();
    if (this.#held) this.#try(() => database.run("DELETE FROM lease WHERE owner = ?", owner) === 1);
    this.#setHeld(false);
  }

  confirm(): boolean {
    const { database, clock, owner } = this.#options;
    const mine = "SELECT 1 FROM lease WHERE owner = ? AND expires_at > ?";
    if (this.#held)
      this.#setHeld(this.#try(() => database.get(mine, owner, clock.now()) !== undefined));
    return this.#held;
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#changed.dispose();
    this.stop();
  }

  /** One statement, so that only one of several windows gets a free lease. */
  #take(fromAnyone: boolean): void {
    if (this.#isDisposed) return;
    const { database, clock, owner } = this.#options;
    this.#cancelTimer?.();
    this.#cancelTimer = clock.after(renewal, () => this.#take(false));
    const now = clock.now();
    // An expiry too far ahead was written before the clock was set back.
    const take = `
      INSERT INTO lease (id, owner, expires_at) VALUES (1, ?1, ?2)
      ON CONFLICT (id) DO UPDATE SET owner = ?1, expires_at = ?2
      WHERE ?3 OR owner = ?1 OR expires_at <= ?4 OR expires_at > ?2`;
    this.#setHeld(
      this.#try(() => database.run(take, owner, now + expiry, fromAnyone ? 1 : 0, now) === 1),
    );
  }

  #try(action: () => boolean): boolean {
    try {
      return action();
    } catch (error) {
      this.#options.log.problem("Could not decide which window polls; trying again.", error);
      return false;
    }
  }

  #setHeld(held: boolean): void {
    if (held === this.#held) return;
    this.#held = held;
    this.#changed.fire(held);
  }
}

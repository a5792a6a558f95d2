import type { Clock } from "../base/clock.ts";
import { type Disposable, Emitter, type Event } from "../base/events.ts";
import type { Database } from "../store/database.ts";

/** Milliseconds between two renewals. */
const RENEW = 5_000;
/** Milliseconds after which a lease that was not renewed belongs to nobody. */
const STALE = 15_000;

/** What a lease needs. */
export interface LeaseOptions {
  readonly database: Pick<Database, "get" | "run">;
  readonly clock: Clock;
  /** Names this window among all that ever shared the database. */
  readonly owner: string;
  /** Reports a database that can't be used; the lease is then not held, and tried again. */
  onProblem(message: string, error: unknown): void;
}

/**
 * Decides which of several windows polls and notifies; never who may write.
 * A window takes it when nobody has renewed it for 15 s, or at any time when its person looks at it. The one that lost it
 * sees so at its next renewal, at most 5 s later; `confirm()` asks at once, for what must not happen twice.
 */
export class Lease implements Disposable {
  readonly #options: LeaseOptions;
  readonly #changed: Emitter<boolean>;
  readonly onDidChange: Event<boolean>;
  #held = false;
  #isDisposed = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#changed = new Emitter((error) =>
      options.onProblem("A listener of the polling lease failed.", error),
    );
    this.onDidChange = this.#changed.event;
  }

  /** Whether this window polls and notifies. */
  get isHeld(): boolean {
    return this.#held;
  }

  /** Begins to take part, and takes a lease that is free. */
  start(): void {
    this.#take("free or mine");
  }

  /** Takes the lease whoever has it: this window has the person's attention. */
  takeOver(): void {
    this.#take("anyone's");
  }

  /** Takes part no more and gives the lease back, until it is started again. */
  stop(): void {
    this.#cancelTimer?.();
    if (this.#held) this.#try(() => this.#giveBack());
    this.#setHeld(false);
  }

  /** Whether the lease is held right now, as the database has it. */
  confirm(): boolean {
    if (this.#held) this.#setHeld(this.#try(() => this.#isMine()) ?? false);
    return this.#held;
  }

  /** Gives the lease back at once, so that another window need not wait for it to become stale. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#changed.dispose();
    this.stop();
  }

  #take(which: "free or mine" | "anyone's"): void {
    if (this.#isDisposed) return;
    this.#cancelTimer?.();
    this.#cancelTimer = this.#options.clock.after(RENEW, () => this.#take("free or mine"));
    this.#setHeld(this.#try(() => this.#write(which === "anyone's")) ?? false);
  }

  /** One statement, so that of several windows that find it free at once one gets it. @returns whether this window has it now */
  #write(fromAnyone: boolean): boolean {
    const { database, clock, owner } = this.#options;
    const now = clock.now();
    // An end that is too far away was written before the clock was set back.
    return (
      database.run(
        `INSERT INTO lease (id, owner, expires_at) VALUES (1, ?1, ?2)
         ON CONFLICT (id) DO UPDATE SET owner = ?1, expires_at = ?2
         WHERE ?3 OR owner = ?1 OR expires_at <= ?4 OR expires_at > ?2`,
        owner,
        now + STALE,
        fromAnyone ? 1 : 0,
        now,
      ) === 1
    );
  }

  #isMine(): boolean {
    const { database, clock, owner } = this.#options;
    return (
      database.get(
        "SELECT owner FROM lease WHERE owner = ? AND expires_at > ?",
        owner,
        clock.now(),
      ) !== undefined
    );
  }

  #giveBack(): void {
    this.#options.database.run("DELETE FROM lease WHERE owner = ?", this.#options.owner);
  }

  #try<T>(action: () => T): T | undefined {
    try {
      return action();
    } catch (error) {
      this.#options.onProblem("Which window polls could not be decided; trying again.", error);
      return undefined;
    }
  }

  #setHeld(held: boolean): void {
    if (held === this.#held) return;
    this.#held = held;
    this.#changed.fire(held);
  }
}

import { randomUUID } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import type { ProblemLog } from "../base/errors.ts";
import { type Disposable, Emitter } from "../base/events.ts";
import type { Database } from "./database.ts";

/** How often the lead is renewed, and after what time it expires (ms). */
const [renewal, expiry] = [5_000, 15_000];

interface LeaderOptions {
  readonly database: Pick<Database, "get" | "run">;
  readonly clock: Clock;
  /** For database errors; this window doesn't lead then, and tries again. */
  readonly log: ProblemLog;
}

/** One window polls and notifies; any may write. A new one is seen at renewal, or by `confirm`. */
export class Leader implements Disposable {
  readonly #options: LeaderOptions;
  readonly #owner = randomUUID();
  readonly #changed = new Emitter<boolean>((error) =>
    this.#options.log.problem("A listener of the leading window failed.", error),
  );
  readonly onDidChange = this.#changed.event;
  #isThisWindow = false;
  #isDisposed = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: LeaderOptions) {
    this.#options = options;
  }

  get isThisWindow(): boolean {
    return this.#isThisWindow;
  }

  start(): void {
    this.#take(false);
  }

  takeOver(): void {
    this.#take(true);
  }

  stop(): void {
    this.#cancelTimer?.();
    const release = "DELETE FROM lease WHERE owner = ?";
    if (this.#isThisWindow) this.#try((database) => database.run(release, this.#owner) === 1);
    this.#set(false);
  }

  confirm(): boolean {
    const own = "SELECT 1 FROM lease WHERE owner = ? AND expires_at > ?";
    const now = this.#options.clock.now();
    if (this.#isThisWindow)
      this.#set(this.#try((database) => database.get(own, this.#owner, now) !== undefined));
    return this.#isThisWindow;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#changed.dispose();
    this.stop();
  }

  /** One statement, so that only one of several windows gets a free lead. */
  #take(fromAnyone: boolean): void {
    if (this.#isDisposed) return;
    const { clock } = this.#options;
    this.#cancelTimer?.();
    this.#cancelTimer = clock.after(renewal, () => this.#take(false));
    const now = clock.now();
    // An expiry too far ahead was written before the clock was set back.
    const take = `
      INSERT INTO lease (id, owner, expires_at) VALUES (1, ?1, ?2)
      ON CONFLICT (id) DO UPDATE SET owner = ?1, expires_at = ?2
      WHERE ?3 OR owner = ?1 OR expires_at <= ?4 OR expires_at > ?2`;
    const values = [this.#owner, now + expiry, Number(fromAnyone), now];
    this.#set(this.#try((database) => database.run(take, ...values) === 1));
  }

  #try(action: (database: LeaderOptions["database"]) => boolean): boolean {
    try {
      return action(this.#options.database);
    } catch (error) {
      this.#options.log.problem("Could not decide which window polls; trying again.", error);
      return false;
    }
  }

  #set(isThisWindow: boolean): void {
    if (isThisWindow === this.#isThisWindow) return;
    this.#isThisWindow = isThisWindow;
    this.#changed.fire(isThisWindow);
  }
}

import { signalOf } from "./crew-run.ts";
import { messageOf } from "./messages.ts";
import type { AttemptKey } from "./model.ts";
import type { ExecutionStore } from "./store.ts";

/** Milliseconds between two tries to wake a run. */
const again = 50;
/** How many runs are woken at a time. */
const batch = 200;

/**
 * Wakes the runs about whose task a person has decided. The decision itself is in the store, where it is safe; a signal only
 * wakes, and is lost when the run does not wait yet. So it is sent until the run has taken the decision, across restarts.
 */
export class DecisionWaker {
  readonly #store: ExecutionStore;
  readonly #signal: (name: string) => Promise<boolean>;
  readonly #log: (line: string) => void;
  /** Signals that reached their run, which takes the decision in a moment. */
  #delivered = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    store: ExecutionStore,
    signal: (name: string) => Promise<boolean>,
    log: (line: string) => void,
  ) {
    this.#store = store;
    this.#signal = signal;
    this.#log = log;
  }

  /** Wakes the run for this decision. */
  async wake(key: AttemptKey): Promise<void> {
    await this.#send(key);
    this.#plan();
  }

  /** Wakes all runs whose decision is not taken, now and until none is left. */
  async wakeAll(): Promise<void> {
    const waiting = this.#store.decisionsNotTaken(batch);
    const delivered = waiting.map(signalOf).filter((name) => this.#delivered.has(name));
    this.#delivered = new Set(delivered);
    if (waiting.length === 0) return;
    for (const key of waiting) if (!this.#delivered.has(signalOf(key))) await this.#send(key);
    this.#plan();
  }

  /** Wakes nobody any more. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  async #send(key: AttemptKey): Promise<void> {
    const name = signalOf(key);
    if (await this.#signal(name)) this.#delivered.add(name);
  }

  #plan(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.wakeAll().catch((error: unknown) => {
        this.#log(`A decision could not be handed to its run yet: ${messageOf(error)}`);
        this.#plan();
      });
    }, again);
  }
}

import { signalOf } from "./crew-run.ts";
import { stableId } from "./deliveries.ts";
import { messageOf } from "./errors.ts";
import type { AttemptKey } from "./model.ts";
import { outputCallbackIds } from "./reporter.ts";
import type { ExecutionStore } from "./store.ts";

/** Milliseconds after which an output counts as seen: the person may know it in another way, and no request takes that long. */
const assumedSeenMs = 1000;

/**
 * Which outputs can have been seen. A resume names a task, not an attempt: if two resumes reject an output at the same time,
 * the second may arrive when the next output waits, and must not decide about that one.
 */
export class SeenOutputs {
  /** When outputs were shown, by id, the oldest first. */
  readonly #shown = new Map<string, number>();

  addStatus(key: AttemptKey): void {
    this.#add(statusId(key));
  }

  addCallback(id: string): void {
    this.#add(id);
  }

  /** Whether a decision now can be about the output of this attempt, which was stored at `since`. */
  isSeen(key: AttemptKey, since: number): boolean {
    // There is no earlier output that the decision could be about.
    if (key.attempt === 1 || Date.now() - since >= assumedSeenMs) return true;
    return [statusId(key), ...outputCallbackIds(key)].some((id) => this.#shown.has(id));
  }

  #add(id: string): void {
    const now = Date.now();
    for (const [old, at] of this.#shown) {
      if (now - at < 2 * assumedSeenMs) break;
      this.#shown.delete(old);
    }
    if (!this.#shown.has(id)) this.#shown.set(id, now);
  }
}

function statusId(key: AttemptKey): string {
  return stableId("status", key.executionId, key.taskIndex, key.attempt);
}

/** Milliseconds between two attempts to wake a run. */
const retryMs = 50;
const batch = 200;

/**
 * Wakes the runs whose task a person decided about. The decision is in the store; a signal only wakes its run, and is lost
 * if the run doesn't wait yet. Therefore it is repeated until the run has taken the decision, also after a restart.
 */
export class DecisionWaker {
  readonly #store: ExecutionStore;
  readonly #signal: (name: string) => Promise<boolean>;
  readonly #log: (line: string) => void;
  /** Signals that reached their run, which is about to take the decision. */
  #delivered = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  /** `signal` resolves to whether a run was waiting for it. */
  constructor(
    store: ExecutionStore,
    signal: (name: string) => Promise<boolean>,
    log: (line: string) => void,
  ) {
    this.#store = store;
    this.#signal = signal;
    this.#log = log;
  }

  async wake(key: AttemptKey): Promise<void> {
    await this.#send(key);
    this.#plan();
  }

  /** Wakes all runs whose decision isn't taken, until there is none. */
  async wakeAll(): Promise<void> {
    const waiting = this.#store.decisionsNotTaken(batch);
    const delivered = waiting.map(signalOf).filter((name) => this.#delivered.has(name));
    this.#delivered = new Set(delivered);
    if (waiting.length === 0) return;
    for (const key of waiting) if (!this.#delivered.has(signalOf(key))) await this.#send(key);
    this.#plan();
  }

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
        this.#log(`A run could not be woken for its decision yet: ${messageOf(error)}`);
        this.#plan();
      });
    }, retryMs);
  }
}

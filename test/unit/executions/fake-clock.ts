import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../../../src/base/clock.ts";

interface Timer {
  readonly at: number;
  readonly action: () => void;
}

export class FakeClock implements Clock {
  #now = Date.parse("2026-10-21T12:00:00.000Z");
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, action: () => void): () => void {
    const timer = { at: this.#now + milliseconds, action };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Advances the clock by milliseconds: runs due timers in order, and the promises that they settle. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await settle();
    for (;;) {
      const next = [...this.#timers]
        .filter((timer) => timer.at <= end)
        .sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.action();
      await settle();
    }
    this.#now = end;
  }
}

/** Waits until promises that need no I/O have settled. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await nextTurn();
}

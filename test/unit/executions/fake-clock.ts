import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../../../src/base/clock.ts";

interface Timer {
  readonly at: number;
  readonly action: () => void;
}

/** Time that stands still until a test moves it. */
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

  /** Timers that are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Lets time pass; timers go off in order, and what they begin goes on as far as it can without real waiting. */
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

/** Lets promises that wait for nothing outside go on. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await nextTurn();
}

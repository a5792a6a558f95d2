import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds between two looks for work. One look costs as much as starting an execution, so requests get their turn before the next. */
const pause = 20;
/** Milliseconds more when there was no work: short at first, then longer. */
const naps = { first: 50, longest: 1000 };

/**
 * Asks for work again and again: soon while there is some or when woken, else after a nap. The library's own loop has no way
 * to be woken, so a new execution would wait for up to a second.
 */
export class Pump {
  readonly #tick: () => Promise<number>;
  #nap = naps.first;
  #loop: Promise<void> | undefined;
  #stopped = false;
  #woken = false;
  #wake: (() => void) | undefined;

  /** `tick` begins whatever work there is and resolves to how much that was. */
  constructor(tick: () => Promise<number>) {
    this.#tick = tick;
  }

  /** Starts, once. */
  start(): void {
    this.#loop ??= this.#run();
  }

  /** Stops, and resolves when it has. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.wake();
    await this.#loop;
  }

  /** Looks for work now, and often for a while. */
  wake(): void {
    this.#nap = naps.first;
    this.#woken = true;
    this.#wake?.();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#woken = false;
      const count = await this.#count();
      await sleep(pause);
      if (count > 0) this.#nap = naps.first;
      else await this.#takeNap();
    }
  }

  async #count(): Promise<number> {
    try {
      return await this.#tick();
    } catch (error) {
      // The database may be busy or the disk full: what was to be done is still there at the next look.
      process.stderr.write(
        `The service could not look for work: ${error instanceof Error ? error.message : String(error)}\n`,
      );
      return 0;
    }
  }

  async #takeNap(): Promise<void> {
    if (this.#woken) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#nap);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
    this.#nap = Math.min(this.#nap * 2, naps.longest);
  }
}

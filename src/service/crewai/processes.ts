import { totalmem } from "node:os";
import type { Worker } from "./worker.ts";

/** What a worker with crewAI needs (bytes, measured). */
const workerBytes = 250 * 2 ** 20;

/** How many workers a machine, or the part of it that a container may use, has memory for: they get half of it. */
export function usualMost(): number {
  const memory = process.constrainedMemory() || totalmem();
  return Math.max(1, Math.floor(Math.min(memory, totalmem()) / 2 / workerBytes));
}

/** The Python processes of a service. Those that only wait leave when others need their place, the longest-waiting first. */
export class Processes {
  readonly most: number;
  readonly #all = new Set<Worker>();
  /** In the order in which they began to wait. */
  readonly #idle = new Map<Worker, () => void>();

  constructor(most: number) {
    this.most = most;
  }

  get haveRoom(): boolean {
    return this.#all.size < this.most;
  }

  makeRoom(): void {
    for (const [worker, end] of this.#idle) {
      if (this.haveRoom) return;
      this.#forget(worker);
      end();
    }
  }

  add(worker: Worker): void {
    this.#all.add(worker);
    void worker.ended.then(() => this.#forget(worker));
  }

  idle(worker: Worker, end: () => void): void {
    this.#idle.set(worker, end);
  }

  busy(worker: Worker): void {
    this.#idle.delete(worker);
  }

  #forget(worker: Worker): void {
    this.#all.delete(worker);
    this.#idle.delete(worker);
  }
}

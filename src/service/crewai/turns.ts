import { WorkerEnded } from "./worker.ts";

/** Lets a number of executions work at a time; the others wait in the order in which they came. */
export class Turns {
  readonly #limit: number;
  readonly #working = new Set<string>();
  #queue: {
    readonly id: string;
    readonly start: () => void;
    readonly refuse: (error: Error) => void;
  }[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get areFree(): boolean {
    return this.#working.size === 0;
  }

  has(id: string): boolean {
    return this.#working.has(id);
  }

  isQueued(id: string): boolean {
    return this.#queue.some((queued) => queued.id === id);
  }

  async take(id: string, onWait: () => void): Promise<void> {
    if (this.#working.has(id)) return;
    if (this.#working.size < this.#limit) {
      this.#working.add(id);
      return;
    }
    onWait();
    await new Promise<void>((start, refuse) => this.#queue.push({ id, start, refuse }));
  }

  /** An execution that has ended needs no turn any more. */
  give(id: string, hasEnded: boolean): void {
    if (hasEnded) {
      for (const queued of this.#queue) if (queued.id === id) queued.refuse(stopped());
      this.#queue = this.#queue.filter((queued) => queued.id !== id);
    }
    if (!this.#working.delete(id)) return;
    const next = this.#queue.shift();
    if (next === undefined) return;
    this.#working.add(next.id);
    next.start();
  }
}

export function stopped(): Error {
  return new WorkerEnded("The execution was stopped.");
}

import { totalmem } from "node:os";
import { Worker, type WorkerOptions } from "./worker.ts";

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
  readonly #waiting = new Map<Worker, NodeJS.Timeout>();
  /** Of those who wait for room, in their order. */
  readonly #vacancies: Omit<PromiseWithResolvers<undefined>, "promise">[] = [];

  constructor(most: number) {
    this.most = most;
  }

  get haveRoom(): boolean {
    return this.#all.size < this.most;
  }

  /** Resolves when there is room for another one. Rejects if the service ends. */
  async room(): Promise<void> {
    while (!this.haveRoom) {
      const [longest] = this.#waiting.keys();
      const { promise, ...vacancy } = Promise.withResolvers<undefined>();
      this.#vacancies.push(vacancy);
      if (longest) this.end(longest);
      await promise;
    }
  }

  start(options: WorkerOptions): Worker {
    const worker = new Worker(options);
    this.#all.add(worker);
    void worker.ended.then(() => this.#forget(worker));
    return worker;
  }

  /** Whether it runs and was not asked to end. */
  has(worker: Worker): boolean {
    return this.#all.has(worker);
  }

  /** It has nothing to do now, and leaves for others, or after so many milliseconds. */
  wait(worker: Worker, milliseconds: number): void {
    this.work(worker);
    if (!this.has(worker)) return;
    if (this.#vacancies.length > 0) this.end(worker);
    else this.#waiting.set(worker, setTimeout(() => this.end(worker), milliseconds).unref());
  }

  work(worker: Worker): void {
    clearTimeout(this.#waiting.get(worker));
    this.#waiting.delete(worker);
  }

  end(worker: Worker): void {
    this.#forget(worker);
    worker.end();
  }

  endAll(): void {
    for (const { reject } of this.#vacancies.splice(0)) reject(new Error("The service ends."));
    for (const worker of this.#all) this.end(worker);
  }

  #forget(worker: Worker): void {
    this.work(worker);
    this.#all.delete(worker);
    this.#vacancies.shift()?.resolve(undefined);
  }
}

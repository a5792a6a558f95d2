import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "./database/database.ts";
import { messageOf } from "./errors.ts";
import type { Job, Jobs } from "./jobs.ts";
import type { Log } from "./operations/log.ts";
import type { ServedCrew } from "./service.ts";

/** How many executions of a crew run at a time whose engine has no limit of its own. */
const usualParallel = 16;

/** How often to look for jobs that no notice has reported, such as those of a process that is gone (ms). */
const lookMs = 2000;

/** How long a process that is at work waits before it looks for more (ms). */
const gatheringMs = 25;

/** How often to report that this process still has its jobs (ms): three times in pg-boss's time-out. */
const keepMs = 3000;

interface RunnerParts {
  readonly jobs: Jobs;
  readonly database: Pick<Database, "onNotice">;
  readonly crews: readonly ServedCrew[];
  readonly maxProcesses: number;
  /** Does what an execution has to do. Resolves to whether nothing is left to do. Never rejects. */
  readonly run: (executionId: string, crew: ServedCrew) => Promise<boolean>;
  /** Called now and then while something is under way: the notice of its end may have been lost. */
  readonly check: () => Promise<void>;
  readonly log: Log;
}

interface Running {
  readonly crew: ServedCrew;
  readonly job: Job;
  readonly done: Promise<void>;
}

/** Takes jobs while there is room for them, in turn for each crew, and does them. */
export class Runner {
  readonly #parts: RunnerParts;
  readonly #running = new Map<string, Running>();
  #next = 0;
  #looking: Promise<void> | undefined;
  #isDue = false;
  #isWorking = false;
  #timers: readonly NodeJS.Timeout[] = [];
  #stopListening = (): void => undefined;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  get isStopping(): boolean {
    return !this.#isWorking;
  }

  work(): void {
    this.#isWorking = true;
    this.#stopListening = this.#parts.database.onNotice(({ kind }) => {
      if (kind === "job") this.#look();
    });
    this.#timers = [
      setInterval(() => this.#look(), lookMs).unref(),
      setInterval(() => void this.#keep(), keepMs).unref(),
    ];
    this.#look();
  }

  async drain(): Promise<void> {
    this.#isWorking = false;
    this.#stopListening();
    for (const timer of this.#timers) clearInterval(timer);
    await this.#looking;
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  async giveBack(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ job }) => job.giveBack()));
  }

  #look(): void {
    this.#isDue = true;
    if (this.#isWorking)
      this.#looking ??= this.#takeAll().finally(() => (this.#looking = undefined));
  }

  async #takeAll(): Promise<void> {
    while (this.#isDue && this.#isWorking) {
      // More room, and more jobs, need only one look.
      if (this.#running.size > 0) await sleep(gatheringMs);
      this.#isDue = false;
      try {
        if (await this.#takeSome()) this.#isDue = true;
      } catch (error) {
        // It looks again soon.
        this.#parts.log(`The service could not look for work: ${messageOf(error)}`, {
          level: "error",
        });
      }
    }
  }

  /** Takes jobs of the next crew that has some. Resolves to whether one has. */
  async #takeSome(): Promise<boolean> {
    const { crews, jobs } = this.#parts;
    for (let count = 0; count < crews.length; count += 1) {
      const crew = crews[this.#next % crews.length];
      this.#next = (this.#next + 1) % crews.length;
      const room = crew ? this.#roomFor(crew) : 0;
      if (!crew || room <= 0) continue;
      const taken = await jobs.take(crew.name, room);
      for (const job of taken)
        this.#running.set(job.executionId, { crew, job, done: this.#do(job, crew) });
      if (taken.length > 0) return true;
    }
    return false;
  }

  /** How many more executions of a crew may run. Processes are given to one after the other, because crews share them. */
  #roomFor({ name, engine: { parallel, startsProcesses } }: ServedCrew): number {
    const running = [...this.#running.values()].map(({ crew }) => crew);
    const room = (parallel ?? usualParallel) - running.filter((crew) => crew.name === name).length;
    if (!startsProcesses) return room;
    const processes = running.filter(({ engine }) => engine.startsProcesses).length;
    return Math.min(room, this.#parts.maxProcesses - processes, 1);
  }

  async #do(job: Job, crew: ServedCrew): Promise<void> {
    const { run, log } = this.#parts;
    const isDone = await run(job.executionId, crew);
    try {
      // A process that was slow may have taken the turn, without a job: whoever takes this one takes the turn from it.
      await (isDone ? job.done() : job.giveBack());
    } catch (error) {
      // It is done again, which changes nothing.
      log(`The end of a turn could not be stored: ${messageOf(error)}`);
    }
    this.#running.delete(job.executionId);
    this.#look();
  }

  async #keep(): Promise<void> {
    if (this.#running.size === 0) return;
    for (const { job } of this.#running.values()) await job.keep().catch(() => undefined);
    await this.#parts.check().catch(() => undefined);
  }
}

import { setTimeout as sleep } from "node:timers/promises";
import type { Team } from "./team.ts";

/** Milliseconds between two looks. */
const pauseMs = 200;

/** Measures how long places of running workers stayed empty while executions of a crew were queued. */
export class IdleWatch {
  readonly #team: Team;
  readonly #parallel: number;
  readonly #since = new Map<string, number>();
  #isWatching = true;
  #disturbances = 0;
  looks = 0;
  longestMs = 0;

  /** @param parallel how many executions of a crew a worker runs */
  constructor(team: Team, parallel: number) {
    this.#team = team;
    this.#parallel = parallel;
  }

  /** Nothing is expected of workers meanwhile. */
  async disturb(what: () => Promise<void>): Promise<void> {
    this.#disturbances += 1;
    await what();
    this.#since.clear();
    this.#disturbances -= 1;
  }

  async run(): Promise<void> {
    while (this.#isWatching) {
      await sleep(pauseMs);
      // The database may be down meanwhile.
      const jobs = this.#disturbances > 0 ? [] : await this.#team.jobs().catch(() => []);
      if (this.#disturbances === 0) this.#look(jobs);
    }
  }

  end(): void {
    this.#isWatching = false;
  }

  #look(jobs: Awaited<ReturnType<Team["jobs"]>>): void {
    const workers = this.#team.members.filter(
      ({ role, isRunning, isPaused }) => role !== "api" && isRunning && !isPaused,
    );
    this.looks += 1;
    for (const { crew, queued, taken } of jobs) {
      const isIdle = queued > 0 && taken < workers.length * this.#parallel;
      if (!isIdle) this.#since.delete(crew);
      else if (!this.#since.has(crew)) this.#since.set(crew, performance.now());
      const since = this.#since.get(crew) ?? performance.now();
      this.longestMs = Math.max(this.longestMs, performance.now() - since);
    }
  }
}

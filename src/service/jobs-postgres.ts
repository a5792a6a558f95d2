import type pg from "pg";
import { PgBoss, policies, type ConstructorOptions, type Db, type JobAttempt } from "pg-boss";
import type { Row } from "../base/sqlite.ts";
import { patiently, tell, type Ask, type Work } from "./database/database.ts";
import { messageOf } from "./errors.ts";
import type { Job, Jobs } from "./jobs.ts";
import { sharing } from "./sharing.ts";

const schema = "crewdeck_jobs";

/** pg-boss's least time after which a job of a process that is gone belongs to others (s). */
const heartbeatSeconds = 10;

const yearSeconds = 365 * 86_400;

interface Data {
  readonly id: string;
}

/** pg-boss hands the jobs out, a queue for each crew: any number of processes take them, each one once. */
export class PostgresJobs implements Jobs {
  readonly #boss: PgBoss;
  readonly #queues = new Map<string, Promise<void>>();
  #ended: { readonly queue: string; readonly job: JobAttempt }[] = [];
  /** Jobs that end at the same moment are stored together. */
  readonly #complete = sharing(async () => {
    const ended = Map.groupBy(this.#ended.splice(0), ({ queue }) => queue);
    for (const [queue, jobs] of ended)
      await patiently(() =>
        this.#boss.complete(
          queue,
          jobs.map(({ job }) => job),
        ),
      );
  });

  constructor(pool: pg.Pool, log: (line: string) => void) {
    const options: ConstructorOptions = {
      db: adapterOf((text, values) => pool.query<Row>(text, values)),
      schema,
      schedule: false,
      registerInstance: false,
      superviseIntervalSeconds: 1,
      monitorIntervalSeconds: 1,
    };
    this.#boss = new PgBoss(options);
    this.#boss.on("error", (error) => log(`The queue of executions reports: ${messageOf(error)}`));
  }

  async start(): Promise<void> {
    await this.#boss.start();
  }

  async stop(): Promise<void> {
    await this.#boss.stop({ graceful: false, close: false });
  }

  async open(crew: string): Promise<void> {
    const queue = queueOf(crew);
    const created = this.#queues.get(queue) ?? this.#create(queue);
    this.#queues.set(queue, created);
    created.catch(() => this.#queues.delete(queue));
    await created;
  }

  async #create(queue: string): Promise<void> {
    await this.#boss.createQueue(queue, {
      // Of an execution, one job waits and one is taken, at most.
      policy: policies.stately,
      heartbeatSeconds,
      // An attempt may take hours. A process that is gone is noticed by its heartbeat.
      expireInSeconds: 86_400,
      retentionSeconds: 10 * yearSeconds,
      retryLimit: 1_000_000,
      deleteAfterSeconds: 60,
    });
  }

  *add(crew: string, ...executionIds: readonly string[]): Work<void> {
    const jobs = executionIds.map((id) => ({ data: { id } satisfies Data, singletonKey: id }));
    yield {
      call: async (ask) => {
        await this.open(crew);
        await this.#boss.insert(queueOf(crew), jobs, { db: adapterOf(ask) });
      },
    };
    yield* tell({ kind: "job" });
  }

  async take(crew: string, most: number): Promise<readonly Job[]> {
    await this.open(crew);
    const queue = queueOf(crew);
    const jobs = await this.#boss.fetch<Data>(queue, { batchSize: most });
    return jobs.map((job) => ({
      executionId: job.data.id,
      keep: async () => {
        await this.#boss.touch(queue, job);
      },
      done: async () => {
        this.#ended.push({ queue, job });
        await this.#complete();
      },
      giveBack: async () => {
        await this.#boss.fail(queue, job);
      },
    }));
  }
}

/** pg-boss takes only letters, digits, and `-_./`. */
function queueOf(crew: string): string {
  return `crew/${Buffer.from(crew).toString("base64url")}`;
}

function adapterOf(ask: Ask): Db {
  // Several statements at once may have no values, and answer a list.
  return { executeSql: (text, values) => ask(text, values) };
}

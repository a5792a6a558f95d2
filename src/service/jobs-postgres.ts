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

interface Queue {
  readonly name: string;
  readonly created: Promise<void>;
  readonly complete: (job: JobAttempt) => Promise<void>;
}

/** pg-boss hands the jobs out, a queue for each crew: any number of processes take them, each one once. */
export class PostgresJobs implements Jobs {
  readonly #boss: PgBoss;
  readonly #queues = new Map<string, Queue>();

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

  async open(crew: string): Promise<Queue> {
    const name = queueOf(crew);
    const queue = this.#queues.get(name) ?? {
      name,
      created: this.#create(name),
      complete: completing(this.#boss, name),
    };
    this.#queues.set(name, queue);
    queue.created.catch(() => this.#queues.delete(name));
    await queue.created;
    return queue;
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
        const { name } = await this.open(crew);
        await this.#boss.insert(name, jobs, { db: adapterOf(ask) });
      },
    };
    yield* tell({ kind: "job" });
  }

  async take(crew: string, most: number): Promise<readonly Job[]> {
    const { name, complete } = await this.open(crew);
    const jobs = await this.#boss.fetch<Data>(name, { batchSize: most });
    return jobs.map((job) => ({
      executionId: job.data.id,
      keep: async () => {
        await this.#boss.touch(name, job);
      },
      done: () => complete(job),
      giveBack: async () => {
        await this.#boss.fail(name, job);
      },
    }));
  }
}

/** Jobs that end at the same moment are stored by one query. */
function completing(boss: PgBoss, queue: string): Queue["complete"] {
  let ended: JobAttempt[] = [];
  const complete = sharing(async () => {
    const together = ended;
    ended = [];
    await patiently(() => boss.complete(queue, together));
  });
  return async (job) => {
    ended.push(job);
    await complete();
  };
}

/** pg-boss takes only letters, digits, and `-_./`. */
function queueOf(crew: string): string {
  return `crew/${Buffer.from(crew).toString("base64url")}`;
}

function adapterOf(ask: Ask): Db {
  // Several statements at once may have no values, and answer a list.
  return { executeSql: (text, values) => ask(text, values) };
}

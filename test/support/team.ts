import path from "node:path";
import pg from "pg";
import type { Row } from "../../src/base/sqlite.ts";
import { CrewApi } from "./crew-api.ts";
import { temporaryFolder } from "./folders.ts";
import { startProgram, type RunningProgram } from "./service.ts";
import { rowsIn } from "./sqlite.ts";

export type Role = "api" | "worker" | "both";

export interface TeamOptions {
  readonly roles: readonly Role[];
  /** The address of a Postgres database; without it, one process with a SQLite file of its own. */
  readonly database?: string;
  readonly folder: string;
  readonly args?: readonly string[];
  readonly env?: (index: number) => NodeJS.ProcessEnv;
}

const token = "T";

/** One process of a team, which may be killed and started again. */
export class Member {
  readonly name: string;
  readonly role: Role;
  readonly #start: () => Promise<RunningProgram>;
  #program: RunningProgram | undefined;
  /** Whether it was stopped by SIGSTOP. */
  isPaused = false;
  /** What it logged before it ended by itself, which it never should. */
  problem: string | undefined;

  constructor(name: string, role: Role, start: () => Promise<RunningProgram>) {
    this.name = name;
    this.role = role;
    this.#start = start;
  }

  async start(): Promise<void> {
    const program = await this.#start();
    this.#program = program;
    program.child.once("close", (code, signal) => {
      if (this.#program !== program) return;
      this.#program = undefined;
      this.problem = `${this.name} ended with ${code ?? signal}: ${program.log().slice(-2000)}`;
    });
  }

  /** What it printed when it started. Empty while it doesn't run. */
  get announced(): RunningProgram["announced"] {
    return this.#program?.announced ?? {};
  }

  get url(): string | undefined {
    const { url } = this.announced;
    return typeof url === "string" ? url : undefined;
  }

  /** Undefined while it doesn't run, or if it answers no requests. */
  get api(): CrewApi | undefined {
    const { url } = this;
    return this.role === "worker" || url === undefined ? undefined : new CrewApi({ url, token });
  }

  /** Undefined while it doesn't run. */
  get pid(): number | undefined {
    return this.#program?.child.pid;
  }

  get isRunning(): boolean {
    return this.#program !== undefined;
  }

  /** Ends it. @returns its exit code, null after a signal */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<number | null> {
    const program = this.#program;
    this.#program = undefined;
    if (this.isPaused) program?.child.kill("SIGCONT");
    this.isPaused = false;
    return (await program?.end(signal)) ?? null;
  }

  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
    this.#program?.child.kill(isPaused ? "SIGSTOP" : "SIGCONT");
  }
}

export class Team {
  readonly members: readonly Member[];
  /** Its `--data` folder, on SQLite. */
  readonly data: string | undefined;
  readonly #database: string | undefined;

  private constructor(
    members: readonly Member[],
    data: string | undefined,
    database: string | undefined,
  ) {
    this.members = members;
    this.data = data;
    this.#database = database;
  }

  /** Prepares a team; none of its processes runs yet. */
  static of({ roles, database, folder, args = [], env }: TeamOptions): Team {
    const data = database === undefined ? temporaryFolder("team") : undefined;
    const common = [folder, "--token", token, "--user-token", "U", ...args];
    const members = roles.map((role, index) => {
      const own =
        data === undefined
          ? ["--database", database ?? "", "--role", role, "--callback-networks", "127.0.0.0/8"]
          : ["--data", data];
      return new Member(`${role} ${index + 1}`, role, () =>
        startProgram([...common, ...own], env?.(index)),
      );
    });
    return new Team(members, data, database);
  }

  async start(): Promise<void> {
    await Promise.all(this.members.map((member) => member.start()));
  }

  /** Clients of the processes that answer requests now. */
  get apis(): readonly CrewApi[] {
    return this.members.flatMap(({ api }) => api ?? []);
  }

  /** Ends the leases of all workers, as time does: others take over what they run and what they send. */
  async endLeases(): Promise<void> {
    // A worker that is stopped may hold a row.
    await this.#ask(`
      UPDATE crewdeck_jobs.job SET heartbeat_on = NOW() - INTERVAL '1 minute' WHERE id IN (
        SELECT id FROM crewdeck_jobs.job WHERE state = 'active' FOR UPDATE SKIP LOCKED)`);
    await this.#ask(`
      UPDATE crewdeck.deliveries SET due = 0 WHERE id IN (
        SELECT id FROM crewdeck.deliveries WHERE state = 'pending' FOR UPDATE SKIP LOCKED)`);
  }

  /** How many executions of each crew wait for a worker, and how many a worker has. */
  async jobs(): Promise<readonly { crew: string; queued: number; taken: number }[]> {
    const rows = this.data === undefined ? await this.#ask(postgresJobs) : sqliteJobs(this.data);
    return rows.map(({ crew, queued, taken }) => ({
      crew: String(crew),
      queued: Number(queued),
      taken: Number(taken),
    }));
  }

  /** Asks Postgres, if the team has it. @throws if it doesn't answer, as while it crashes */
  async #ask(text: string): Promise<readonly Row[]> {
    if (this.#database === undefined) return [];
    const client = new pg.Client({ connectionString: this.#database, query_timeout: 5000 });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.end("SIGKILL")));
  }
}

const postgresJobs = `
  SELECT name AS crew, count(*) FILTER (WHERE state = 'active') AS taken,
    count(*) FILTER (WHERE state < 'active' AND NOT EXISTS (
      SELECT FROM crewdeck_jobs.job AS other WHERE other.name = job.name
        AND other.singleton_key = job.singleton_key AND other.state = 'active')) AS queued
  FROM crewdeck_jobs.job WHERE state <= 'active' AND name LIKE 'crew/%' GROUP BY name`;

function sqliteJobs(data: string): readonly Row[] {
  return rowsIn(
    path.join(data, "crewdeck.sqlite"),
    `SELECT crew, sum(phase = 'queued') AS queued, sum(phase = 'running') AS taken FROM executions
     WHERE ended_at IS NULL AND phase IN ('queued', 'running') GROUP BY crew`,
  );
}

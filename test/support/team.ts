import postgres from "postgres";
import { CrewApi } from "./crew-api.ts";
import { temporaryFolder } from "./folders.ts";
import { startProgram, type RunningProgram } from "./service.ts";

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
        data === undefined ? ["--database", database ?? "", "--role", role] : ["--data", data];
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
    if (this.#database === undefined) return;
    const sql = postgres(this.#database, { max: 1, connection: { search_path: "crewdeck" } });
    try {
      // A worker that is stopped may hold a row.
      await sql`
        UPDATE crewdeck_jobs.job SET heartbeat_on = NOW() - INTERVAL '1 minute' WHERE id IN (
          SELECT id FROM crewdeck_jobs.job WHERE state = 'active' FOR UPDATE SKIP LOCKED)`;
      await sql`
        UPDATE deliveries SET due = 0 WHERE id IN (
          SELECT id FROM deliveries WHERE state = 'pending' FOR UPDATE SKIP LOCKED)`;
    } finally {
      await sql.end();
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.end("SIGKILL")));
  }
}

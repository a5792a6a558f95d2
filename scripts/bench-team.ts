// `npm run bench:team`: kickoffs a second and the time of a status, on SQLite with one process and on Postgres with 1, 2 and 4
// workers; then the same with many executions in the database as with none. It fails only if a response is wrong.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { availableParallelism, loadavg, totalmem } from "node:os";
import path from "node:path";
import { fill, copyOf } from "./bench-team/fill.ts";
import { writeProject } from "../test/support/crewai.ts";
import { installPostgres, startPostgres } from "../test/support/postgres.ts";
import { Team, type Role } from "../test/support/team.ts";
import { waitFor } from "../test/support/wait.ts";

const kickoffs = Number(process.env["CREWDECK_BENCH"] ?? 2000);
const rows = Number(process.env["CREWDECK_BENCH_ROWS"] ?? 1_000_000);
/** Requests at a time. */
const together = { kickoffs: [20, 64], statuses: 4 };
const rounds = 3;
const statuses = 2000;
/** Kickoffs one after the other, on an empty and on a full database in turns. */
const alternating = 500;

const agent = new Agent({ keepAlive: true });
// One short task, after which a person is asked: what is measured is the service.
const folder = writeProject({
  "crew.py": `from crewai import Agent, Crew, Task
from crewai.project import CrewBase, agent, crew, task

@CrewBase
class Bench:
    agents_config = "config/agents.yaml"
    tasks_config = "config/tasks.yaml"
    @agent
    def worker(self) -> Agent:
        return Agent(config=self.agents_config["worker"])
    @task
    def only(self) -> Task:
        return Task(config=self.tasks_config["only"])
    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks)
`,
  "config/agents.yaml": "worker:\n  role: Worker\n  goal: Work\n  backstory: You work.\n",
  "config/tasks.yaml":
    "only:\n  description: Do {topic}.\n  expected_output: Text.\n  agent: worker\n  human_input: true\n",
});

console.log(
  `${rounds} times ${kickoffs} kickoffs at each width; ${statuses} statuses, ${together.statuses} at a time; ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}; load before it: ${(loadavg()[0] ?? 0).toFixed(1)}`,
);
const noTeam = await installPostgres();
if (noTeam !== undefined) console.log(`Postgres is not measured: ${noTeam}`);
const postgres =
  noTeam === undefined ? await startPostgres({ settings: { shared_buffers: "256MB" } }) : undefined;
try {
  await compareTeams();
  for (const onPostgres of [false, ...(postgres ? [true] : [])]) await compareFull(onPostgres);
} finally {
  await postgres?.stop();
  rmSync(path.dirname(folder), { recursive: true, force: true });
  agent.destroy();
}

/** A round of each in turn, so that other programs slow down all of them alike. */
async function compareTeams(): Promise<void> {
  const teams: readonly (readonly [string, readonly Role[]])[] = [
    ["SQLite, one process", ["both"]],
    ...(postgres
      ? [1, 2, 4].map((workers) => {
          const name = `Postgres, one API process, ${workers === 1 ? "1 worker" : `${workers} workers`}`;
          return [name, ["api", ...Array<Role>(workers).fill("worker")]] as const;
        })
      : []),
  ];
  const results = new Map(teams.map(([name]) => [name, [] as Round[]]));
  for (let round = 0; round < rounds; round += 1)
    for (const [name, roles] of teams) {
      const team = await startTeam(roles, postgres !== undefined && roles.length > 1);
      results.get(name)?.push(await measure(team));
      await team.stop();
    }
  print(
    "",
    ...together.kickoffs.map((width) => `kickoffs/s, ${width}`),
    "tasks/s",
    "status median",
    "99th percentile",
  );
  for (const [name, list] of results)
    print(
      name,
      ...together.kickoffs.map((_width, index) =>
        middle(list.map((one) => one.kickoffs[index] ?? 0)).toFixed(0),
      ),
      middle(list.map((one) => one.tasks)).toFixed(0),
      `${middle(list.map((one) => one.median)).toFixed(1)} ms`,
      `${middle(list.map((one) => one.late)).toFixed(1)} ms`,
    );
}

interface Round {
  /** A second, at each width. */
  readonly kickoffs: readonly number[];
  /** A second, from the first kickoff until all wait for a person. */
  readonly tasks: number;
  /** Of a status (ms), and its 99th percentile. */
  readonly median: number;
  readonly late: number;
}

async function measure(team: Team): Promise<Round> {
  const url = urlOf(team);
  const ids: string[] = [];
  const begun = performance.now();
  const rates: number[] = [];
  for (const width of together.kickoffs) {
    const before = performance.now();
    await inParallel(kickoffs, width, async () => void ids.push(await kickoff(url)));
    rates.push(kickoffs / ((performance.now() - before) / 1000));
  }
  let next = 0;
  await waitFor(
    "all to wait for a person",
    async () => {
      while (next < ids.length && (await isWaiting(url, ids[next] ?? ""))) next += 1;
      return next === ids.length;
    },
    600_000,
  );
  const waited = performance.now() - begun;
  const times = await statusTimes(url, (n) => ids[(n * 7919) % ids.length] ?? "");
  return {
    kickoffs: rates,
    tasks: ids.length / (waited / 1000),
    ...times,
  };
}

/** An empty database and a full one, with requests in turns. */
async function compareFull(onPostgres: boolean): Promise<void> {
  const roles: readonly Role[] = onPostgres ? ["api", "worker"] : ["both"];
  const empty = await startTeam(roles, onPostgres);
  const database = onPostgres ? await postgres?.createDatabase() : undefined;
  const full = await startTeam(roles, onPostgres, database);
  try {
    const id = await kickoff(urlOf(full));
    await waitFor("the execution to wait", () => isWaiting(urlOf(full), id));
    await end();
    const filling = performance.now();
    const added = await fill(database ?? path.join(full.data ?? "", "crewdeck.sqlite"), rows);
    const place = onPostgres ? "Postgres" : "SQLite";
    console.log(
      `\n${place} with ${rows} executions: ${added} rows added in ${((performance.now() - filling) / 1000).toFixed(0)} s`,
    );
    const begun = performance.now();
    await full.start();
    print("start", `${((performance.now() - begun) / 1000).toFixed(1)} s`);
    const times = { empty: [] as number[], full: [] as number[] };
    for (let n = 0; n < alternating; n += 1)
      for (const [name, team] of Object.entries({ empty, full }) as ["empty" | "full", Team][]) {
        const asked = performance.now();
        await kickoff(urlOf(team));
        times[name].push(performance.now() - asked);
      }
    const [little, much] = [middle(times.empty), middle(times.full)];
    print("a kickoff, empty", `${little.toFixed(2)} ms`);
    print(
      "a kickoff, full",
      `${much.toFixed(2)} ms: ${(much / little).toFixed(2)} times (goal: at most 1.5)`,
    );
    const { median, late } = await statusTimes(urlOf(full), (n) =>
      copyOf(id, 1 + ((n * 7919) % rows)),
    );
    print("status, median", `${median.toFixed(1)} ms`);
    print("status, 99th percentile", `${late.toFixed(1)} ms (goal: at most 20)`);
  } finally {
    await Promise.all([empty.stop(), full.stop()]);
  }

  async function end(): Promise<void> {
    await Promise.all(full.members.map((member) => member.end("SIGTERM")));
  }
}

async function startTeam(
  roles: readonly Role[],
  onPostgres: boolean,
  database?: string,
): Promise<Team> {
  const own = onPostgres ? (database ?? (await postgres?.createDatabase())) : undefined;
  const team = Team.of({
    roles,
    folder,
    args: ["--task-seconds", "0"],
    ...(own !== undefined && { database: own }),
  });
  await team.start();
  return team;
}

function urlOf(team: Team): string {
  return team.apis[0]?.url ?? "";
}

async function kickoff(url: string): Promise<string> {
  const { kickoff_id } = await ask(`${url}/kickoff`, { inputs: { topic: "tea" } });
  return String(kickoff_id);
}

async function isWaiting(url: string, id: string): Promise<boolean> {
  return (await ask(`${url}/${id}/status`))["pending_human_input"] !== undefined;
}

async function statusTimes(url: string, idOf: (n: number) => string) {
  const times: number[] = [];
  await inParallel(statuses, together.statuses, async (n) => {
    const begun = performance.now();
    assert.ok(await isWaiting(url, idOf(n)));
    times.push(performance.now() - begun);
  });
  times.sort((a, b) => a - b);
  return { median: middle(times), late: times[Math.floor(statuses * 0.99)] ?? 0 };
}

/** With little work of its own: `fetch` takes longer than the service. @throws Error unless it is answered 200 */
function ask(url: string, body?: object): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: "Bearer T", "content-type": "application/json" };
    const sent = request(url, { method: body ? "POST" : "GET", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => {
        if (response.statusCode === 200) resolve(JSON.parse(text) as Record<string, unknown>);
        else reject(new Error(`${url} was answered ${response.statusCode}: ${text}`));
      });
    });
    sent.on("error", reject);
    sent.end(body && JSON.stringify(body));
  });
}

async function inParallel(
  times: number,
  width: number,
  action: (n: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < times) await action(next++);
  };
  await Promise.all(Array.from({ length: width }, lane));
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function print(name: string, ...columns: readonly string[]): void {
  console.log(name.padEnd(42) + columns.map((column) => column.padEnd(16)).join(""));
}

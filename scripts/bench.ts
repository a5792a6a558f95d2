// `npm run bench`: measures the opening of the tracked executions, then the local service under load, then a crew of crewAI through the service and alone, and prints the results. It fails only if a response is wrong.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, rmSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { CrewApi, type DocumentedStatus } from "../test/support/crew-api.ts";
import {
  crewaiEnv,
  crewFile,
  installCrewai,
  newestCrewai,
  pythonWith,
  writeProject,
} from "../test/support/crewai.ts";
import { temporaryFolder } from "../test/support/folders.ts";
import {
  countExecutions,
  endedExecutions,
  writeExecutions,
} from "../test/support/many-executions.ts";
import { startModelServer } from "../test/support/model-server.ts";
import { startService, type RunningService } from "../test/support/service.ts";
import { waitFor } from "../test/support/wait.ts";

const executions = Number(process.env["CREWDECK_BENCH"] ?? 10_000);
const together = 20;
const reviewed = Math.min(1000, executions);

const data = temporaryFolder("bench");
const start = () => startService({ args: ["--data", data, "--token", "T", "--task-seconds", "0"] });
let service = await start();
let api = new CrewApi(service);
console.log(
  `${executions} executions of the example crew, ${together} requests at a time, ${availableParallelism()} cores, Node ${process.versions.node}`,
);

const tracked = temporaryFolder("bench-tracked");
writeExecutions(
  tracked,
  endedExecutions({ id: "url:a", name: "A", url: "a" }, executions, Date.now()),
);
const opened = performance.now();
assert.equal(countExecutions(tracked), executions);
report("tracked executions opened", `${(performance.now() - opened).toFixed(0)} ms`);
rmSync(tracked, { recursive: true });

const { inputs } = (await api.get("/inputs")).body as { inputs: string[] };
const request = { inputs: Object.fromEntries(inputs.map((name) => [name, `a ${name}`])) };
const ids: string[] = [];
await timed("kickoffs answered", () =>
  inParallel(executions, async () => void ids.push(await api.kickoff(request))),
);

const waits = async (id: string) =>
  ((await api.get(`/${id}/status`)).body as DocumentedStatus).pending_human_input;
await timed("until all wait for a person", () => {
  let next = 0;
  return waitFor(
    "all to wait",
    async () => {
      while (next < ids.length && (await waits(ids[next] ?? ""))) next += 1;
      return next === ids.length;
    },
    600_000,
  );
});

const times: number[] = [];
await inParallel(
  2000,
  async (n) => {
    const begun = performance.now();
    await api.get(`/${ids[(n * 7919) % ids.length]}/status`);
    times.push(performance.now() - begun);
  },
  4,
);
times.sort((a, b) => a - b);
report(
  "status with all waiting, 4 at a time",
  `median ${(times[1000] ?? 0).toFixed(1)} ms, 99th percentile ${(times[1980] ?? 0).toFixed(1)} ms`,
);

const codes = { 200: 0, 400: 0 };
await timed(`two resumes each of ${reviewed}`, () =>
  inParallel(reviewed, async (n) => {
    const id = ids[n] ?? "";
    const task_id = (await waits(id))?.task_id;
    const body = { execution_id: id, task_id, human_feedback: "again", is_approve: false };
    const answers = await Promise.all([api.post("/resume", body), api.post("/resume", body)]);
    for (const { status } of answers) codes[status as 200 | 400] += 1;
  }),
);
assert.deepEqual(codes, { 200: reviewed, 400: reviewed });
report("of those", `${codes[200]} accepted, ${codes[400]} refused`);

await service.kill();
await timed("restart after SIGKILL to the first answer", async () => {
  service = await start();
  api = new CrewApi(service);
  assert.equal((await api.get("/inputs")).status, 200);
});
await waitFor(
  "the retried ones to wait again",
  async () => (await waits(ids[reviewed - 1] ?? ""))?.attempt === 2,
  600_000,
);
report(
  "memory and database",
  `${memory(service)}, ${Math.round(statSync(path.join(data, "crewdeck.sqlite")).size / 1e6)} MB`,
);
await service.stop();
rmSync(data, { recursive: true });
await benchCrewai();

/** A crew of two tasks through the service, cold and warm, and by crewAI alone; the model answers at once. */
async function benchCrewai(): Promise<void> {
  const missing = await installCrewai();
  if (missing !== undefined) {
    report("crewAI", `not measured: ${missing}`);
    return;
  }
  const model = await startModelServer(() => "A text.");
  const python = await pythonWith(newestCrewai);
  const folder = writeProject({
    "crew.py": crewFile(),
    // As crewAI alone runs it: how long its import takes, and then the crew.
    "alone.py": `import time
begun = time.time()
import crewai
imported = time.time()
from crew import Project
Project().crew().kickoff(inputs={"topic": "tea"})
print(f"\\n{imported - begun} {time.time() - imported}")
`,
  });
  const env = {
    ...crewaiEnv(model),
    CREWAI_TRACING_ENABLED: "false",
    CREWAI_DISABLE_TELEMETRY: "true",
  };
  const alone = async () => {
    const { stdout } = await promisify(execFile)(python, ["alone.py"], {
      cwd: folder,
      env: { ...process.env, ...env },
    });
    return (stdout.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  };
  const start = () =>
    startService({ folder, args: ["--engine", "crewai", "--python", python], env });
  const kickoff = async (service: RunningService) => {
    const api = new CrewApi(service);
    const begun = performance.now();
    const id = await api.kickoff({ inputs: { topic: "tea" } });
    for (;;) {
      const { status, error } = (await api.get(`/${id}/status`)).body as DocumentedStatus;
      assert.notEqual(status, "error", String(error));
      if (status === "completed") return (performance.now() - begun) / 1000;
      await sleep(10);
    }
  };
  // Both compile crewAI at their first import.
  await alone();
  type Times = Record<"imports" | "runs" | "cold" | "warm", number[]>;
  const times: Times = { imports: [], runs: [], cold: [], warm: [] };
  // One after the other, so that other programs slow down all of them alike.
  for (let count = 0; count < 3; count += 1) {
    const [imported = 0, run = 0] = await alone();
    times.imports.push(imported);
    times.runs.push(run);
    const service = await start();
    times.cold.push(await kickoff(service));
    // A spare worker needs some seconds to import crewAI, which a person's next kickoff seldom comes before.
    await sleep(2 * imported * 1000);
    times.warm.push(await kickoff(service));
    await service.stop();
  }
  const middle = (list: readonly number[]) => list.toSorted((a, b) => a - b)[1] ?? 0;
  const seconds = (time: number) => `${time.toFixed(2)} s`;
  const cold = middle(times.cold);
  const warm = middle(times.warm);
  const run = middle(times.runs);
  const both = middle(times.imports.map((imported, at) => imported + (times.runs[at] ?? 0)));
  const compare = (what: string, through: number, by: number, goal: number) =>
    report(`  ${what}`, `${(through / by).toFixed(2)} times (goal: at most ${goal})`);
  report(
    "crewAI alone: its import, then two tasks",
    `${seconds(middle(times.imports))} + ${seconds(run)}`,
  );
  report("through the service, first kickoff (cold)", seconds(cold));
  compare("compared with import and tasks", cold, both, 1.3);
  report("through the service, next kickoff (warm)", seconds(warm));
  compare("compared with import and tasks", warm, both, 1.1);
  compare("compared with the tasks alone", warm, run, 1.1);
  await model.stop();
}

/** Runs `action` so many times, some together. */
async function inParallel(
  times: number,
  action: (n: number) => Promise<void>,
  width = together,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < times) await action(next++);
  };
  await Promise.all(Array.from({ length: width }, lane));
}

async function timed(what: string, action: () => Promise<unknown>): Promise<void> {
  const begun = performance.now();
  await action();
  report(what, `${((performance.now() - begun) / 1000).toFixed(2)} s`);
}

function report(what: string, result: string): void {
  console.log(`${what.padEnd(45)} ${result}`);
}

/** Resident memory of the service, on Linux. */
function memory({ child }: RunningService): string {
  if (process.platform !== "linux") return "memory not measured";
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
  return `${Math.round(Number(kilobytes) / 1000)} MB resident`;
}

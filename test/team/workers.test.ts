import assert from "node:assert/strict";
import { appendFileSync, cpSync, rmSync } from "node:fs";
import path from "node:path";
import { CallbackLedger } from "../support/chaos-checks.ts";
import type { ChaosStatus } from "../support/chaos-load.ts";
import { CrewApi } from "../support/crew-api.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { needsPostgres, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { startProgram } from "../support/service.ts";
import { Team, type Role, type TeamOptions } from "../support/team.ts";
import { waitFor } from "../support/wait.ts";

describe("processes of a team", () => {
  needsPostgres();
  let postgres: TestPostgres;
  let team: Team | undefined;
  before(async () => (postgres = await startPostgres({ isDurable: false })));
  afterEach(() => team?.stop());
  after(() => postgres.stop());

  /** None of its processes runs yet. */
  const prepare = async (roles: readonly Role[], more: Partial<TeamOptions> = {}) => {
    const database = await postgres.createDatabase();
    const folder = path.join(projectFolder, "media", "example-crew");
    return (team = Team.of({ roles, database, folder, ...more }));
  };

  it("take over the attempt of a worker that was killed, when its lease of 30 s ends", async () => {
    const { members } = await prepare(["api", "worker", "worker"], {
      args: ["--task-seconds", "6"],
    });
    const [api, first, second] = members;
    await Promise.all([api!.start(), first!.start()]);
    const id = await kickoff(api!.api!);
    await reach(api!.api!, id, "agent_execution_started research", 1);
    await second!.start();
    const killed = performance.now();
    await first!.end("SIGKILL");
    await reach(api!.api!, id, "agent_execution_started research", 2);
    const taken = performance.now() - killed;
    console.log(`      taken over after ${(taken / 1000).toFixed(1)} s`);
    assert.ok(taken < 45_000);
    await reach(api!.api!, id, "human_feedback_requested outline", 1);
    assert.equal(countOf(await statusOf(api!.api!, id), "task_completed research"), 1);
  });

  it("finish an attempt once, if the worker that began it was only slow", async () => {
    const ledger = new CallbackLedger();
    ledger.receiver.behave = (response, callback) => {
      ledger.note(callback);
      response.writeHead(204).end();
    };
    const taskWebhookUrl = `${await ledger.receiver.start()}/task`;
    const { members } = await prepare(["api", "worker", "worker"], {
      args: ["--task-seconds", "6"],
    });
    const [api, first, second] = members;
    await Promise.all([api!.start(), first!.start()]);
    const id = await kickoff(api!.api!, { taskWebhookUrl });
    await reach(api!.api!, id, "agent_execution_started research", 1);
    first!.pause(true);
    await second!.start();
    await reach(api!.api!, id, "human_feedback_requested outline", 1);
    await second!.end("SIGKILL");
    first!.pause(false);
    // Only the slow one can do this, after it has tried to finish what it had begun.
    const next = await kickoff(api!.api!, { taskWebhookUrl });
    await reach(api!.api!, next, "human_feedback_requested outline", 1);
    const status = await statusOf(api!.api!, id);
    for (const event of [
      "started research",
      "completed research",
      "started outline",
      "paused outline",
    ])
      assert.equal(countOf(status, `task_${event}`), 1, event);
    assert.equal(countOf(status, "agent_execution_started outline"), 1);
    assert.equal(status.pending_human_input?.attempt, 1);
    await waitFor("callbacks", () => ledger.of(id).size === 1);
    assert.ok([...ledger.of(id).values()].every((ids) => ids.size === 1));
    await ledger.receiver.stop();
  });

  it("finish at SIGTERM the attempts that run, and begin no more", async () => {
    const { members } = await prepare(["api", "worker", "worker"], {
      args: ["--task-seconds", "6", "--drain-seconds", "60"],
    });
    const [api, first, second] = members;
    await Promise.all([api!.start(), first!.start()]);
    const id = await kickoff(api!.api!);
    await reach(api!.api!, id, "agent_execution_started research", 1);
    assert.equal(await first!.end("SIGTERM"), 0);
    const drained = await statusOf(api!.api!, id);
    assert.equal(countOf(drained, "task_completed research"), 1);
    assert.equal(countOf(drained, "task_started outline"), 0);
    await second!.start();
    await reach(api!.api!, id, "human_feedback_requested outline", 1);
    const status = await statusOf(api!.api!, id);
    assert.equal(countOf(status, "agent_execution_started research"), 1);
  });

  it("give back after --drain-seconds what still runs, so that others continue at once", async () => {
    const { members } = await prepare(["api", "worker", "worker"], {
      args: ["--task-seconds", "30", "--drain-seconds", "0.5"],
    });
    const [api, first, second] = members;
    await Promise.all([api!.start(), first!.start()]);
    const id = await kickoff(api!.api!);
    await reach(api!.api!, id, "agent_execution_started research", 1);
    await second!.start();
    const asked = performance.now();
    assert.equal(await first!.end("SIGTERM"), 0);
    await reach(api!.api!, id, "agent_execution_started research", 2);
    const taken = performance.now() - asked;
    console.log(`      given back and taken over after ${(taken / 1000).toFixed(1)} s`);
    assert.ok(taken < 15_000, `taken over after ${taken} ms: only the lease ran out`);
  });

  it("end at SIGTERM without a stack trace, though Postgres is away", async () => {
    const folder = path.join(projectFolder, "media", "example-crew");
    const args = ["--token", "T", "--task-seconds", "600", "--drain-seconds", "1"];
    const program = await startProgram([
      ...[folder, "--database", await postgres.createDatabase()],
      ...args,
    ]);
    const api = new CrewApi({ url: String(program.announced["url"]), token: "T" });
    const id = await kickoff(api);
    await reach(api, id, "agent_execution_started research", 1);
    await postgres.kill();
    let code: number | null;
    try {
      code = await program.end("SIGTERM");
    } finally {
      await postgres.restart();
    }
    assert.equal(code, 0);
    assert.match(program.log(), /Running executions could not be given back: /);
    for (const line of program.log().trim().split("\n")) assert.match(line, /^\{"level":/);
  });

  it("answer, as workers, only what asks how they are, also to a token that is theirs", async () => {
    const folder = path.join(projectFolder, "media", "example-crew");
    const database = await postgres.createDatabase();
    const args = ["--database", database, "--role", "worker", "--token", "T"];
    const worker = await startProgram([folder, ...args]);
    try {
      const { url, ...announced } = worker.announced;
      assert.deepEqual(announced, { engine: "rehearsal", role: "worker" });
      const ask = (address: string, body?: string) =>
        fetch(`${String(url)}${address}`, {
          headers: { Authorization: "Bearer T" },
          ...(body !== undefined && { method: "POST", body }),
        });
      assert.equal(await (await ask("/healthz")).text(), "ok");
      assert.equal((await ask("/readyz")).status, 200);
      assert.match(await (await ask("/metrics")).text(), /^crewdeck_executions/m);
      const id = "0a8ab9a8-2d0b-4d1c-a0de-1d3a4a1f0a11";
      for (const [address, body] of [
        ["/"],
        ["/inputs"],
        [`/${id}/status`],
        ["/feedback/a"],
        ["/kickoff", `{"inputs":{"topic":"tea","audience":"colleagues"}}`],
        ["/resume", "{}"],
        [`/stop/${id}`, "{}"],
      ] as const) {
        const answer = await ask(address, body);
        assert.equal(answer.status, 404, address);
        assert.match(await answer.text(), /is a worker.*Send other requests to an API process/);
      }
    } finally {
      await worker.end("SIGKILL");
    }
  });

  it("keep each kickoff that an API process accepted before SIGTERM ended it", async () => {
    const { members } = await prepare(["api", "api"]);
    const [first, second] = members;
    await Promise.all([first!.start(), second!.start()]);
    const api = first!.api!;
    let ended: Promise<number | null> | undefined;
    const asked = Array.from({ length: 40 }, async () => {
      const id = await kickoff(api);
      ended ??= first!.end("SIGTERM");
      return id;
    });
    const answers = await Promise.allSettled(asked);
    assert.equal(await ended, 0);
    const accepted = answers.flatMap((answer) =>
      answer.status === "fulfilled" ? [answer.value] : [],
    );
    assert.ok(accepted.length > 0);
    for (const id of accepted) assert.equal((await statusOf(second!.api!, id)).status, "running");
  });

  it("answer what they were asked before SIGTERM", async () => {
    const folder = temporaryFolder("crew");
    cpSync(path.join(projectFolder, "media", "example-crew"), folder, { recursive: true });
    const tasks = path.join(folder, "src", "example_crew", "config", "tasks.yaml");
    appendFileSync(tasks, "  human_input: true\n");
    const args = ["--task-seconds", "0"];
    const { members } = await prepare(["api", "api", "worker"], { folder, args });
    const [first, second, worker] = members;
    await Promise.all(members.map((member) => member.start()));
    const [api, other] = [first!.api!, second!.api!];
    const id = await kickoff(api);
    const approve = (task_id: string) =>
      api.post("/resume", { execution_id: id, task_id, human_feedback: "", is_approve: true });
    await reach(api, id, "human_feedback_requested outline", 1);
    await approve("outline");
    await reach(api, id, "human_feedback_requested briefing", 1);
    await worker!.end("SIGKILL");
    // To approve the last task takes a second: it waits for the end, and no worker is left that could end the execution.
    const approved = approve("briefing");
    await waitFor(
      "the decision",
      async () => (await statusOf(other, id)).pending_human_input === undefined,
    );
    const ended = first!.end("SIGTERM");
    assert.equal((await approved).status, 200);
    assert.equal(await ended, 0);
    rmSync(folder, { recursive: true });
  });

  it("may all start at once on an empty database", async () => {
    const roles = Array.from({ length: 10 }, (_, index): Role => (index < 5 ? "api" : "worker"));
    const prepared = await prepare(roles);
    const { members } = prepared;
    await prepared.start();
    for (const { api } of members)
      if (api) await reach(api, await kickoff(api), "human_feedback_requested outline", 1);
    assert.deepEqual(
      members.flatMap(({ problem }) => problem ?? []),
      [],
    );
  });

  it("repeat no attempt, though the clocks of two workers differ by a minute", async () => {
    const { members } = await prepare(["api", "worker", "worker"], {
      args: ["--task-seconds", "0.5"],
      env: (index) => clockOf([0, -30_000, 30_000][index] ?? 0),
    });
    await Promise.all(members.map((member) => member.start()));
    const api = members[0]!.api!;
    const ids = await Promise.all(Array.from({ length: 30 }, () => kickoff(api)));
    for (const id of ids) {
      await reach(api, id, "human_feedback_requested outline", 1);
      const body = { execution_id: id, task_id: "outline", human_feedback: "", is_approve: true };
      assert.equal((await api.post("/resume", body)).status, 200);
    }
    for (const id of ids) {
      await reach(api, id, "crew_kickoff_completed", 1);
      const status = await statusOf(api, id);
      for (const task of ["research", "outline", "briefing"])
        assert.equal(countOf(status, `agent_execution_started ${task}`), 1);
    }
  });
});

/** The environment of a process whose clock is so many milliseconds ahead. */
function clockOf(ahead: number): NodeJS.ProcessEnv {
  const program = `
    const Real = Date;
    globalThis.Date = class extends Real {
      constructor(...args) { if (args.length === 0) super(Real.now() + ${ahead}); else super(...args); }
      static now() { return Real.now() + ${ahead}; }
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` };
}

async function kickoff(api: CrewApi, more: object = {}): Promise<string> {
  return api.kickoff({ inputs: { topic: "tea", audience: "colleagues" }, ...more });
}

async function statusOf(api: CrewApi, id: string): Promise<ChaosStatus> {
  const { status, body } = await api.get(`/${id}/status`);
  assert.equal(status, 200, JSON.stringify(body));
  return body as ChaosStatus;
}

/** How often something happened: "task_completed research". */
function countOf({ events }: ChaosStatus, name: string): number {
  return events.filter(({ type, task_id }) =>
    task_id === undefined ? type === name : `${type} ${task_id}` === name,
  ).length;
}

/** Resolves when something has happened so often. */
async function reach(api: CrewApi, id: string, name: string, count: number): Promise<void> {
  await waitFor(
    `${count} times ${name}`,
    async () => countOf(await statusOf(api, id), name) >= count,
  );
}

import assert from "node:assert/strict";
import { appendFileSync, cpSync } from "node:fs";
import { getPriority } from "node:os";
import path from "node:path";
import { CallbackLedger } from "../support/chaos-checks.ts";
import type { ChaosStatus } from "../support/chaos-load.ts";
import type { CrewApi } from "../support/crew-api.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { needsPostgres, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { Team, type Member } from "../support/team.ts";
import { waitFor } from "../support/wait.ts";

describe("processes of a team", () => {
  needsPostgres();
  const folder = temporaryFolder("crew");
  const teams: Team[] = [];
  let postgres: TestPostgres;
  let database: string;
  let team: Team;
  let apis: readonly [Member, Member];
  let first: Member;
  let second: Member;
  before(async () => {
    cpSync(path.join(projectFolder, "media", "example-crew"), folder, { recursive: true });
    const tasks = path.join(folder, "src", "example_crew", "config", "tasks.yaml");
    appendFileSync(tasks, "  human_input: true\n");
    postgres = await startPostgres({ isDurable: false });
    database = await postgres.createDatabase();
    const args = ["--task-seconds", "2", "--drain-seconds", "60"];
    team = Team.of({ roles: ["api", "api", "worker", "worker"], database, folder, args });
    teams.push(team);
    const [api, other, ...workers] = team.members as [Member, Member, Member, Member];
    [apis, [first, second]] = [[api, other], workers];
    await Promise.all(apis.map((member) => member.start()));
  });
  after(async () => {
    await Promise.all(teams.map((one) => one.stop()));
    await postgres.stop();
  });

  const kickoff = (api: CrewApi, more: object = {}): Promise<string> =>
    api.kickoff({ inputs: { topic: "tea", audience: "colleagues" }, ...more });

  /** Kicks off, and resolves when the first attempt runs: of two seconds. Only one worker may run. */
  const begin = async (api: CrewApi, more: object = {}): Promise<string> => {
    const id = await kickoff(api, more);
    await reach(api, id, "agent_execution_started research", 1);
    return id;
  };

  /** Starts a worker, if need be, and ends the other one. */
  const alone = async (worker: Member) => {
    await (worker === first ? second : first).end("SIGKILL");
    if (!worker.isRunning) await worker.start();
  };

  it("take over the attempt of a worker that was killed, within 15 s", async () => {
    const api = apis[0].api!;
    await alone(first);
    const id = await begin(api);
    await first.end("SIGKILL");
    await second.start();
    assert.equal(countOf(await statusOf(api, id), "agent_execution_started research"), 1);
    const killed = performance.now();
    await reach(api, id, "agent_execution_started research", 2);
    const seconds = (performance.now() - killed) / 1000;
    console.log(`      taken over after ${seconds.toFixed(1)} s`);
    assert.ok(seconds < 15);
    await reach(api, id, "human_feedback_requested outline", 1);
    const status = await statusOf(api, id);
    assert.equal(countOf(status, "agent_execution_started research"), 2);
    assert.equal(countOf(status, "task_completed research"), 1);
  });

  it("finish an attempt once, if the worker that began it was only slow", async () => {
    const ledger = new CallbackLedger();
    ledger.receiver.behave = (response, callback) => {
      ledger.note(callback);
      response.writeHead(204).end();
    };
    const taskWebhookUrl = `${await ledger.receiver.start()}/task`;
    const api = apis[0].api!;
    await alone(first);
    const id = await begin(api, { taskWebhookUrl });
    first.pause(true);
    await second.start();
    await team.endLeases();
    await reach(api, id, "human_feedback_requested outline", 1);
    await second.end("SIGKILL");
    first.pause(false);
    // Only the slow one can do this, after it has tried to finish what it had begun.
    const next = await kickoff(api, { taskWebhookUrl });
    await reach(api, next, "human_feedback_requested outline", 1);
    const status = await statusOf(api, id);
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
    const api = apis[0].api!;
    await alone(first);
    const id = await begin(api);
    assert.equal(await first.end("SIGTERM"), 0);
    const drained = await statusOf(api, id);
    assert.equal(countOf(drained, "task_completed research"), 1);
    assert.equal(countOf(drained, "task_started outline"), 0);
    await second.start();
    await reach(api, id, "human_feedback_requested outline", 1);
    const status = await statusOf(api, id);
    assert.equal(countOf(status, "agent_execution_started research"), 1);
  });

  it("give back after --drain-seconds what still runs, so that others continue at once", async () => {
    const args = ["--task-seconds", "600", "--drain-seconds", "0.5"];
    const hasty = Team.of({ roles: ["worker"], database, folder, args });
    teams.push(hasty);
    await Promise.all([first.end("SIGKILL"), second.end("SIGKILL"), hasty.start()]);
    const api = apis[0].api!;
    const id = await begin(api);
    await second.start();
    const asked = performance.now();
    assert.equal(await hasty.members[0]?.end("SIGTERM"), 0);
    await reach(api, id, "agent_execution_started research", 2);
    const taken = performance.now() - asked;
    assert.ok(taken < 15_000, `taken over after ${taken} ms: only the lease ran out`);
  });

  it("answer, as workers, only what asks how they are, also to a token that is theirs", async () => {
    await alone(first);
    const { url, ...announced } = first.announced;
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
  });

  it("give way, as workers, to the processes that answer requests", async () => {
    await alone(first);
    assert.ok(getPriority(first.pid) > getPriority(apis[0].pid));
  });

  it("answer what they were asked before SIGTERM", async () => {
    await alone(first);
    const api = apis[0].api!;
    const id = await begin(api);
    const approve = (task_id: string) => api.resume(id, task_id, true);
    await reach(api, id, "human_feedback_requested outline", 1);
    await approve("outline");
    await reach(api, id, "human_feedback_requested briefing", 1);
    await first.end("SIGKILL");
    // To approve the last task takes a second: it waits for the end, and no worker is left that could end the execution.
    const approved = approve("briefing");
    await waitFor(
      "the decision",
      async () => (await statusOf(apis[1].api!, id)).pending_human_input === undefined,
    );
    const ended = apis[0].end("SIGTERM");
    assert.equal((await approved).status, 200);
    assert.equal(await ended, 0);
  });

  it("keep each kickoff that an API process accepted before SIGTERM ended it", async () => {
    await Promise.all([first.end("SIGKILL"), second.end("SIGKILL")]);
    if (!apis[0].isRunning) await apis[0].start();
    const api = apis[0].api!;
    let ended: Promise<number | null> | undefined;
    const asked = Array.from({ length: 40 }, async () => {
      const id = await kickoff(api);
      ended ??= apis[0].end("SIGTERM");
      return id;
    });
    const answers = await Promise.allSettled(asked);
    assert.equal(await ended, 0);
    const accepted = answers.flatMap((answer) =>
      answer.status === "fulfilled" ? [answer.value] : [],
    );
    assert.ok(accepted.length > 0);
    for (const id of accepted) assert.equal((await statusOf(apis[1].api!, id)).status, "running");
  });

  it("repeat no attempt, though the clocks of two workers differ by a minute", async () => {
    const team = Team.of({
      roles: ["api", "worker", "worker"],
      database: await postgres.createDatabase(),
      folder: path.join(projectFolder, "media", "example-crew"),
      args: ["--task-seconds", "0.2"],
      env: (index) => clockOf([0, -30_000, 30_000][index] ?? 0),
    });
    teams.push(team);
    await team.start();
    const [api] = team.apis as [CrewApi];
    const ids = await Promise.all(Array.from({ length: 12 }, () => kickoff(api)));
    for (const id of ids) {
      await reach(api, id, "human_feedback_requested outline", 1);
      assert.equal((await api.resume(id, "outline", true)).status, 200);
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

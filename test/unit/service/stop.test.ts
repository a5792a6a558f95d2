import assert from "node:assert/strict";
import { rehearsalEngine, type Engine } from "../../../src/service/engine.ts";
import { waitFor } from "../../support/wait.ts";
import {
  crew,
  harness,
  inputs,
  onPostgres,
  openHarness,
  openReceiver,
  restart,
  serve,
  valuesOf,
  workAgain,
} from "./support.ts";

/** An engine whose attempts end only when the test says so, also after the execution was stopped. */
function slowEngine(costsMoney = false) {
  const runs: (() => void)[] = [];
  const rested: string[] = [];
  const engine: Engine = {
    name: "slow",
    costsMoney,
    run: () => new Promise((resolve) => runs.push(() => resolve({ output: "late" }))),
    rest(id, hasEnded) {
      if (hasEnded) rested.push(id);
    },
  };
  return { engine, runs, rested };
}

describe("service: POST /stop/{kickoff_id}", () => {
  beforeEach(() => serve());

  const stateOf = async (id: string): Promise<string> => (await harness.status(id)).status;
  const stop = (id: string, headers: Record<string, string> = {}) =>
    harness.request("POST", `/stop/${id}`, undefined, headers);
  const errorOf = async (id: string) => {
    const { status, body } = await stop(id);
    return [status, (body as { detail: string }).detail];
  };
  const untilStopped = async (id: string) => {
    await harness.untilAsleep();
    assert.equal(await stateOf(id), "stopped");
  };

  it("ends an execution that waits for a person: the state is stopped, and feedback is refused", async () => {
    const id = await harness.kickoffUntilWaiting();
    const { status, body } = await stop(id);
    assert.deepEqual([status, body], [200, { status: "stopped", kickoffId: id }]);
    assert.equal(await stateOf(id), "stopped");
    assert.equal((await harness.resume(id, true, "")).status, 400);
    assert.deepEqual(await errorOf(id), [400, "Cannot stop execution. Current state: stopped"]);
    await untilStopped(id);
  });

  it("ends one that runs: a rehearsal is abandoned", async () => {
    await serve({ engine: rehearsalEngine(60 * 60) });
    const id = await harness.kickoff();
    await waitFor("the task", async () => {
      const running = await harness.sql("SELECT 1 AS found FROM attempts WHERE state = 'running'");
      return running.length > 0;
    });
    assert.equal((await stop(id)).status, 200);
    // Closing the service waits for tasks that run.
    await harness.untilAsleep();
    assert.deepEqual(harness.log, []);
  });

  it("ends one that is queued, which then never begins", async () => {
    const { engine, runs } = slowEngine();
    openHarness({ engine });
    const id = await harness.kickoff();
    assert.equal((await stop(id)).status, 200);
    await harness.start();
    await harness.untilAsleep();
    assert.equal(runs.length, 0);
    assert.equal(await stateOf(id), "stopped");
  });

  it("tells the engine, and takes no output that comes later", async () => {
    const receiver = await openReceiver();
    const base = receiver.url;
    const { engine, runs, rested } = slowEngine();
    await serve({ engine });
    const id = await harness.kickoff({
      inputs,
      taskWebhookUrl: `${base}/task`,
      crewWebhookUrl: `${base}/crew`,
      webhooks: {
        url: `${base}/stream`,
        events: ["task_completed", "crew_kickoff_completed", "crew_kickoff_failed"],
      },
    });
    await waitFor("the task", () => runs.length === 1);
    assert.equal((await stop(id)).status, 200);
    assert.deepEqual(rested, [id]);
    runs[0]?.();
    const [sent] = await waitFor("the event", () => {
      const received = receiver.at("/stream");
      return received.length > 0 && received;
    });
    await harness.untilAsleep();
    const [event, ...more] = (
      sent?.body as { events: { type: string; data: { crew_name: string; error: string } }[] }
    ).events;
    assert.deepEqual(
      [event?.type, event?.data.crew_name, event?.data.error, more.length],
      ["crew_kickoff_failed", "example", "The execution was stopped.", 0],
    );
    assert.deepEqual(valuesOf(receiver.received, "path"), ["/stream"]);
    assert.equal(await stateOf(id), "stopped");
    assert.equal(runs.length, 1);
  });

  for (const [what, part] of [
    ["repeat an attempt whose worker", "run"],
    ["prepare a crew again whose preparation", "prepare"],
  ] as const)
    it(`doesn't ${what} it ended`, async () => {
      let tries = 0;
      let end: (() => void) | undefined;
      const fail = () =>
        new Promise<never>((_, reject) => {
          tries += 1;
          end = () => reject(new Error("The worker ended."));
        });
      const run = () => Promise.resolve({ output: "" });
      await serve({ engine: { name: "worker", run, rest: () => end?.(), [part]: fail } });
      const id = await harness.kickoff();
      await waitFor("it to begin", () => tries === 1);
      assert.equal((await stop(id)).status, 200);
      await harness.untilAsleep();
      assert.deepEqual([tries, await stateOf(id)], [1, "stopped"]);
    });

  it("is refused when the execution has ended, with its state", async () => {
    const completed = await harness.complete();
    assert.deepEqual(await errorOf(completed), [
      400,
      "Cannot stop execution. Current state: completed",
    ]);
    const failed = await harness.kickoff({ inputs: { ...inputs, topic: "[rehearse failure]" } });
    await harness.untilEnded(failed);
    assert.deepEqual(await errorOf(failed), [400, "Cannot stop execution. Current state: error"]);
  });

  it("speaks the live dialect: REVOKED, and any ID of the execution", async () => {
    await serve({ dialect: "live" });
    const id = await harness.kickoff();
    const live = async (of: string) =>
      (await harness.request("GET", `/status/${of}`)).body as { state: string; result: unknown };
    await waitFor("the pause", async () => (await live(id)).state === "NOT FOUND");
    const body = { executionId: id, taskId: "draft", humanFeedback: "shorter", isApprove: false };
    const resumed = await harness.request("POST", "/resume", body);
    const { kickoff_id: next } = resumed.body as { kickoff_id: string };
    const { status, body: answer } = await stop(next);
    assert.deepEqual([status, answer], [200, { status: "stopped", kickoffId: next }]);
    for (const one of [id, next])
      assert.deepEqual([(await live(one)).state, (await live(one)).result], ["REVOKED", null]);
    assert.deepEqual(await errorOf(id), [400, "Cannot stop execution. Current state: REVOKED"]);
    assert.equal((await stop("unknown")).status, 404);
  });

  it("decides a race with feedback once", async () => {
    for (const isFirst of [true, false]) {
      const id = await harness.kickoffUntilWaiting();
      const stopping = () => stop(id);
      const resuming = () => harness.resume(id, false, "again");
      const [one, two] = await Promise.all(
        (isFirst ? [stopping, resuming] : [resuming, stopping]).map((action) => action()),
      );
      const [stopped, resumed] = isFirst ? [one, two] : [two, one];
      // Feedback that came first has no effect on the end.
      assert.equal(stopped?.status, 200);
      assert.ok([200, 400].includes(resumed?.status ?? 0));
      await untilStopped(id);
    }
  });

  it("decides a race with the end of the last task once, and never calls a stopped execution completed", async () => {
    const receiver = await openReceiver();
    const base = receiver.url;
    const states: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      const id = await harness.kickoffUntilWaiting({ inputs, crewWebhookUrl: `${base}/kickoff` });
      const approving = harness.resume(id, true, "", { crewWebhookUrl: `${base}/${id}` });
      for (let turn = 0; turn < round; turn += 1) await new Promise(setImmediate);
      const { status } = await stop(id);
      await approving;
      await harness.untilAsleep();
      const state = await stateOf(id);
      assert.equal(state, status === 200 ? "stopped" : "completed");
      if (state === "completed")
        await waitFor("the callback", () => receiver.at(`/${id}`).length === 1);
      else assert.equal(receiver.at(`/${id}`).length, 0);
      states.push(state);
    }
    assert.ok(states.includes("stopped"));
  });

  it("doesn't answer that an approved execution completed when it was stopped", async () => {
    const tasks = crew.tasks.slice(1, 2);
    await serve({ project: { ...crew, tasks } });
    const id = await harness.kickoffUntilWaiting();
    const [resumed, stopped] = await Promise.all([harness.resume(id, true, ""), stop(id)]);
    const state = await stateOf(id);
    const said = (resumed.body as { status?: string }).status;
    assert.equal(state, stopped.status === 200 ? "stopped" : "completed");
    assert.equal(said === "completed", state === "completed");
  });

  it("outlasts a kill: a stopped execution never continues, also with an engine that costs money", async () => {
    for (const costsMoney of [false, true]) {
      const before = slowEngine(costsMoney);
      await serve({ engine: before.engine });
      const id = await harness.kickoff();
      await waitFor("the task", () => before.runs.length === 1);
      assert.equal((await stop(id)).status, 200);
      before.runs[0]?.();
      await harness.untilAsleep();
      const after = slowEngine(costsMoney);
      // As if the service had been killed right after the stop.
      await restart({ engine: after.engine }, workAgain);
      assert.deepEqual(await harness.service.held(), []);
      await harness.untilAsleep();
      assert.equal(after.runs.length, 0);
      assert.equal(await stateOf(id), "stopped");
    }
  });

  // A process that shares the database holds nothing: others may be running the execution.
  if (!onPostgres)
    it("ends one that was held after a restart, without the engine, and reports those that are left", async () => {
      const { engine, runs } = slowEngine(true);
      openHarness({ engine });
      const id = await harness.kickoff();
      await restart({ engine });
      assert.deepEqual(await harness.service.held(), [id]);
      assert.equal((await stop(id)).status, 200);
      assert.deepEqual([await harness.service.held(), harness.left], [[], [[]]]);
      await harness.untilAsleep();
      assert.equal(runs.length, 0);
    });
});

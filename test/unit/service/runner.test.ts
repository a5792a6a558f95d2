import assert from "node:assert/strict";
import { readStatus } from "../../../src/api/read-status.ts";
import { rehearsalEngine, type Engine } from "../../../src/service/engine.ts";
import { waitFor } from "../../support/wait.ts";
import { harness, restart, serve, workAgain } from "./support.ts";

/** An engine with a process for each of its executions, whose attempts end when the test says so. */
function processEngine(parallel: number) {
  const open = new Map<string, () => void>();
  const engine: Engine = {
    ...rehearsalEngine(0),
    parallel,
    startsProcesses: true,
    run: async ({ executionId }) => {
      await new Promise<void>((resolve) => open.set(executionId, resolve));
      open.delete(executionId);
      return { output: "made" };
    },
  };
  return { engine, running: () => [...open.keys()], end: (id: string) => open.get(id)?.() };
}

describe("service: whose turn it is", () => {
  it("is that of as many executions of a crew as its engine runs, in their order", async () => {
    const { engine, running, end } = processEngine(2);
    await serve({ engine });
    const ids = [await harness.kickoff(), await harness.kickoff(), await harness.kickoff()];
    await waitFor("two of them", () => running().length === 2);
    assert.deepEqual(new Set(running()), new Set(ids.slice(0, 2)));
    assert.equal(readStatus(await harness.status(ids[2] ?? "")).state, "queued");
    // It keeps its turn until it waits for a person.
    for (const task of ["research", "draft"]) {
      await waitFor(task, () => running().includes(ids[0] ?? ""));
      end(ids[0] ?? "");
      await waitFor("its end", () => !running().includes(ids[0] ?? "") || task === "research");
    }
    await harness.untilWaiting(ids[0] ?? "");
    await waitFor("the third", () => running().includes(ids[2] ?? ""));
    for (const id of running()) end(id);
    for (const id of ids) await harness.request("POST", `/stop/${id}`);
    for (const id of running()) end(id);
  });

  it("is that of no more executions than there may be processes", async () => {
    const { engine, running, end } = processEngine(5);
    await serve({ engine, maxProcesses: 1 });
    const ids = [await harness.kickoff(), await harness.kickoff()];
    await waitFor("one of them", () => running().length === 1);
    assert.equal(readStatus(await harness.status(ids[1] ?? "")).state, "queued");
    for (const id of ids) await harness.request("POST", `/stop/${id}`);
    for (const id of running()) end(id);
  });

  it("comes again after a process that was only slow took it and never came back", async () => {
    const { engine, running, end } = processEngine(1);
    await serve({ engine });
    const id = await harness.kickoff();
    await waitFor("its attempt", () => running().length === 1);
    // As the slow process does, which no longer has the job.
    await harness.sql("UPDATE executions SET turn = turn + 1 WHERE id = ? RETURNING turn", id);
    await waitFor("a person", async () => {
      for (const each of running()) end(each);
      return (await harness.status(id)).pending_human_input;
    });
  });

  it("never comes for a crew that isn't served: its executions wait", async () => {
    await serve({ name: "old" });
    const id = await harness.kickoffUntilWaiting();
    await restart(
      { name: "new" },
      "UPDATE attempts SET state = 'rejected', decided_at = 1, feedback = '', callbacks = '{}' WHERE state = 'waiting'",
      workAgain,
    );
    await waitFor("the log", () => harness.log.length > 0);
    assert.deepEqual(harness.log, [
      'Executions of the crew "old" wait for a process that serves it.',
    ]);
    await restart({ name: "old" });
    await harness.untilWaiting(id, 2);
  });
});

import assert from "node:assert/strict";
import path from "node:path";
import { mock } from "node:test";
import { readStatus } from "../../../src/api/read-status.ts";
import { rehearsalEngine, type Engine } from "../../../src/service/engine.ts";
import { asObject } from "../../../src/base/json.ts";
import { change, rows } from "../../../src/service/database/database.ts";
import type { Jobs } from "../../../src/service/jobs.ts";
import { openStorage } from "../../../src/service/storage.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { waitFor } from "../../support/wait.ts";
import { secretKey, ask, harness, inputs, openOn, restart, serve, workAgain } from "./support.ts";

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
  const running = () => [...open.keys()];
  const end = (id: string) => open.get(id)?.();
  /** Ends its attempts until it waits for a person. */
  const workUntilWaiting = async (id: string) => {
    for (const task of ["research", "draft"]) {
      await waitFor(task, () => running().includes(id));
      end(id);
      await waitFor("its end", () => !running().includes(id) || task === "research");
    }
    await harness.untilWaiting(id);
  };
  const stopAll = async (ids: readonly string[]) => {
    for (const id of ids) await harness.request("POST", `/stop/${id}`);
    for (const id of running()) end(id);
  };
  return { engine, running, end, workUntilWaiting, stopAll };
}

describe("service: whose turn it is", () => {
  it("is that of as many executions of a crew as its engine runs, in their order", async () => {
    const { engine, running, end, workUntilWaiting, stopAll } = processEngine(2);
    await serve({ engine });
    const ids = [await harness.kickoff(), await harness.kickoff(), await harness.kickoff()];
    await waitFor("two of them", () => running().length === 2);
    assert.deepEqual(new Set(running()), new Set(ids.slice(0, 2)));
    const { state, progress } = readStatus(await harness.status(ids[2] ?? ""));
    assert.deepEqual([state, progress?.place], ["queued", 1]);
    // It keeps its turn until it waits for a person.
    await workUntilWaiting(ids[0] ?? "");
    await waitFor("the third", () => running().includes(ids[2] ?? ""));
    for (const id of running()) end(id);
    await stopAll(ids);
  });

  it("is in a status: 0 while an execution starts, and the place of one that is queued", async () => {
    const { engine, running, workUntilWaiting, stopAll } = processEngine(1);
    const { promise: loaded, resolve: load } = Promise.withResolvers<undefined>();
    const prepare: Engine["prepare"] = async (_id, project) => {
      await loaded;
      return project;
    };
    await serve({ engine: { ...engine, prepare } });
    const ids: string[] = [];
    for (let last = 0; ids.length < 3; last = Date.now()) {
      await waitFor("a later moment", () => Date.now() > last);
      ids.push(await harness.kickoff());
    }
    const places = () =>
      Promise.all(
        ids.map(async (id) => {
          const { state, progress } = readStatus(await harness.status(id));
          return `${state} ${progress?.place}`;
        }),
      );
    await waitFor("the first's turn", async () => (await places())[0] === "queued 0");
    assert.deepEqual(await places(), ["queued 0", "queued 1", "queued 2"]);
    load(undefined);
    await workUntilWaiting(ids[0] ?? "");
    await waitFor("the second", () => running().includes(ids[1] ?? ""));
    // What is answered now waits for its turn again, behind the third.
    await harness.resume(ids[0] ?? "", false, "No.");
    assert.deepEqual(await places(), ["queued 2", "running undefined", "queued 1"]);
    await stopAll(ids);
  });

  it("is that of no more executions than there may be processes", async () => {
    const { engine, running, stopAll } = processEngine(5);
    await serve({ engine, maxProcesses: 1 });
    const ids = [await harness.kickoff(), await harness.kickoff()];
    await waitFor("one of them", () => running().length === 1);
    assert.equal(readStatus(await harness.status(ids[1] ?? "")).state, "queued");
    await stopAll(ids);
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

  it("ends here when another process has taken the job over: the engine drops it, and it doesn't fail", async () => {
    mock.timers.enable({ apis: ["setInterval"] });
    const file = path.join(temporaryFolder("lost-job"), "crewdeck.sqlite");
    const storage = await openStorage({ file }, secretKey, (line) => assert.fail(line));
    const { jobs } = storage;
    const lost: Jobs = {
      ...jobs,
      async take(crew: string, most: number) {
        // As on Postgres, it can't be given back by who has lost it.
        const giveBack = () => Promise.resolve();
        return (await jobs.take(crew, most)).map((job) => ({ ...job, giveBack }));
      },
    };
    const dropped: string[] = [];
    let drop: (() => void) | undefined;
    const engine: Engine = {
      ...rehearsalEngine(0),
      run: () => new Promise((_, reject) => (drop = () => reject(new Error("Dropped.")))),
      drop(id) {
        dropped.push(id);
        drop?.();
      },
    };
    const log: string[] = [];
    const opened = openOn({ ...storage, jobs: lost }, (line) => log.push(line), { engine });
    try {
      await opened.service.work();
      const { body } = await ask(opened.app, "/kickoff", { inputs });
      await waitFor("its attempt", () => drop !== undefined);
      mock.timers.tick(3000);
      await opened.database.query(change("UPDATE executions SET turn = turn + 1"));
      mock.timers.tick(3000);
      await waitFor("the engine to drop it", () => dropped.length > 0);
      await opened.service.drain(60_000);
      assert.deepEqual(new Set(dropped), new Set([asObject(body)["kickoff_id"]]));
      const [attempt] = await opened.database.query(rows("SELECT state, failures FROM attempts"));
      assert.deepEqual([{ ...attempt }, log], [{ state: "running", failures: 0 }, []]);
    } finally {
      mock.timers.reset();
      await opened.service.close();
    }
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

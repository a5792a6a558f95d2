import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import path from "node:path";
import { mock } from "node:test";
import type { Steps } from "../../../src/service/crew-run.ts";
import { openSqlite } from "../../../src/base/sqlite.ts";
import {
  createRuns,
  freeLeases,
  runState,
  type RunHandlers,
} from "../../../src/service/workflow.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { waitFor } from "../../support/wait.ts";

/** Acceptance tests of the pinned openworkflow. */
describe("service: durable runs", () => {
  let folder: string;
  let file: string;
  const open: ReturnType<typeof createRuns>[] = [];
  const broken: [string, unknown][] = [];
  beforeEach(() => {
    folder = temporaryFolder("runs");
    file = path.join(folder, "runs.sqlite");
    broken.length = 0;
  });
  afterEach(async () => {
    for (const runs of open.splice(0)) await runs.close();
    rmSync(folder, { recursive: true });
  });

  const runsWith = (handlers: Partial<RunHandlers>) => {
    const runs = createRuns(
      file,
      {
        crew: () => Promise.resolve(),
        callback: () => Promise.resolve(),
        onBroken: (...what) => broken.push(what),
        ...handlers,
      },
      5,
    );
    open.push(runs);
    return runs;
  };

  it("runs each execution once, however often it is started, and skips finished steps", async () => {
    const done: string[] = [];
    let tries = 0;
    const runs = runsWith({
      async crew(id, steps) {
        await steps.run("first", () => (done.push(`${id} first`), Promise.resolve(null)));
        await steps.run("second", () =>
          (tries += 1) < 2 ? Promise.reject(new Error("again")) : Promise.resolve(null),
        );
        done.push(`${id} end`);
      },
    });
    runs.work();
    await Promise.all([runs.startCrew("a"), runs.startCrew("a")]);
    await runs.startCrew("a");
    await waitFor("the end", () => done.includes("a end"));
    assert.deepEqual([done, tries], [["a first", "a end"], 2]);
  });

  it("drops a signal that no run waits for, and delivers others once", async () => {
    const seen: string[] = [];
    const runs = runsWith({
      async crew(id, steps) {
        await steps.wait(`go ${id}`);
        seen.push(id);
      },
    });
    await runs.startCrew("a");
    assert.equal(await runs.signal("go a"), false);
    runs.work();
    const first = await waitFor("the wait", () => runs.signal("go a"));
    assert.ok(first);
    assert.equal(await runs.signal("go a"), false);
    await waitFor("the end", () => seen.length > 0);
    assert.deepEqual(seen, ["a"]);
  });

  it("runs an execution once, also if the clock moves ahead, as it does while the machine sleeps", async () => {
    const releases: (() => void)[] = [];
    const begun: string[] = [];
    const runs = runsWith({
      async crew(id, steps) {
        await steps.run("long", async () => {
          begun.push(id);
          if (id === "a") await new Promise<void>((resolve) => releases.push(resolve));
          return null;
        });
      },
    });
    runs.work();
    await runs.startCrew("a");
    await waitFor("the run", () => begun.length === 1);
    mock.timers.enable({ apis: ["Date"], now: Date.now() + 30 * 24 * 3_600_000 });
    try {
      // By then, it has looked for work.
      await runs.startCrew("b");
      await waitFor("the other run", () => begun.includes("b"));
      assert.deepEqual(begun, ["a", "b"]);
    } finally {
      mock.timers.reset();
      for (const release of releases) release();
    }
  });

  it("takes over the runs of a killed process at once", async () => {
    let release = () => {};
    let started = 0;
    // The first run hangs, like that of a killed process.
    const runs = runsWith({
      async crew() {
        started += 1;
        if (started === 1) await new Promise<void>((resolve) => (release = resolve));
      },
    });
    runs.work();
    await runs.startCrew("a");
    await waitFor("the run", () => started === 1);
    const database = openSqlite(file);
    const row = database.prepare("SELECT worker_id FROM workflow_runs").get();
    assert.ok(row?.["worker_id"], "the library keeps who works on a run in worker_id");
    freeLeases(database);
    await waitFor("the run to be taken over", () => started === 2);
    database.close();
    release();
  });

  it("matches the library's table that the start-up query writes", () => {
    runsWith({});
    const database = openSqlite(file);
    const columns = database
      .prepare("SELECT name, type FROM pragma_table_info('workflow_runs')")
      .all()
      .map((row) => `${String(row["name"])} ${String(row["type"])}`);
    assert.deepEqual(columns, [
      "namespace_id TEXT",
      "id TEXT",
      "workflow_name TEXT",
      "version TEXT",
      "status TEXT",
      "idempotency_key TEXT",
      "config TEXT",
      "context TEXT",
      "input TEXT",
      "output TEXT",
      "error TEXT",
      "attempts INTEGER",
      "parent_step_attempt_namespace_id TEXT",
      "parent_step_attempt_id TEXT",
      "worker_id TEXT",
      "available_at TEXT",
      "deadline_at TEXT",
      "started_at TEXT",
      "finished_at TEXT",
      "created_at TEXT",
      "updated_at TEXT",
    ]);
    assert.equal(
      database.prepare("SELECT max(version) AS version FROM openworkflow_migrations").get()?.[
        "version"
      ],
      5,
    );
    database.exec("ALTER TABLE workflow_runs RENAME COLUMN worker_id TO owner_id");
    assert.throws(() => freeLeases(database), /no such column: worker_id/);
    database.close();
  });

  it("reads the state of a run", async () => {
    const runs = runsWith({ crew: (_id, steps) => steps.wait("never") });
    const database = openSqlite(file);
    assert.deepEqual(runState(database, "a"), { state: "absent" });
    await runs.startCrew("a");
    assert.deepEqual(runState(database, "a"), { state: "alive" });
    database
      .prepare("UPDATE workflow_runs SET status = 'failed', error = ?")
      .run(JSON.stringify({ message: "disk full" }));
    assert.deepEqual(runState(database, "a"), { state: "failed", message: "disk full" });
    database.close();
  });

  it("reports a run that fails between its steps, and one with more steps than the library allows", async () => {
    const runs = runsWith({
      async crew(id, steps: Steps) {
        if (id === "between") throw new Error("no such execution");
        for (let n = 0; ; n += 1) await steps.run(`step ${n}`, () => Promise.resolve(null));
      },
    });
    runs.work();
    await runs.startCrew("between");
    await runs.startCrew("endless");
    await waitFor("both reports", () => broken.length === 2);
    assert.deepEqual(broken.map(([id, error]) => `${id}: ${(error as Error).message}`).sort(), [
      "between: no such execution",
      "endless: Exceeded the step limit of 1000 attempts (current count: 1000)",
    ]);
  });

  it("repeats a callback until it is accepted", async () => {
    let tries = 0;
    const runs = runsWith({
      callback: () => ((tries += 1) < 4 ? Promise.reject(new Error("down")) : Promise.resolve()),
    });
    runs.work();
    await runs.startCallback("c");
    await waitFor("four tries", () => tries === 4);
  });
});

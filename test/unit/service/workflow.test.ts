import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import path from "node:path";
import { mock } from "node:test";
import type { Steps } from "../../../src/service/steps.ts";
import { openSqlite } from "../../../src/base/sqlite.ts";
import { openSqliteStorage } from "../../../src/service/workflow-sqlite.ts";
import { createRuns, type RunHandlers } from "../../../src/service/workflow.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { waitFor } from "../../support/wait.ts";
import { addExecution } from "./support.ts";

/** Acceptance tests of the pinned openworkflow. */
describe("service: durable runs", () => {
  let folder: string;
  let file: string;
  let storage: ReturnType<typeof openSqliteStorage>;
  const open: ReturnType<typeof createRuns>[] = [];
  const broken: [string, unknown][] = [];
  beforeEach(() => {
    folder = temporaryFolder("runs");
    file = path.join(folder, "runs.sqlite");
    storage = openSqliteStorage(file, (line) => assert.fail(line));
    broken.length = 0;
  });
  afterEach(async () => {
    for (const runs of open.splice(0)) await runs.close();
    await storage.database.close();
    rmSync(folder, { recursive: true });
  });

  const runsWith = (handlers: Partial<RunHandlers>, backend = storage.backend) => {
    const runs = createRuns(backend, storage.database, {
      crew: () => Promise.resolve(),
      onBroken: (...what) => Promise.resolve(void broken.push(what)),
      log: () => undefined,
      ...handlers,
    });
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

  /** When runs are looked for, and how many looks there are at a time. */
  const countedLooks = () => {
    const looks = { at: [] as number[], together: 0, most: 0 };
    const backend = new Proxy(storage.backend, {
      get(target, name): unknown {
        if (name !== "claimWorkflowRun") return Reflect.get(target, name);
        return async (params: Parameters<typeof target.claimWorkflowRun>[0]) => {
          looks.at.push(performance.now());
          looks.most = Math.max(looks.most, (looks.together += 1));
          try {
            return await target.claimWorkflowRun(params);
          } finally {
            looks.together -= 1;
          }
        };
      },
    });
    return { looks, backend };
  };

  it("looks once for runs if there is none, and takes several at a time", async () => {
    const { looks, backend } = countedLooks();
    const done: string[] = [];
    const runs = runsWith({ crew: (id) => Promise.resolve(void done.push(id)) }, backend);
    runs.work();
    await waitFor("some looks", () => looks.at.length > 3);
    const idle = looks.most;
    assert.equal(idle, 1);
    for (const id of ["a", "b", "c"])
      await storage.database.transaction(() => storage.startRun(id));
    runs.wake();
    await waitFor("the runs", () => done.length === 3);
    assert.ok(looks.most > 1);
  });

  it("looks for runs less often while kickoffs keep the process busy: their answers would wait", async () => {
    let isBusy = true;
    const keepBusy = () => {
      if (isBusy) setImmediate(keepBusy);
    };
    const { looks, backend } = countedLooks();
    const runs = runsWith({}, backend);
    const pause = () => {
      runs.noteKickoff();
      runs.wake();
      const [last = 0, before = 0] = looks.at.toReversed();
      return last - before;
    };
    keepBusy();
    runs.work();
    await waitFor("a long pause", () => looks.at.length > 1 && pause() > 190);
    isBusy = false;
    await waitFor("a short pause", () => pause() < 100);
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

  /** Runs of which "a" takes until it is released. */
  const holding = () => {
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
    return { runs, begun, releases };
  };

  it("runs an execution once, also if the clock moves ahead, as it does while the machine sleeps", async () => {
    const { runs, begun, releases } = holding();
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

  it("releases a held execution once: a second time, it may be running", async () => {
    const { runs, begun, releases } = holding();
    await storage.database.query(addExecution());
    await runs.startCrew("a");
    storage.own?.hold();
    storage.own?.release("a");
    runs.work();
    await waitFor("the run", () => begun.length === 1);
    storage.own?.release("a");
    // By then, it has looked for work.
    await runs.startCrew("b");
    await waitFor("the other run", () => begun.includes("b"));
    for (const release of releases) release();
    assert.deepEqual(begun, ["a", "b"]);
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
    storage.own?.freeLeases();
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
      .map(({ name, type }) =>
        type === "TEXT" ? String(name) : `${String(name)} ${String(type)}`,
      );
    assert.equal(
      columns.join(", "),
      "namespace_id, id, workflow_name, version, status, idempotency_key, config, context, input, " +
        "output, error, attempts INTEGER, parent_step_attempt_namespace_id, parent_step_attempt_id, " +
        "worker_id, available_at, deadline_at, started_at, finished_at, created_at, updated_at",
    );
    assert.equal(
      database.prepare("SELECT max(version) AS version FROM openworkflow_migrations").get()?.[
        "version"
      ],
      5,
    );
    database.exec("ALTER TABLE workflow_runs RENAME COLUMN worker_id TO owner_id");
    assert.throws(() => storage.own?.freeLeases(), /no such column: worker_id/);
    database.close();
  });

  // Else a kill between them would leave half of a change: the library's own BEGIN and COMMIT do nothing.
  it("has all that one of the library's changes writes in one transaction", async () => {
    const { connection } = storage.database;
    const written = new Set<string>();
    const outside = new Set<string>();
    connection.function("note", (what) => {
      (connection.isTransaction ? written : outside).add(String(what));
      return null;
    });
    for (const table of ["workflow_runs", "step_attempts", "workflow_signals"])
      for (const action of ["INSERT", "UPDATE"])
        connection.exec(
          `CREATE TEMP TRIGGER "${action} ${table}" AFTER ${action} ON main.${table} BEGIN SELECT note('${action} ${table}'); END`,
        );
    const changes = new Set<string>();
    const backend = new Proxy(storage.backend, {
      get(target, name): unknown {
        const member: unknown = Reflect.get(target, name);
        const isRead = /^(get|list|count)/.test(String(name));
        if (typeof member === "function" && !isRead) changes.add(String(name));
        return member;
      },
    });
    let tries = 0;
    const done: string[] = [];
    const runs = runsWith(
      {
        async crew(id, steps) {
          if (id === "broken") throw new Error("It can't continue.");
          await steps.run("repeated", () =>
            (tries += 1) < 2 ? Promise.reject(new Error("again")) : Promise.resolve(null),
          );
          await steps.wait("go");
          done.push(id);
        },
        onBroken: (id) => {
          done.push(id);
          return Promise.reject(new Error("It can't be noted."));
        },
      },
      backend,
    );
    await runs.startCrew("claimed");
    const claim = { workerId: "worker", leaseDurationMs: 1000 };
    const workflowRunId = (await backend.claimWorkflowRun(claim))?.id ?? "";
    await backend.extendWorkflowRunLease({ ...claim, workflowRunId });
    runs.work();
    for (const id of ["whole", "broken"]) await runs.startCrew(id);
    // A signal that comes earlier needs no sleep.
    await waitFor("the sleep", () => changes.has("sleepWorkflowRun"));
    await waitFor("the wait", () => runs.signal("go"));
    await waitFor("the end of both", async () => {
      const counts = await storage.backend.countWorkflowRuns();
      return counts.completed === 1 && counts.failed === 1;
    });
    assert.deepEqual(done.sort(), ["broken", "whole"]);
    assert.deepEqual([...changes].sort(), [
      "claimWorkflowRun",
      "completeStepAttempt",
      "completeWorkflowRun",
      "createStepAttempt",
      "createWorkflowRun",
      "extendWorkflowRunLease",
      "failStepAttempt",
      "failWorkflowRun",
      "rescheduleWorkflowRunAfterFailedStepAttempt",
      "sendSignal",
      "sleepWorkflowRun",
    ]);
    assert.deepEqual([...outside], []);
    assert.deepEqual([...written].sort(), [
      "INSERT step_attempts",
      "INSERT workflow_runs",
      "INSERT workflow_signals",
      "UPDATE step_attempts",
      "UPDATE workflow_runs",
    ]);
  });

  it("starts a run with the row that the library writes", async () => {
    const runs = runsWith({});
    await storage.database.transaction(() => storage.startRun("ours"));
    await runs.startCrew("theirs");
    const database = openSqlite(file);
    const rows = database
      .prepare("SELECT * FROM workflow_runs ORDER BY idempotency_key = 'theirs'")
      .all();
    database.close();
    const [ours, theirs] = rows.map((row) => ({
      ...row,
      ...{ id: "", idempotency_key: "", available_at: "", created_at: "", updated_at: "" },
      input: JSON.parse(String(row["input"])) === row["idempotency_key"],
      times: new Set([row["available_at"], row["created_at"], row["updated_at"]]).size,
    }));
    assert.deepEqual(ours, theirs);
  });

  it("knows whether an execution has a run", async () => {
    const runs = runsWith({ crew: (_id, steps) => steps.wait("never") });
    const hasRun = () => storage.own?.hasRun("a");
    assert.equal(hasRun(), false);
    await runs.startCrew("a");
    assert.equal(hasRun(), true);
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
});

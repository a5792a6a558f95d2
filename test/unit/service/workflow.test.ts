import assert from "node:assert/strict";
import path from "node:path";
import { openSqliteStorage } from "../../../src/service/workflow-sqlite.ts";
import { createRuns, type RunHandlers } from "../../../src/service/workflow.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { waitFor } from "../../support/wait.ts";

/** What a kill at any moment needs of the pinned openworkflow. */
describe("service: durable runs", () => {
  let folder: string;
  let storage: ReturnType<typeof openSqliteStorage>;
  const open: ReturnType<typeof createRuns>[] = [];
  beforeEach(() => {
    folder = temporaryFolder("runs");
    storage = openSqliteStorage(path.join(folder, "runs.sqlite"), (line) => assert.fail(line));
  });
  afterEach(async () => {
    for (const runs of open.splice(0)) await runs.close();
    await storage.database.close();
  });

  const runsWith = (handlers: Partial<RunHandlers>, backend = storage.backend) => {
    const runs = createRuns(backend, storage.database, {
      crew: () => Promise.resolve(),
      onBroken: () => Promise.resolve(),
      log: () => undefined,
      ...handlers,
    });
    open.push(runs);
    return runs;
  };

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
    assert.deepEqual([...outside], []);
    assert.deepEqual([...written].sort(), [
      "INSERT step_attempts",
      "INSERT workflow_runs",
      "INSERT workflow_signals",
      "UPDATE step_attempts",
      "UPDATE workflow_runs",
    ]);
  });
});

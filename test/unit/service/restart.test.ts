import assert from "node:assert/strict";
import path from "node:path";
import type { Engine } from "../../../src/service/engine.ts";
import { openSqlite } from "../../../src/base/sqlite.ts";
import { waitFor } from "../../support/wait.ts";
import { crew, Harness, inputs } from "./support.ts";

describe("service: after a restart", () => {
  let harness: Harness;
  afterEach(() => harness.end());

  const restart = async () => {
    await harness.close();
    harness = await new Harness({ folder: harness.folder }).start();
  };
  const inDatabase = (sql: string, ...values: string[]) => {
    const database = openSqlite(path.join(harness.folder, "crewdeck.sqlite"));
    database.prepare(sql).run(...values);
    database.close();
  };

  it("a waiting execution still waits, with its feedback, and continues", async () => {
    harness = await new Harness().start();
    const id = await harness.kickoff();
    await harness.untilWaiting(id);
    await harness.resume(id, false, "before the restart");
    await harness.untilWaiting(id, 2);
    await restart();
    await harness.untilWaiting(id, 2);
    assert.equal((await harness.resume(id, true, "after it")).status, 200);
    assert.match(
      (await harness.untilEnded(id)).result?.output ?? "",
      /before the restart\n.*after it/,
    );
  });

  it("an execution that was stored but not started is started", async () => {
    harness = new Harness();
    const id = await harness.kickoff();
    await harness.close();
    harness = new Harness({ folder: harness.folder });
    inDatabase("DELETE FROM workflow_runs");
    await harness.start();
    await harness.untilWaiting(id);
  });

  it("a decision that was stored but didn't reach its run reaches it", async () => {
    harness = await new Harness().start();
    const id = await harness.kickoff();
    await harness.untilWaiting(id);
    await harness.close();
    harness = new Harness({ folder: harness.folder });
    inDatabase(
      "UPDATE attempts SET state = 'approved', feedback = 'kept', callbacks = '{}', decided_at = 1 WHERE execution_id = ? AND state = 'waiting'",
      id,
    );
    await harness.start();
    assert.match((await harness.untilEnded(id)).result?.output ?? "", /approved: kept/);
  });

  it("an execution whose run the library gave up ends with that error", async () => {
    harness = await new Harness().start();
    const id = await harness.kickoff();
    await harness.untilWaiting(id);
    await harness.close();
    harness = new Harness({ folder: harness.folder });
    inDatabase(`UPDATE workflow_runs SET status = 'failed', error = '{"message":"disk is full"}'`);
    await harness.start();
    const end = await waitFor("the end", async () => {
      const status = await harness.status(id);
      return status.status !== "running" && status;
    });
    assert.match(end.error ?? "", /can't continue: disk is full/);
  });

  it("a schema change of the library that breaks the start-up query is logged, and the service still works", async () => {
    harness = new Harness();
    const before = await harness.kickoff();
    await harness.close();
    harness = new Harness({ folder: harness.folder });
    // Simulates a newer library that renamed the column. The library's own statements need it, so it is restored after the start.
    inDatabase("ALTER TABLE workflow_runs RENAME COLUMN worker_id TO owner_id");
    const working = harness.service.work();
    inDatabase("ALTER TABLE workflow_runs RENAME COLUMN owner_id TO worker_id");
    await working;
    assert.match(
      harness.log.join("\n"),
      /continue in 30 seconds, not at once: no such column: worker_id/,
    );
    await harness.untilWaiting(before);
  });

  it("a stored execution that can no longer be read is answered 500, and others aren't affected", async () => {
    harness = await new Harness().start();
    const damaged = await harness.kickoff({ inputs });
    const sound = await harness.kickoff({ inputs });
    await harness.untilWaiting(damaged);
    inDatabase("UPDATE executions SET project = 'no JSON' WHERE id = ?", damaged);
    const { status, body } = await harness.request("GET", `/${damaged}/status`);
    assert.equal(status, 500);
    assert.ok(!JSON.stringify(body).includes("JSON.parse"));
    await harness.untilWaiting(sound);
    assert.equal((await harness.resume(sound, true, "")).status, 200);
  });

  it("an output that was stored before a crash is kept, not produced again", async () => {
    harness = await new Harness({ project: { ...crew, tasks: crew.tasks.slice(1, 2) } }).start();
    const id = await harness.kickoff();
    await harness.untilWaiting(id);
    await harness.close();
    inDatabase("UPDATE attempts SET output = 'as it was shown' WHERE execution_id = ?", id);
    inDatabase("DELETE FROM step_attempts");
    inDatabase("UPDATE workflow_runs SET available_at = '2000-01-01T00:00:00.000Z'");
    harness = await new Harness({ folder: harness.folder }).start();
    assert.equal(
      (await harness.untilWaiting(id)).pending_human_input?.task_output,
      "as it was shown",
    );
    await harness.resume(id, true, "");
    assert.equal((await harness.untilEnded(id)).result?.output, "as it was shown");
  });

  describe("with an engine that costs money", () => {
    /** An attempt of the first service answers only when the test has ended; after a restart it answers. */
    const engine = (isStuck: boolean): Engine => ({
      name: "costly",
      costsMoney: true,
      run: () =>
        isStuck
          ? new Promise(
              (_, reject) => (endAttempt = () => reject(new Error("The test has ended."))),
            )
          : Promise.resolve({ output: "done" }),
    });
    let endAttempt: (() => void) | undefined;
    let killed: Promise<void> | undefined;
    afterEach(async () => {
      endAttempt?.();
      await killed;
      [endAttempt, killed] = [undefined, undefined];
    });
    const interrupted = async () => {
      harness = await new Harness({ engine: engine(true) }).start();
      const id = await harness.kickoff();
      await waitFor("the task", async () => (await harness.status(id)).current_task === "research");
      // As after a kill: it looks for no more work, and the lease stays.
      killed = harness.close();
      const leased = "UPDATE workflow_runs SET worker_id = 'gone', status = 'running'";
      const { folder } = harness;
      harness = new Harness({ folder, engine: engine(false) });
      inDatabase(leased);
      await harness.start();
      return id;
    };

    it("holds what was interrupted until a person lets it continue, over more restarts", async () => {
      const id = await interrupted();
      assert.deepEqual(harness.service.held(), [id]);
      await harness.close();
      harness = await new Harness({ folder: harness.folder, engine: engine(false) }).start();
      assert.deepEqual(harness.service.held(), [id]);
      assert.equal((await harness.status(id)).progress?.completed_tasks, 0);
      await harness.service.release(id);
      await harness.untilWaiting(id);
      assert.deepEqual(harness.service.held(), []);
    });

    it("loses none when a kill interrupts the hold, or the release", async () => {
      const id = await interrupted();
      await harness.close();
      const { folder } = harness;
      const restart = () => (harness = new Harness({ folder, engine: engine(false) }));
      // SQLite undoes what a kill interrupts as it undoes what a trigger refuses.
      const interruptBy = (change: string) =>
        inDatabase(
          `CREATE TRIGGER kill BEFORE UPDATE OF ${change} BEGIN SELECT RAISE(ABORT, 'killed'); END`,
        );
      inDatabase("UPDATE executions SET held = 0");
      inDatabase("UPDATE workflow_runs SET worker_id = 'gone', status = 'running'");
      interruptBy("held ON executions");
      assert.throws(restart, /can't be kept from continuing.*killed/);
      inDatabase("DROP TRIGGER kill");
      await restart().start();
      assert.deepEqual(harness.service.held(), [id]);
      interruptBy("available_at ON workflow_runs");
      await assert.rejects(harness.service.release(id), /killed/);
      inDatabase("DROP TRIGGER kill");
      await harness.close();
      await restart().start();
      assert.deepEqual(harness.service.held(), [id]);
      await harness.service.release(id);
      await harness.untilWaiting(id);
    });

    it("ends what a person discards", async () => {
      const id = await interrupted();
      harness.service.discard(id);
      assert.match(
        (await harness.status(id)).error ?? "",
        /discarded after the service was restarted/,
      );
      assert.deepEqual(harness.service.held(), []);
    });

    it("doesn't hold what waits for a person, or begins after the restart", async () => {
      harness = await new Harness({ engine: engine(false) }).start();
      const id = await harness.kickoff();
      await harness.untilWaiting(id);
      await harness.close();
      harness = await new Harness({ folder: harness.folder, engine: engine(false) }).start();
      assert.deepEqual(harness.service.held(), []);
      await harness.resume(id, true, "");
      await harness.untilEnded(id);
      await harness.untilWaiting(await harness.kickoff());
    });
  });
});

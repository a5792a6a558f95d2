import assert from "node:assert/strict";
import { readStatus } from "../../../src/api/read-status.ts";
import { createRetention } from "../../../src/service/operations/retention.ts";
import type { Engine } from "../../../src/service/engine.ts";
import { createEvents } from "../../../src/service/events.ts";
import { waitFor } from "../../support/wait.ts";
import { crew, harness, inputs, onPostgres, openHarness, restart, serve } from "./support.ts";

/** A person's decision, as it is stored. */
const approved =
  "UPDATE attempts SET state = 'approved', feedback = 'kept', callbacks = '{}', decided_at = 1 WHERE state = 'waiting'";

describe("service: after a restart", () => {
  it("a waiting execution still waits, with its feedback, and continues", async () => {
    await serve();
    const id = await harness.kickoffUntilWaiting();
    await harness.reject(id, 2, "before the restart");
    await restart();
    await harness.untilWaiting(id, 2);
    const { result } = await harness.approve(id, "after it");
    assert.match(result?.output ?? "", /before the restart\n.*after it/);
  });

  // In Postgres, both were always one change.
  if (!onPostgres)
    it("an execution that was stored but not started is started", async () => {
      openHarness();
      const id = await harness.kickoff();
      await restart({}, "DELETE FROM workflow_runs");
      await harness.untilWaiting(id);
    });

  it("a decision whose signal was stored, but whose run stayed asleep, reaches it", async () => {
    await serve();
    const id = await harness.kickoffUntilWaiting();
    await harness.untilAsleep();
    // A kill came between the library's two changes.
    await restart(
      {},
      approved,
      `INSERT INTO workflow_signals (namespace_id, id, signal, workflow_run_id, step_attempt_id, created_at)
       SELECT namespace_id, 'one', 'decision', workflow_run_id, id, created_at FROM step_attempts WHERE kind = 'signal-wait'`,
    );
    assert.match((await harness.untilEnded(id)).result?.output ?? "", /approved: kept/);
  });

  it("a decision that was stored but didn't reach its run reaches it", async () => {
    await serve();
    const id = await harness.kickoffUntilWaiting();
    await restart({}, approved);
    assert.match((await harness.untilEnded(id)).result?.output ?? "", /approved: kept/);
    const { events = [] } = readStatus(await harness.status(id));
    const decided = events.find(({ type }) => type === "human_feedback_received");
    assert.equal(decided?.at, 1, "the wait ended with the decision, not with the restart");
  });

  // It had no Postgres.
  if (!onPostgres)
    it("an execution that version 0.1.0 left waiting continues", async () => {
      await serve();
      const id = await harness.kickoffUntilWaiting();
      // Its tables and steps.
      await restart(
        {},
        ...["held", "kept", "usage", "batched_events"].map((table) => `DROP TABLE ${table}`),
        ...["deliveries_due", "deliveries_not_sent"].map((index) => `DROP INDEX ${index}`),
        ...["kind", "queue", "due", "problem"].map(
          (column) => `ALTER TABLE deliveries DROP COLUMN ${column}`,
        ),
        "DELETE FROM step_attempts WHERE step_name = 'prepare'",
        "UPDATE step_attempts SET output = 'null' WHERE step_name LIKE 'task %'",
      );
      await harness.untilWaiting(id);
      assert.equal((await harness.approve(id)).status, "completed");
      await harness.kickoffUntilWaiting();
    });

  it("an execution whose run the library gave up ends with that error, also without a restart", async () => {
    await serve();
    for (const restarts of [false, true]) {
      const id = await harness.kickoffUntilWaiting();
      await harness.untilAsleep();
      if (restarts) await harness.close();
      await harness.sql(
        `UPDATE workflow_runs SET status = 'failed', error = '{"message":"disk is full"}' WHERE status = 'running'`,
      );
      if (restarts) await serve({ folder: harness.folder });
      const { error } = await harness.untilEnded(id);
      assert.match(error ?? "", /can't continue: disk is full/);
    }
  });

  it("a stored execution that can no longer be read is answered 500, and others aren't affected", async () => {
    await serve();
    const damaged = await harness.kickoff({ inputs });
    const sound = await harness.kickoff({ inputs });
    await harness.untilWaiting(damaged);
    await harness.sql("UPDATE executions SET project = 'no JSON' WHERE id = ?", damaged);
    const { status, body } = await harness.request("GET", `/${damaged}/status`);
    assert.equal(status, 500);
    assert.ok(!JSON.stringify(body).includes("JSON.parse"));
    await harness.untilWaiting(sound);
    assert.equal((await harness.resume(sound, true, "")).status, 200);
  });

  it("an output that was stored before a crash is kept, not produced again", async () => {
    await serve({ project: { ...crew, tasks: crew.tasks.slice(1, 2) } });
    const id = await harness.kickoffUntilWaiting();
    await restart(
      {},
      "UPDATE attempts SET output = 'as it was shown'",
      "DELETE FROM step_attempts",
      "UPDATE workflow_runs SET available_at = '2000-01-01T00:00:00.000Z'",
    );
    assert.equal(
      (await harness.untilWaiting(id)).pending_human_input?.task_output,
      "as it was shown",
    );
    assert.equal((await harness.approve(id)).result?.output, "as it was shown");
  });

  it("an attempt that was begun ten times, because each time the service ended, isn't begun again", async () => {
    let paid = 0;
    const engine: Engine = {
      name: "costly",
      run: async (_attempt, report) => {
        await report.begin();
        paid += 1;
        // The others ended with the service, which could not count a failure.
        const [counted] = await harness.sql("SELECT begins FROM attempts");
        assert.equal(Number(counted?.["begins"]), 1);
        await harness.sql("UPDATE attempts SET begins = 10");
        throw new Error("It is repeated.");
      },
    };
    await serve({ engine });
    const { status, error } = await harness.untilEnded(await harness.kickoff());
    assert.equal(status, "error");
    assert.match(error ?? "", /^Task execution failed: It was begun 10 times, and each time /);
    assert.equal(paid, 1);
  });

  // A process that shares the database holds nothing: others may be running the execution.
  if (!onPostgres)
    describe("with an engine that costs money", () => {
      /** An attempt of the first service answers only when the test has ended; after a restart it answers. */
      const engine = (isStuck: boolean): Engine => ({
        name: "costly",
        costsMoney: true,
        run: ({ task, notes }) =>
          isStuck
            ? new Promise(
                (_, reject) => (endAttempt = () => reject(new Error("The test has ended."))),
              )
            : Promise.resolve({ output: [task.id, ...notes.map((note) => note.feedback)].join() }),
      });
      let endAttempt: (() => void) | undefined;
      let killed: Promise<void> | undefined;
      afterEach(async () => {
        endAttempt?.();
        await killed;
        [endAttempt, killed] = [undefined, undefined];
      });
      const interrupted = async () => {
        await serve({ engine: engine(true) });
        const id = await harness.kickoff();
        await waitFor("the attempt", () => endAttempt !== undefined);
        // As after a kill: it looks for no more work, and the lease stays.
        killed = harness.close();
        const { folder } = harness;
        await harness.sql(leased);
        await serve({ folder, engine: engine(false) });
        return id;
      };
      const leased =
        "UPDATE workflow_runs SET worker_id = 'gone', status = 'running', available_at = '2126-01-01T00:00:00.000Z'";

      it("holds what was interrupted until a person lets it continue, over more restarts", async () => {
        const id = await interrupted();
        assert.deepEqual(await harness.service.held(), [id]);
        await restart({ engine: engine(false) });
        assert.deepEqual(await harness.service.held(), [id]);
        assert.equal((await harness.status(id)).progress?.completed_tasks, 0);
        await harness.sql("UPDATE attempts SET begins = 10");
        await harness.service.decide("continue", [id]);
        await harness.untilWaiting(id);
        assert.deepEqual(await harness.service.held(), []);
        const { events } = await createEvents(harness.database).of(id);
        assert.deepEqual(events.map(({ type }) => type).slice(0, 3), [
          "crew_kickoff_started",
          "task_started",
          "execution_continued",
        ]);
        const begins = await harness.sql("SELECT begins FROM attempts WHERE begins > 0");
        assert.equal(
          begins.length,
          0,
          "what a person lets continue isn't counted as begun by itself",
        );
      });

      it("loses none when a kill interrupts the hold, or the release", async () => {
        const id = await interrupted();
        await harness.close();
        const { folder } = harness;
        const open = () => openHarness({ folder, engine: engine(false) });
        // SQLite undoes what a kill interrupts as it undoes what a trigger refuses.
        const interruptBy = (change: string) =>
          harness.sql(
            `CREATE TRIGGER kill BEFORE ${change} BEGIN SELECT RAISE(ABORT, 'killed'); END`,
          );
        await harness.sql("DELETE FROM held");
        await harness.sql(leased);
        await interruptBy("INSERT ON held");
        assert.throws(open, /can't be kept from continuing.*killed/);
        await harness.sql("DROP TRIGGER kill");
        await serve({ folder, engine: engine(false) });
        assert.deepEqual(await harness.service.held(), [id]);
        await interruptBy("UPDATE OF available_at ON workflow_runs");
        await assert.rejects(harness.service.decide("continue", [id]), /killed/);
        await harness.sql("DROP TRIGGER kill");
        await restart({ engine: engine(false) });
        assert.deepEqual(await harness.service.held(), [id]);
        await harness.service.decide("continue", [id]);
        await harness.untilWaiting(id);
      });

      const signal =
        "INSERT INTO workflow_signals (namespace_id, id, signal, workflow_run_id, step_attempt_id, created_at) SELECT namespace_id, id, json_extract(context, '$.signal'), workflow_run_id, id, created_at FROM step_attempts WHERE kind = 'signal-wait'";
      const woken = "UPDATE workflow_runs SET available_at = '2000'";
      const atTheKill: Readonly<Record<string, readonly string[]>> = {
        "was accepted": [],
        "reached its run": [signal, woken],
        "was read": [
          signal,
          woken,
          leased,
          "UPDATE attempts SET taken = 1 WHERE task_id = 'draft'",
        ],
      };
      for (const [what, changes] of Object.entries(atTheKill))
        it(`holds an execution whose feedback ${what} just before a kill, and loses none of it`, async () => {
          await serve({ engine: engine(false) });
          const id = await harness.kickoffUntilWaiting();
          const runs: string[] = [];
          const costly = engine(false);
          const noting: Engine = {
            ...costly,
            run: (attempt, onStep) => (runs.push(attempt.task.id), costly.run(attempt, onStep)),
          };
          await restart({ engine: noting }, approved, ...changes);
          assert.deepEqual(await harness.service.held(), [id]);
          // By then, it has looked for work.
          await harness.kickoffUntilWaiting();
          assert.deepEqual(runs, ["research", "draft"]);
          await harness.service.decide("continue", [id]);
          assert.equal((await harness.untilEnded(id)).result?.output, "polish,kept");
        });

      it("holds an execution that had not begun, or waited to be repeated", async () => {
        openHarness({ engine: engine(false) });
        const id = await harness.kickoff();
        for (const change of ["SELECT 1", "DELETE FROM workflow_runs"]) {
          await restart({ engine: engine(false) }, change);
          assert.deepEqual(await harness.service.held(), [id]);
        }
        await harness.service.decide("continue", [id]);
        await harness.untilWaiting(id);
      });

      it("tells windows once what is left when a person discards many", async () => {
        openHarness({ engine: engine(false) });
        const ids = [await harness.kickoff(), await harness.kickoff(), await harness.kickoff()];
        await restart({ engine: engine(false) });
        await harness.service.decide("discard", ids.slice(1));
        assert.deepEqual(harness.left, [ids.slice(0, 1)]);
      });

      it("ends what a person discards", async () => {
        const id = await interrupted();
        await harness.service.decide("discard", [id]);
        assert.equal((await harness.untilEnded(id)).status, "stopped");
        const { events } = await createEvents(harness.database).of(id);
        assert.equal(events.at(-1)?.["type"], "crew_kickoff_failed");
        assert.deepEqual(await harness.service.held(), []);
        const ended = "SELECT id FROM workflow_runs WHERE status = 'completed'";
        await waitFor("its run to end", async () => (await harness.sql(ended)).length === 1);
        // Its run must not keep it for ever.
        const { deleteOld } = createRetention({
          database: harness.database,
          keepDays: 7,
          onDeleted: () => undefined,
          log: (line) => assert.fail(line),
        });
        assert.equal(await deleteOld(Date.now() + 8 * 86_400_000), 1);
        assert.deepEqual(await harness.sql("SELECT id FROM workflow_runs"), []);
      });

      it("doesn't hold what waits for a person, or begins after the restart", async () => {
        await serve({ engine: engine(false) });
        const id = await harness.kickoffUntilWaiting();
        // As if the kill had come before the library stored the wait.
        const stepLost = "DELETE FROM step_attempts WHERE kind = 'signal-wait'";
        await restart({ engine: engine(false) }, stepLost, leased);
        assert.deepEqual(await harness.service.held(), []);
        await harness.approve(id);
        await harness.kickoffUntilWaiting();
      });
    });
});

import assert from "node:assert/strict";
import path from "node:path";
import { createRetention } from "../../../src/service/operations/operations.ts";
import { rows } from "../../../src/service/database/database.ts";
import type { Engine } from "../../../src/service/engine.ts";
import { activityOf } from "../../../src/service/events.ts";
import { openStorage } from "../../../src/service/storage.ts";
import { waitFor } from "../../support/wait.ts";
import {
  crew,
  harness,
  inputs,
  messageOf,
  onPostgres,
  openHarness,
  openOn,
  restart,
  secretKey,
  serve,
  workAgain,
} from "./support.ts";

/** A person's decision, as it is stored. */
const approved = [
  "UPDATE attempts SET state = 'approved', feedback = 'kept', callbacks = '{}', decided_at = 1 WHERE state = 'waiting'",
  "UPDATE executions SET phase = 'queued'",
];

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

  // In a file, what waits is no job.
  if (onPostgres)
    it("a waiting execution counts as waiting, also if its job is done once more", async () => {
      await serve();
      const id = await harness.kickoffUntilWaiting();
      await restart({}, workAgain);
      await waitFor("its turn", async () => {
        const [execution] = await harness.sql("SELECT turn FROM executions WHERE id = ?", id);
        return execution?.["turn"] === 2;
      });
      assert.equal(await harness.service.isBusy(), false);
    });

  // Other processes use Postgres, too, so none looks at all at its start.
  if (!onPostgres)
    it("20,000 executions that wait don't keep it from answering", async () => {
      await serve();
      const id = await harness.kickoffUntilWaiting();
      await harness.close();
      openHarness({ folder: harness.folder });
      const own =
        "owner, crew, project, inputs, meta, callbacks, state, created_at, queued_at, is_prepared, phase";
      await harness.sql(
        `WITH RECURSIVE copies(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < 20000)
         INSERT INTO executions (id, ${own}) SELECT id || n, ${own} FROM executions CROSS JOIN copies`,
      );
      const attempt = "task_index, attempt, task_id, state, output, started_at";
      await harness.sql(
        `INSERT INTO attempts (execution_id, ${attempt})
         SELECT executions.id, ${attempt.replace("state", "attempts.state")} FROM attempts, executions WHERE executions.id LIKE execution_id || '_%'`,
      );
      const begun = performance.now();
      await harness.start();
      await harness.untilWaiting(id);
      const seconds = (performance.now() - begun) / 1000;
      console.log(`      answered after ${seconds.toFixed(1)} s`);
      assert.ok(seconds < 10);
    });

  // Postgres has no limit that one session could set.
  if (!onPostgres)
    it("a full disk loses nothing that was accepted: it goes on when there is space again", async () => {
      await serve();
      const allowPages = (count: number) =>
        harness.database.query(rows(`PRAGMA max_page_count = ${count}`));
      const [size] = await harness.database.query(rows("PRAGMA page_count"));
      await allowPages(Number(size?.["page_count"]) + 20);
      const topic = "tea ".repeat(1000);
      const accepted: string[] = [];
      let answer = await harness.request("POST", "/kickoff", { inputs: { ...inputs, topic } });
      while (answer.status === 200) {
        accepted.push((answer.body as { kickoff_id: string }).kickoff_id);
        answer = await harness.request("POST", "/kickoff", { inputs: { ...inputs, topic } });
      }
      assert.equal(answer.status, 500);
      assert.match(messageOf(answer), /disk .* is full/);
      assert.ok(accepted.length > 0);
      await waitFor("an execution to wait for space", () =>
        /until the database/.test(harness.log.join()),
      );
      await allowPages(1_000_000);
      for (const id of accepted) await harness.untilWaiting(id);
    });

  it("a decision that was stored just before a kill counts", async () => {
    await serve();
    const id = await harness.kickoffUntilWaiting();
    await restart({}, ...approved, workAgain);
    assert.match((await harness.untilEnded(id)).result?.output ?? "", /approved: kept/);
  });

  it("an execution whose run breaks ends with that error", async () => {
    const engine: Engine = {
      name: "broken",
      run: () => Promise.reject(new Error("It failed.")),
      isFinal() {
        throw new Error("the engine is broken");
      },
    };
    await serve({ engine });
    for (let kickoffs = 0; kickoffs < 2; kickoffs += 1) {
      const { error } = await harness.untilEnded(await harness.kickoff());
      assert.equal(error, "The execution can't continue: the engine is broken");
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
    await restart({}, "UPDATE attempts SET output = 'as it was shown'", workAgain);
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
        return { output: "paid" };
      },
    };
    openHarness({ engine });
    const id = await harness.kickoff();
    await harness.sql(
      `INSERT INTO attempts (execution_id, task_index, attempt, task_id, state, started_at, begins)
       SELECT id, 0, 1, 'research', 'running', 1, 10 FROM executions`,
    );
    await harness.start();
    const { status, error } = await harness.untilEnded(id);
    assert.equal(status, "error");
    assert.match(error ?? "", /^Task execution failed: It was begun 10 times, and each time /);
    assert.equal(paid, 0);
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
        // As after a kill: it looks for no more work.
        killed = harness.close();
        const { folder } = harness;
        await serve({ folder, engine: engine(false) });
        return id;
      };
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
        const { events } = await harness.database.query(activityOf(id));
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
        // SQLite undoes what a kill interrupts as it undoes what a trigger refuses.
        const interruptBy = (change: string) =>
          harness.sql(
            `CREATE TRIGGER kill BEFORE ${change} BEGIN SELECT RAISE(ABORT, 'killed'); END`,
          );
        await harness.sql("UPDATE executions SET phase = 'queued'");
        await interruptBy("UPDATE OF phase ON executions");
        const file = path.join(folder, "crewdeck.sqlite");
        const storage = await openStorage({ file }, secretKey, () => undefined);
        assert.throws(() => openOn(storage, () => undefined, { engine: engine(false) }), /killed/);
        await storage.database.close();
        await harness.sql("DROP TRIGGER kill");
        await serve({ folder, engine: engine(false) });
        assert.deepEqual(await harness.service.held(), [id]);
        await interruptBy("INSERT ON events");
        await assert.rejects(harness.service.decide("continue", [id]), /killed/);
        await harness.sql("DROP TRIGGER kill");
        await restart({ engine: engine(false) });
        assert.deepEqual(await harness.service.held(), [id]);
        await harness.service.decide("continue", [id]);
        await harness.untilWaiting(id);
      });

      it("holds an execution whose feedback was accepted just before a kill, and loses none of it", async () => {
        await serve({ engine: engine(false) });
        const id = await harness.kickoffUntilWaiting();
        const runs: string[] = [];
        const costly = engine(false);
        const noting: Engine = {
          ...costly,
          run: (attempt, onStep) => (runs.push(attempt.task.id), costly.run(attempt, onStep)),
        };
        await restart({ engine: noting }, ...approved, workAgain);
        assert.deepEqual(await harness.service.held(), [id]);
        // By then, it has looked for work.
        await harness.kickoffUntilWaiting();
        assert.deepEqual(runs, ["research", "draft"]);
        await harness.service.decide("continue", [id]);
        assert.equal((await harness.untilEnded(id)).result?.output, "polish,kept");
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
        const { events } = await harness.database.query(activityOf(id));
        assert.equal(events.at(-1)?.["type"], "crew_kickoff_failed");
        assert.deepEqual(await harness.service.held(), []);
        await harness.untilAsleep();
        // Nothing must keep it for ever.
        const { deleteOld } = createRetention(harness.database, 7, (line) => assert.fail(line));
        assert.equal(await deleteOld(Date.now() + 8 * 86_400_000), 1);
      });

      it("doesn't hold what waits for a person, or begins after the restart", async () => {
        await serve({ engine: engine(false) });
        const id = await harness.kickoffUntilWaiting();
        await restart({ engine: engine(false) }, workAgain);
        assert.deepEqual(await harness.service.held(), []);
        await harness.approve(id);
        await harness.kickoffUntilWaiting();
      });
    });
});

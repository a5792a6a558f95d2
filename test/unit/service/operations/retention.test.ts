import assert from "node:assert/strict";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Database } from "../../../../src/service/database/database.ts";
import { createRetention } from "../../../../src/service/operations/operations.ts";
import { waitFor } from "../../../support/wait.ts";
import { harness, onPostgres, serve } from "../support.ts";

const dayMs = 86_400_000;

describe("service: executions that ended long ago", () => {
  beforeEach(() => serve());

  const sql = (text: string, ...values: (string | number)[]) => harness.sql(text, ...values);
  async function countRows() {
    const tables = await sql(
      onPostgres
        ? "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()"
        : "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    );
    const names = tables
      .map(({ name }) => String(name))
      .filter((name) => !name.startsWith("token"));
    const union = names.map((name) => `SELECT '${name}' AS name, count(*) AS count FROM ${name}`);
    const counted = await sql(union.join(" UNION ALL "));
    return Object.fromEntries(counted.map(({ name, count }) => [String(name), Number(count)]));
  }
  const retention = (keepDays: number, database: Pick<Database, "now" | "transaction">) =>
    createRetention(database, keepDays, (line) => assert.fail(line));
  const deleteOld = (now: number) => retention(7, harness.database).deleteOld(now);

  /** A table without executions. */
  const ofCrews = "python_inputs";

  async function complete(): Promise<string> {
    const id = await harness.complete();
    await harness.untilAsleep();
    return id;
  }

  /** Adds some that ended long ago, with what one has. */
  const addOld = (id: string, count: number) =>
    sql(
      `WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ${count})
       INSERT INTO executions (id, owner, project, inputs, meta, callbacks, state, created_at, queued_at, ended_at)
       SELECT 'old ' || number, owner, project, inputs, meta, callbacks, 'completed', 1, 1, 2 FROM executions, numbers
       WHERE id = ?`,
      id,
    );

  it("are deleted with all that they have", async () => {
    const before = await countRows();
    const id = await complete();
    // What this story has not made by itself.
    for (const row of [
      `aliases VALUES ('alias', '${id}')`,
      `questions (execution_id, id, call_id, task_id, attempt, question) VALUES ('${id}', 'q', '', '', 1, '{}')`,
      `calls VALUES ('${id}', 1, '', 1, '', '', 1, 0, '{}', '')`,
      `usage VALUES ('${id}', 1, 1, 0)`,
      `event_counts VALUES ('${id}', 'llm_call_started', 1)`,
      `batched_events (id, execution_id, event) VALUES ('b', '${id}', '')`,
      `deliveries (id, execution_id, url, body, state) VALUES ('d', '${id}', '', '', 'sent')`,
    ])
      await sql(`INSERT INTO ${row}`);
    const full = await countRows();
    // A table without a row here would show nothing.
    const empty = Object.keys(full).filter((name) => full[name] === 0 && name !== ofCrews);
    assert.deepEqual(empty, []);
    assert.equal(await deleteOld(Date.now() + 6.9 * dayMs), 0);
    assert.deepEqual(await countRows(), full);
    assert.equal(await deleteOld(Date.now() + 7.1 * dayMs), 1);
    assert.deepEqual(await countRows(), before);
    assert.equal((await harness.request("GET", `/${id}/status`)).status, 404);
  });

  it("are left while a callback is still to be sent", async () => {
    const first = await complete();
    await sql(
      "INSERT INTO deliveries (id, execution_id, url, body) VALUES ('d', ?, 'http://127.0.0.1:1/', '')",
      first,
    );
    const second = await complete();
    assert.equal(await deleteOld(Date.now() + 30 * dayMs), 1);
    assert.equal((await harness.request("GET", `/${first}/status`)).status, 200);
    assert.equal((await harness.request("GET", `/${second}/status`)).status, 404);
    await sql("UPDATE deliveries SET state = 'given up'");
    assert.equal(await deleteOld(Date.now() + 30 * dayMs), 1);
    assert.equal((await harness.request("GET", `/${first}/status`)).status, 404);
  });

  it("are deleted in small parts, and none that is under way, so that a process with 300,000 callbacks to delete goes on", async () => {
    const waiting = await harness.kickoffUntilWaiting();
    await addOld(waiting, 100);
    await sql(
      `WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 300000)
       INSERT INTO deliveries (id, execution_id, url, body, state)
       SELECT 'a callback of an execution, no. ' || number, 'old ' || (1 + (number - 1) / 3000), '', '', 'sent' FROM numbers`,
    );
    const { database } = harness;
    let longest = 0;
    const timed: Pick<Database, "now" | "transaction"> = {
      now: () => database.now(),
      transaction: async (work) => {
        const begun = performance.now();
        const result = await database.transaction(work);
        longest = Math.max(longest, performance.now() - begun);
        return result;
      },
    };
    const begun = performance.now();
    const loop = monitorEventLoopDelay({ resolution: 1 });
    loop.enable();
    assert.equal(await retention(1, timed).deleteOld(Date.now()), 100);
    loop.disable();
    const gap = loop.max / 1e6;
    console.log(
      `      ${(performance.now() - begun).toFixed(0)} ms, the longest change ${longest.toFixed(0)} ms, the longest gap of the event loop ${gap.toFixed(0)} ms`,
    );
    assert.ok(longest < 1000 && gap < 1000);
    assert.equal((await harness.resume(waiting, true, "")).status, 200);
    assert.equal((await harness.untilEnded(waiting)).status, "completed");
  }).timeout(180_000);

  it("are deleted once by several processes", async () => {
    const id = await complete();
    await addOld(id, 250);
    const all = [1, 2, 3].map(() => deleteOld(Date.now() + 1000 * dayMs));
    const counts = await Promise.all(all);
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      251,
    );
  });

  it("are deleted by a service that starts, which says so", async () => {
    const id = await complete();
    await harness.close();
    await sql("UPDATE executions SET ended_at = ?", Date.now() - 3 * dayMs);
    await serve({ folder: harness.folder, operations: { keepDays: 2 } });
    await waitFor("the deletion to be logged", () =>
      harness.log.some(
        (line) => line === "Executions that ended more than 2 days ago were deleted: 1",
      ),
    );
    assert.equal((await harness.request("GET", `/${id}/status`)).status, 404);
  });
});

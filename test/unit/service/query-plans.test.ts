import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import path from "node:path";
import { mock } from "node:test";
import { openSqlite, text } from "../../../src/base/sqlite.ts";
import { rehearsalEngine } from "../../../src/service/engine.ts";
import { harness, inputs, restart, serve } from "./support.ts";

describe("service: its queries", () => {
  after(() => mock.restoreAll());

  it("find rows by an index in all tables, also when it starts", async () => {
    const engine = { ...rehearsalEngine(0), costsMoney: true };
    const options = { engine, operations: { keepDays: 1 } };
    await serve(options);
    // What a database's first start prepares is for that start only.
    const prepare = mock.method(DatabaseSync.prototype, "prepare");
    const webhooks = { url: "http://127.0.0.1:9/", events: ["crew_kickoff_started"] };
    const id = await harness.kickoffUntilWaiting({ inputs, webhooks });
    await harness.reject(id, 2, "Shorter");
    await harness.approve(id);
    const interrupted = await harness.kickoffUntilWaiting();
    const runs = [
      `UPDATE attempts SET state = 'running' WHERE execution_id = '${interrupted}'`,
      `UPDATE executions SET phase = 'running' WHERE id = '${interrupted}'`,
    ];
    await restart(options);
    await restart(options, ...runs);
    assert.deepEqual(await harness.service.held(), [interrupted]);
    await harness.service.decide("continue", [interrupted]);

    const database = openSqlite(path.join(harness.folder, "crewdeck.sqlite"));
    const prepared = new Set(prepare.mock.calls.map((call) => call.arguments[0]));
    const queries = [...prepared].filter((sql) =>
      /^\s*(WITH|SELECT|UPDATE|DELETE|INSERT)/.test(sql),
    );
    assert.ok(queries.length > 50, `${queries.length} queries`);
    const slow = queries.flatMap((sql) =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map((row) => text(row, "detail"))
        // All rows of a table, or of the library's only namespace.
        .filter((step) => /^SCAN \w+$|\(namespace_id=\?\)$/.test(step))
        // Tables of the query itself, and of SQLite.
        .filter(
          (step) =>
            !/ (crews|queues|latest|tables|crewdeck_version|secret_check|sqlite_(master|schema))$/.test(
              step,
            ),
        )
        .map((step) => `${step}: ${sql}`),
    );
    database.close();
    assert.deepEqual(slow, []);
  });
});

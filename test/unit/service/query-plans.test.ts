import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import path from "node:path";
import postgres from "postgres";
import { mock } from "node:test";
import { openSqlite, text } from "../../../src/base/sqlite.ts";
import { rehearsalEngine } from "../../../src/service/engine.ts";
import { CrewApi, type DocumentedStatus } from "../../support/crew-api.ts";
import { type TestPostgres, withPostgres } from "../../support/postgres.ts";
import { openStorage } from "../../../src/service/storage.ts";
import { waitFor } from "../../support/wait.ts";
import { harness, inputs, openOn, restart, secretKey, serve } from "./support.ts";

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
    assert.ok(queries.length > 40, `${queries.length} queries`);
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

describe("service: its queries on Postgres", () => {
  let server: TestPostgres;
  withPostgres((given) => (server = given));

  it("read one execution and not all that have not ended, also while the database is young", async () => {
    const url = await server.createDatabase();
    const storage = await openStorage({ url, connections: 5 }, secretKey, () => undefined);
    const { service, app } = openOn(storage, () => undefined);
    const api = new CrewApi({ url: "http://localhost", token: "T" }, (at, init) =>
      Promise.resolve(app.request(at, init)),
    );
    await service.work();
    for (let count = 0; count < 30; count += 1) {
      const id = await api.kickoff({ inputs });
      await waitFor("a person to be asked", async () => {
        const { pending_human_input } = (await api.get(`/${id}/status`)).body as DocumentedStatus;
        return pending_human_input;
      });
    }
    // A connection tells what it has read when it ends, at the latest.
    await service.close();
    const sql = postgres(url, { max: 1 });
    try {
      const read = await waitFor("the statistics", async () => {
        const found = await sql<{ name: string; read: string }[]>`
          SELECT indexrelname AS name, idx_tup_read AS read FROM pg_stat_user_indexes WHERE relname = 'executions'`;
        const counts = new Map(found.map((index) => [index.name, Number(index.read)]));
        return (counts.get("executions_pkey") ?? 0) > 500 ? counts : undefined;
      });
      // Only statuses look there, while an execution is queued. Changes would read 2,400.
      assert.ok((read.get("executions_at_work") ?? 0) < 500, JSON.stringify([...read]));
    } finally {
      await sql.end();
    }
  });
});

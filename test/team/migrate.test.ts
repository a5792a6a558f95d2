import assert from "node:assert/strict";
import postgres from "postgres";
import { type TestPostgres, withPostgres } from "../support/postgres.ts";
import { runService } from "../support/service.ts";

describe("crewdeck migrate", () => {
  let server: TestPostgres;
  withPostgres((given) => (server = given));

  it("makes the tables, and changes nothing the second time", async () => {
    const database = await server.createDatabase();
    const migrate = () => runService(["migrate", "--database", database]);
    const sql = postgres(database, { max: 1, connection: { search_path: "crewdeck" } });
    try {
      const [first, second] = [await migrate(), await migrate()];
      for (const { code, stdout, stderr } of [first, second]) {
        assert.equal(code, 0, stderr);
        assert.match(stdout, /The database is up to date\./);
      }
      assert.equal((await sql`SELECT version FROM crewdeck_version`).length, 1);
    } finally {
      await sql.end();
    }
  });
});

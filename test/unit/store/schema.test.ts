import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { migrate, steps } from "../../../src/store/schema.ts";
import { openSqlite } from "../../../src/base/sqlite.ts";
import { crews, endAll, fails, newFolder, openDatabase, put, sql, Worker } from "./support.ts";

describe("the schema", () => {
  afterEach(endAll);

  it("migrates step by step from any version, and a step that fails changes nothing", () => {
    const chain = [
      "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1)",
      "ALTER TABLE a ADD COLUMN y INTEGER NOT NULL DEFAULT 7; CREATE TABLE b (z INTEGER) STRICT",
    ];
    const connection = openSqlite(":memory:");
    migrate(connection, chain.slice(0, 1));
    const failing = [...chain.slice(0, 1), "CREATE TABLE c (x); NONSENSE"];
    assert.throws(() => migrate(connection, failing));
    assert.equal(connection.prepare("PRAGMA user_version").get()?.["user_version"], 1);
    const row = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'c'").get();
    assert.equal(row, undefined);
    migrate(connection, chain);
    migrate(connection, chain);
    assert.deepEqual({ ...connection.prepare("SELECT * FROM a").get() }, { x: 1, y: 7 });
    assert.equal(connection.prepare("PRAGMA user_version").get()?.["user_version"], 2);
    const fresh = openSqlite(":memory:");
    migrate(fresh, chain);
    assert.deepEqual(fresh.prepare("SELECT * FROM b").all(), []);
  });

  it("keeps requests without an outcome, such as a kickoff that may have started", () => {
    const connection = openSqlite(":memory:");
    migrate(connection, steps.slice(0, 7));
    connection.exec("INSERT INTO sends VALUES ('local-1', 'kickoff', '', 0, 'id-1', 5, NULL)");
    migrate(connection);
    const select = "SELECT local_id, kind, id, at, pid FROM intents";
    const row = { ...connection.prepare(select).get() };
    assert.deepEqual(row, { local_id: "local-1", kind: "kickoff", id: "id-1", at: 5, pid: null });
  });

  it("of a newer version is refused with a message, and the file is not changed", () => {
    const folder = newFolder();
    const { database, file } = openDatabase(folder);
    put(database, "a", "1");
    database.dispose();
    sql(file, "PRAGMA journal_mode = DELETE; PRAGMA user_version = 99; CREATE TABLE newer (x)");
    const [bytes, names] = [readFileSync(file), readdirSync(folder)];
    const { database: later, damage } = openDatabase(folder);
    for (const use of [() => crews(later), () => put(later, "b", "2"), () => later.vacuum()])
      assert.throws(
        use,
        fails("newer", /newer version of the extension\. .* Update the extension/),
      );
    later.look();
    later.dispose();
    assert.deepEqual([readFileSync(file).equals(bytes), readdirSync(folder)], [true, names]);
    assert.deepEqual(damage, []);
  });

  it("is created once when several processes open an empty folder at the same time", async () => {
    for (let round = 0; round < 3; round++) {
      const folder = newFolder();
      const workers = ["a", "b", "c", "d"].map((name) => ({ name, worker: new Worker(folder) }));
      await Promise.all(
        workers.map(({ name, worker }) =>
          worker.ask({ do: "put", crew: name, json: "1", times: 20 }),
        ),
      );
      const { database, problems } = openDatabase(folder);
      assert.equal(crews(database).length, 80);
      assert.deepEqual(problems, []);
      assert.deepEqual(
        readdirSync(folder).filter((name) => !/^crewdeck\.db(-wal|-shm|-lock)?$/.test(name)),
        [],
      );
    }
  });
});

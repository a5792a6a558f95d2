import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chooseJournal } from "../../../src/store/database.ts";
import { StoreError } from "../../../src/store/errors.ts";
import { openSqlite } from "../../../src/base/sqlite.ts";
import { FakeClock } from "../executions/fake-clock.ts";
import { crews, fails, fileIn, newFolder, openDatabase, put, sql, Worker } from "./support.ts";
import { migrate, steps } from "../../../src/store/schema.ts";

describe("the database", () => {
  it("is created at its first use, in WAL, for this user only", () => {
    const folder = newFolder();
    const { database, file } = openDatabase(folder);
    assert.equal(statSync(file, { throwIfNoEntry: false }), undefined);
    put(database, "a", "1");
    assert.equal(database.get("PRAGMA journal_mode")?.["journal_mode"], "wal");
    assert.equal(database.get("PRAGMA synchronous")?.["synchronous"], 2);
    for (const ending of ["", "-wal", "-shm"])
      assert.equal(statSync(`${file}${ending}`).mode & 0o777, 0o600, ending);
  });

  it("rolls back a write that fails, and one that joined another", () => {
    const { database } = openDatabase(newFolder());
    const followed: string[] = [];
    const fail = () =>
      database.write(() => {
        put(database, "a", "1");
        database.afterCommit(() => followed.push("a"));
        database.write(() => {
          put(database, "b", "1");
          throw new RangeError("Not now.");
        });
      });
    assert.throws(fail, RangeError);
    assert.deepEqual([crews(database), followed], [[], []]);
    put(database, "c", "1");
    assert.deepEqual(crews(database), ["c"]);
  });

  it("calls back once the whole transaction is on disk, also if a callback fails, which is reported", () => {
    const folder = newFolder();
    const { database, problems } = openDatabase(folder);
    const other = openDatabase(folder).database;
    const seen: unknown[] = [];
    const result = database.write(() => {
      database.write(() => database.afterCommit(() => seen.push(crews(other))));
      database.afterCommit(() => assert.fail("on purpose"));
      database.afterCommit(() => seen.push("last"));
      put(database, "a", "1");
      assert.deepEqual(seen, []);
      return "result";
    });
    assert.deepEqual([result, seen], ["result", [["a"], "last"]]);
    assert.match(problems.join(), /A callback after a change.*on purpose/);
    database.afterCommit(() => seen.push("at once"));
    assert.equal(seen.at(-1), "at once");
  });

  it("returns other errors of SQLite as they are", () => {
    const { database } = openDatabase(newFolder());
    const insert = () => database.run("INSERT INTO clearings VALUES (1, 'a')");
    insert();
    assert.throws(insert, (error) => error instanceof Error && !(error instanceof StoreError));
  });

  it("notices the changes of another process within half a second while visible, within five otherwise, and at once on request", async () => {
    const folder = newFolder();
    const clock = new FakeClock();
    const { database, changes } = openDatabase(folder, clock);
    put(database, "mine", "1");
    const other = new Worker(folder);
    const changesAfter = async (milliseconds: number) => {
      await clock.pass(milliseconds);
      return changes();
    };
    assert.equal(await changesAfter(20_000), 0, "its own changes don't count");
    await other.ask({ do: "put", crew: "a", json: "1" });
    assert.equal(await changesAfter(4_999), 0);
    assert.equal(await changesAfter(1), 1);
    database.setVisible(true);
    await other.ask({ do: "put", crew: "b", json: "1" });
    assert.equal(await changesAfter(499), 1);
    assert.equal(await changesAfter(1), 2);
    await other.ask({ do: "put", crew: "c", json: "1" });
    database.look();
    assert.equal(changes(), 3);
    await other.ask({ do: "put", crew: "d", json: "1" });
    database.setVisible(false);
    assert.equal(changes(), 4, "what becomes hidden or visible is up to date");
    assert.equal(await changesAfter(10_000), 4);
    assert.deepEqual(crews(database), ["mine", "a", "b", "c", "d"]);
  });

  it("does nothing before its first use, and is open after it is disposed only while it is used", async () => {
    const clock = new FakeClock();
    const { database, file } = openDatabase(newFolder(), clock);
    await clock.pass(10_000);
    assert.equal(statSync(file, { throwIfNoEntry: false }), undefined);
    put(database, "a", "1");
    database.dispose();
    assert.equal(clock.pending, 0);
    put(database, "b", "1");
    database.write(() => put(database, "c", String(crews(database).length)));
    database.look();
    assert.deepEqual(crews(database), ["a", "b", "c"]);
    assert.equal(clock.pending, 0);
    assert.equal(statSync(`${file}-wal`, { throwIfNoEntry: false }), undefined);
  });

  it("tries to open again every five seconds after that failed, and reports success", async () => {
    const folder = path.join(newFolder(), "storage");
    writeFileSync(folder, "a file");
    const clock = new FakeClock();
    const { database, changes, problems } = openDatabase(folder, clock);
    assert.throws(() => crews(database), StoreError);
    database.setVisible(true);
    await clock.pass(20_000);
    assert.deepEqual([changes(), problems.length], [0, 1]);
    rmSync(folder);
    put(openDatabase(folder).database, "a", "1");
    await clock.pass(5_000);
    assert.deepEqual([changes(), crews(database)], [1, ["a"]]);
    await clock.pass(20_000);
    assert.deepEqual([changes(), problems.length], [1, 1]);
  });

  it("uses TRUNCATE without shared memory for WAL, and keeps its rows", () => {
    const file = fileIn(newFolder());
    // This locking mode of SQLite has no shared memory, like a network drive.
    const open = () => openSqlite(`file:${file}?vfs=unix-dotfile`);
    const connection = open();
    chooseJournal(connection);
    assert.equal(connection.prepare("PRAGMA journal_mode").get()?.["journal_mode"], "truncate");
    connection.exec("CREATE TABLE kept (value)");
    const second = open();
    assert.deepEqual(second.prepare("SELECT * FROM kept").all(), []);
    connection.close();
    second.close();
  });

  it("suppresses Node's warning about SQLite", () => {
    const script = `const { openSqlite } = await import(${JSON.stringify(import.meta.resolve("../../../src/base/sqlite.ts"))});
      const { emitWarning } = process;
      const load = process.getBuiltinModule.bind(process);
      process.getBuiltinModule = (name) => (process.emitWarning("is experimental", "ExperimentalWarning"), load(name));
      openSqlite(":memory:").close();
      if (process.emitWarning !== emitWarning) throw new Error("Other warnings stay.");`;
    const { stderr, status } = spawnSync(
      process.execPath,
      ["--input-type=module", "--eval", script],
      { encoding: "utf8" },
    );
    assert.deepEqual([stderr, status], ["", 0]);
  });
});

describe("the schema", () => {
  it("migrates step by step, and a step that fails changes nothing", () => {
    const chain = [
      { to: 1, sql: "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1)" },
      { to: 3, sql: "ALTER TABLE a ADD COLUMN y INTEGER NOT NULL DEFAULT 7" },
    ];
    const connection = openSqlite(":memory:");
    const version = () => connection.prepare("PRAGMA user_version").get()?.["user_version"];
    migrate(connection, chain.slice(0, 1));
    const failing = [...chain.slice(0, 1), { to: 2, sql: "CREATE TABLE c (x); NONSENSE" }];
    assert.throws(() => migrate(connection, failing));
    assert.equal(version(), 1);
    const row = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'c'").get();
    assert.equal(row, undefined);
    for (let time = 0; time < 2; time++) migrate(connection, chain);
    assert.deepEqual({ ...connection.prepare("SELECT * FROM a").get() }, { x: 1, y: 7 });
    assert.equal(version(), 3);
  });

  it("keeps requests without an outcome, such as a kickoff that may have started", () => {
    const connection = openSqlite(":memory:");
    migrate(connection, steps.slice(0, 1));
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

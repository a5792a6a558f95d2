import assert from "node:assert/strict";
import path from "node:path";
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { openSqlite } from "../../../src/base/sqlite.ts";
import { crews, fails, fileIn, newFolder, openDatabase, put, sql, Worker } from "./support.ts";

const rows = 200;
const json = JSON.stringify("x".repeat(3_000));

/** A folder with a database that no window has open. */
function filled(): string {
  const folder = newFolder();
  const { database } = openDatabase(folder);
  database.write(() => {
    for (let row = 0; row < rows; row++) put(database, `crew ${row}`, json);
    database.run("INSERT INTO clearings (scope) VALUES ('kept')");
  });
  database.dispose();
  return folder;
}

/** Overwrites some pages of the table in the middle. */
function damage(file: string): void {
  const pages = statSync(file).size / 4096;
  for (const part of [0.4, 0.6]) overwrite(file, Math.floor(pages * part));
}

function overwrite(file: string, page: number): void {
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(4096, 0xa5), 0, 4096, page * 4096);
  closeSync(descriptor);
}

const asideIn = (folder: string) =>
  readdirSync(folder).filter((name) => /\.corrupt-\d+$/.test(name));

describe("a damaged database", () => {
  it("with overwritten pages is moved aside, its readable rows are kept, it is reported once, and the database still works", () => {
    const folder = filled();
    damage(fileIn(folder));
    const { database, damage: reported, problems } = openDatabase(folder);
    const kept = crews(database);
    assert.ok(kept.length > rows * 0.9 && kept.length < rows, `${kept.length} of ${rows}`);
    const isKept = ["crew 0", "crew 100", `crew ${rows - 1}`].every((crew) => kept.includes(crew));
    assert.ok(isKept, "also rows between two damaged places");
    assert.equal(database.get("SELECT scope FROM clearings")?.["scope"], "kept");
    put(database, "new", "1");
    const again = openDatabase(folder);
    assert.deepEqual(crews(again.database), [...kept, "new"]);
    assert.equal(reported.length + again.damage.length, 1);
    assert.match(reported[0] ?? "", /was damaged\. What could be read was kept\. .*\.corrupt-\d+/);
    assert.equal(problems.length, 1);
    assert.equal(asideIn(folder).length, 1);
    assert.equal(statSync(fileIn(folder)).mode & 0o777, 0o600);
    assert.equal(database.get("PRAGMA integrity_check")?.["integrity_check"], "ok");
  });

  for (const [what, content] of [
    ["text", "This is no database. ".repeat(1_000)],
    ["a beginning that is cut off", "SQLite format 3\0"],
  ] as const) {
    it(`that is ${what} is moved aside, and the database still works`, () => {
      const folder = newFolder();
      writeFileSync(fileIn(folder), content);
      const { database, damage } = openDatabase(folder);
      database.write(() => put(database, "a", "1"));
      assert.deepEqual(crews(openDatabase(folder).database), ["a"]);
      assert.equal(damage.length, 1);
      const [aside = ""] = asideIn(folder);
      assert.equal(readFileSync(path.join(folder, aside), "utf8"), content);
      database.dispose();
    });
  }

  it("of which only an index is damaged loses nothing", () => {
    const folder = filled();
    const { database } = openDatabase(folder);
    const page = Number(
      database.get(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_crew_values_1'",
      )?.["rootpage"],
    );
    database.dispose();
    overwrite(fileIn(folder), page - 1);
    const { database: later, damage: reported } = openDatabase(folder);
    put(later, "crew 7", json);
    assert.equal(crews(later).length, rows);
    assert.match(reported.join(), /was damaged\./);
  });

  it("that a window has open is replaced, and other windows use the new one", async () => {
    const folder = filled();
    const { database, damage: reported } = openDatabase(folder);
    const other = new Worker(folder);
    const third = openDatabase(folder);
    assert.equal((await other.ask({ do: "crews" })).crews?.length, rows);
    assert.equal(crews(third.database).length, rows);
    put(database, "in the log only", "1");
    damage(fileIn(folder));
    const kept = crews(openDatabase(folder).database);
    assert.ok(kept.includes("in the log only") && kept.length > rows * 0.9, `${kept.length}`);
    // The other windows have the old file open, and must write to the new one at once.
    await other.ask({ do: "put", crew: "of another window", json: "1" });
    put(third.database, "of a third one", "1");
    const ends = [crews(third.database).slice(-2), reported, third.damage];
    assert.deepEqual(ends, [["of another window", "of a third one"], [], []]);
    assert.deepEqual([third.changes() > 0, (await other.ask({ do: "look" })).damage], [true, []]);
    const [aside = "", ...others] = asideIn(folder);
    assert.deepEqual(others, []);
    assert.ok(["-wal", "-shm"].every((ending) => existsSync(path.join(folder, aside + ending))));
  });

  it("is replaced once when several processes find it at the same time", async () => {
    const folder = filled();
    damage(fileIn(folder));
    const workers = ["a", "b", "c", "d"].map((name) => ({ name, worker: new Worker(folder) }));
    const answers = await Promise.all(
      workers.map(async ({ name, worker }) => {
        await worker.ask({ do: "put", crew: name, json });
        return await worker.ask({ do: "crews" });
      }),
    );
    assert.equal(answers.flatMap((answer) => answer.damage ?? []).length, 1);
    const kept = crews(openDatabase(folder).database);
    assert.ok(
      kept.length > rows * 0.9 && ["a", "b", "c", "d"].every((name) => kept.includes(name)),
    );
  });

  it("isn't opened or created while another window replaces it", () => {
    const folder = filled();
    const file = fileIn(folder);
    const lock = openSqlite(`${file}-lock`);
    lock.exec("BEGIN EXCLUSIVE");
    renameSync(file, `${file}.moved`);
    const { database } = openDatabase(folder);
    assert.throws(() => crews(database), fails("busy"));
    assert.equal(existsSync(file), false);
    renameSync(`${file}.moved`, file);
    lock.close();
    assert.equal(crews(database).length, rows);
  });

  it("whose repair was killed after it moved the file is replaced at the next opening", () => {
    const folder = filled();
    const file = fileIn(folder);
    copyFileSync(file, `${file}.new`);
    renameSync(file, `${file}.corrupt-1`);
    writeFileSync(`${file}-wal`, "the log of the damaged file");
    const { database, damage: reported } = openDatabase(folder);
    assert.equal(crews(database).length, rows);
    put(database, "new", "1");
    assert.equal(crews(openDatabase(folder).database).length, rows + 1);
    assert.deepEqual(
      [existsSync(`${file}.new`), existsSync(`${file}.corrupt-1-wal`), reported.length],
      [false, true, 1],
    );
    assert.match(reported[0] ?? "", /was damaged\. What could be read was kept\. .*\.corrupt-1\./);
  });

  it("of a newer version is not changed", () => {
    const folder = filled();
    sql(fileIn(folder), "PRAGMA journal_mode = DELETE; PRAGMA user_version = 99");
    damage(fileIn(folder));
    const { database, damage: reported } = openDatabase(folder);
    assert.throws(() => crews(database), fails("newer"));
    assert.deepEqual([asideIn(folder), reported], [[], []]);
  });

  it("is not assumed when a statement fails in a valid file", () => {
    const folder = filled();
    const { database, damage: reported } = openDatabase(folder);
    assert.throws(() => database.run("INSERT INTO lease VALUES (2, 'a', 1)"), /CHECK/);
    assert.deepEqual([asideIn(folder), reported, existsSync(fileIn(folder))], [[], [], true]);
  });
});

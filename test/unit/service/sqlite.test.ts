import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { openSqlite } from "../../../src/base/sqlite.ts";
import { change, row, type Work } from "../../../src/service/database/database.ts";
import { openSqliteDatabase, type SqliteDatabase } from "../../../src/service/database/sqlite.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { valuesOf } from "./support.ts";

describe("service: changes in SQLite", () => {
  let folder: string;
  let file: string;
  let database: SqliteDatabase;
  beforeEach(() => {
    folder = temporaryFolder("sqlite");
    file = path.join(folder, "a.sqlite");
    database = openSqliteDatabase(file);
  });
  afterEach(async () => {
    await database.close();
  });

  const note = (name: string) => change("INSERT INTO secret_check (value) VALUES (?)", name);
  /** As another process sees them. */
  const stored = () => {
    const other = openSqlite(file);
    const found = other.prepare("SELECT value FROM secret_check ORDER BY value").all();
    other.close();
    return found.map(({ value }) => value);
  };
  /** In the log: only the last page of a commit has the size of the file (SQLite's "WAL File Format"). */
  const commits = () => {
    const log = readFileSync(`${file}-wal`);
    const [header, frameHeader, page] = [32, 24, log.readUInt32BE(8)];
    let count = 0;
    for (let at = header; at < log.length; at += frameHeader + page)
      if (log.readUInt32BE(at + 4) > 0) count += 1;
    return count;
  };

  it("share a commit if they come together, and are answered after it", async () => {
    const before = commits();
    const names = Array.from({ length: 20 }, (_, index) => String.fromCharCode(97 + index));
    await Promise.all(
      names.map(async (name) => {
        await database.transaction(() => note(name), true);
        assert.deepEqual(stored(), names);
      }),
    );
    assert.equal(commits() - before, 1);
  });

  it("fail alone: others of the same commit are stored", async () => {
    function* bad(): Work<void> {
      yield* note("half");
      yield* change("INSERT INTO secret_check (value) VALUES (NULL)");
    }
    const results = await Promise.allSettled([
      database.transaction(() => note("a"), true),
      database.transaction(bad, true),
      database.transaction(() => note("b"), true),
    ]);
    assert.deepEqual(valuesOf(results, "status"), ["fulfilled", "rejected", "fulfilled"]);
    assert.deepEqual(stored(), ["a", "b"]);
  });

  it("wait for the disk if one of them must outlast a power cut", async () => {
    const [normal, full] = [1, 2];
    function* level(): Work<unknown> {
      return (yield* row("PRAGMA synchronous"))?.["synchronous"];
    }
    assert.equal(await database.transaction(level), normal);
    const both = [database.transaction(level), database.transaction(level, true)];
    assert.deepEqual(await Promise.all(both), [full, full]);
    assert.equal(await database.query(level()), normal);
  });

  it("are stored if the database is closed, and refused later", async () => {
    const last = database.transaction(() => note("last"), true);
    await database.close();
    await last;
    assert.deepEqual(stored(), ["last"]);
    await assert.rejects(
      database.transaction(() => note("late")),
      /not open/,
    );
  });
});

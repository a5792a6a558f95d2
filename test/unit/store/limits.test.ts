import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { StoreError } from "../../../src/store/errors.ts";
import type { Database } from "../../../src/store/database.ts";
import { openSqlite } from "../../../src/base/sqlite.ts";
import { atEndOfTest } from "../../support/ends.ts";
import { crews, fails, fileIn, newFolder, openDatabase, put } from "./support.ts";

const large = JSON.stringify("x".repeat(100_000));
const isRoot = process.platform === "linux" && process.getuid?.() === 0;

/** Writes two rows in each transaction until one fails. @returns the error and the written rows */
function fill(database: Database): { error: unknown; written: readonly string[] } {
  const written: string[] = [];
  for (let round = 0; round < 100; round++) {
    const names = [`first of ${round}`, `second of ${round}`];
    try {
      database.write(() => {
        for (const name of names) put(database, name, large);
      });
      written.push(...names);
    } catch (error) {
      return { error, written };
    }
  }
  return assert.fail("There was room for all of it.");
}

describe("the database", () => {
  it("reports a full disk; written rows stay, no transaction is half-written, and it works again with more space", () => {
    const folder = newFolder();
    const { database } = openDatabase(folder);
    put(database, "before", "1");
    database.get("PRAGMA max_page_count = 200");
    const { error, written } = fill(database);
    assert.ok(fails("failed", /disk is full.*disk has space/)(error), String(error));
    assert.deepEqual(crews(database), ["before", ...written]);
    database.get("PRAGMA max_page_count = 10000");
    put(database, "after", large);
    assert.deepEqual(crews(openDatabase(folder).database), ["before", ...written, "after"]);
  });

  it("reports a read-only folder and file, and does not change them", () => {
    const folder = newFolder();
    if (isRoot) {
      execFileSync("mount", ["-t", "tmpfs", "tmpfs", folder]);
      atEndOfTest(() => execFileSync("umount", ["-l", folder]));
    }
    const { database } = openDatabase(folder);
    put(database, "before", "1");
    database.dispose();
    const names = readdirSync(folder);
    const setWritable = (isWritable: boolean) => {
      // Root ignores permissions.
      if (isRoot) execFileSync("mount", ["-o", `remount,${isWritable ? "rw" : "ro"}`, folder]);
      else {
        chmodSync(fileIn(folder), isWritable ? 0o600 : 0o400);
        chmodSync(folder, isWritable ? 0o700 : 0o500);
      }
    };
    setWritable(false);
    const { database: later } = openDatabase(folder);
    const isReadOnly = fails("failed", /folder and its files are writable/);
    for (const use of [() => crews(later), () => put(later, "b", "2")])
      assert.throws(use, isReadOnly);
    assert.throws(() => crews(openDatabase(path.join(folder, "new")).database), StoreError);
    assert.deepEqual(readdirSync(folder), names);
    setWritable(true);
    put(later, "after", "1");
    assert.deepEqual(crews(later), ["before", "after"]);
  });

  it("reports a folder in place of the file, and a file in place of the folder", () => {
    const folder = newFolder();
    mkdirSync(fileIn(folder));
    const opening = () => crews(openDatabase(folder).database);
    assert.throws(opening, fails("failed", /can't be read or written/));
    const file = path.join(folder, "file");
    writeFileSync(file, "");
    assert.throws(() => crews(openDatabase(file).database), fails("failed", /EEXIST|ENOTDIR/));
  });

  it("reports that another process keeps it busy for five seconds, and works again afterwards", () => {
    const folder = newFolder();
    const { database } = openDatabase(folder);
    put(database, "before", "1");
    const other = openSqlite(fileIn(folder));
    other.exec("BEGIN IMMEDIATE");
    const writing = () => put(database, "a", "1");
    assert.throws(writing, fails("busy", /Another window is using.*Try again/));
    assert.deepEqual(crews(database), ["before"], "it can be read meanwhile");
    other.exec("ROLLBACK");
    other.close();
    put(database, "after", "1");
    assert.deepEqual(crews(database), ["before", "after"]);
  });
});

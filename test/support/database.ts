import assert from "node:assert/strict";
import { systemClock } from "../../src/base/clock.ts";
import { Database } from "../../src/store/database.ts";
import { endWithTest } from "./ends.ts";
import { temporaryFolder } from "./folders.ts";

/** A database in a folder, or in a new one; a problem fails the test, whose end is its own. */
export function testDatabase(folder?: string): {
  readonly database: Database;
  readonly folder: string;
  readonly end: () => void;
} {
  const place = folder ?? temporaryFolder("database");
  const database = new Database({
    folder: place,
    clock: systemClock,
    log: { problem: (message, error) => assert.fail(`${message} ${String(error)}`) },
  });
  const end = () => database.dispose();
  endWithTest(end);
  return { database, folder: place, end };
}

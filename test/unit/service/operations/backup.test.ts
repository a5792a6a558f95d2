import assert from "node:assert/strict";
import path from "node:path";
import { openSqlite } from "../../../../src/base/sqlite.ts";
import { temporaryFolder } from "../../../support/folders.ts";
import { harness, serve } from "../support.ts";

describe("service: a backup of the database", () => {
  it("is made while the service works, and executions go on from it in an empty folder", async () => {
    await serve();
    const waiting = await harness.kickoffUntilWaiting();
    const ended = await harness.complete();
    const before = await harness.status(ended);
    const folder = temporaryFolder("restored");
    const other = openSqlite(path.join(harness.folder, "crewdeck.sqlite"));
    other.prepare("VACUUM INTO ?").run(path.join(folder, "crewdeck.sqlite"));
    other.close();
    // It is not in the backup.
    const later = await harness.kickoffUntilWaiting();
    await serve({ folder });
    assert.deepEqual(await harness.status(ended), before);
    assert.equal((await harness.request("GET", `/${later}/status`)).status, 404);
    await harness.untilWaiting(waiting);
    await harness.reject(waiting, 2, "Shorter");
    assert.equal((await harness.approve(waiting)).status, "completed");
  });
});

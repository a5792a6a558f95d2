import assert from "node:assert/strict";
import path from "node:path";
import { openSqlite } from "../../../../src/base/sqlite.ts";
import { temporaryFolder } from "../../../support/folders.ts";
import { Harness } from "../support.ts";

describe("service: a backup of the database", () => {
  it("is made while the service works, and executions go on from it in an empty folder", async () => {
    const harness = await new Harness().start();
    const waiting = await harness.kickoff();
    await harness.untilWaiting(waiting);
    const ended = await harness.kickoff();
    await harness.untilWaiting(ended);
    await harness.resume(ended, true, "");
    const before = await harness.untilEnded(ended);
    const folder = temporaryFolder("restored");
    const other = openSqlite(path.join(harness.folder, "crewdeck.sqlite"));
    other.prepare("VACUUM INTO ?").run(path.join(folder, "crewdeck.sqlite"));
    other.close();
    // It is not in the backup.
    const later = await harness.kickoff();
    await harness.untilWaiting(later);
    await harness.end();
    const restored = await new Harness({ folder }).start();
    try {
      assert.deepEqual(await restored.status(ended), before);
      assert.equal((await restored.request("GET", `/${later}/status`)).status, 404);
      await restored.untilWaiting(waiting);
      assert.equal((await restored.resume(waiting, false, "Shorter")).status, 200);
      await restored.untilWaiting(waiting, 2);
      assert.equal((await restored.resume(waiting, true, "")).status, 200);
      assert.equal((await restored.untilEnded(waiting)).status, "completed");
    } finally {
      await restored.end();
    }
  });
});

import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { systemClock } from "../../../src/base/clock.ts";
import { Notified } from "../../../src/executions/executions.ts";
import { ExecutionStore } from "../../../src/executions/store.ts";
import { Database } from "../../../src/store/database.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { anExecution } from "./samples.ts";

const onProblem = (_message: string, error: unknown) => assert.ifError(error);

describe("Notified", () => {
  let folder: string;
  let databases: Database[];

  beforeEach(() => {
    folder = temporaryFolder("notified");
    databases = [1, 2].map(
      () => new Database({ folder, clock: systemClock, log: { problem: onProblem } }),
    );
  });
  afterEach(async () => {
    for (const database of databases) database.dispose();
    await rm(folder, { recursive: true });
  });

  it("lets one window notify about an event, and none about an execution that is no longer tracked", () => {
    const [database] = databases;
    const [one, two] = databases.map((each) => new Notified(each));
    const store = new ExecutionStore({
      database: database!,
      clock: systemClock,
      log: { problem: onProblem },
    });
    store.open();
    store.add(anExecution({ localId: "kept" }));
    store.add(anExecution({ localId: "gone" }));
    assert.equal(one!.claim("waiting-kept", "kept"), true);
    assert.equal(two!.claim("waiting-kept", "kept"), false);
    assert.equal(one!.claim("waiting-kept", "kept"), false);
    assert.equal(two!.claim("waiting-gone", "gone"), true);
    store.update("kept", (execution) => ({ ...execution, label: "Renamed" }));
    store.remove("gone");
    assert.equal(one!.claim("ended-gone", "gone"), false);
    assert.deepEqual(
      database!.all("SELECT key FROM notified").map(({ key }) => key),
      ["waiting-kept"],
      "claims are deleted with their execution, and not before",
    );
    store.dispose();
  });
});

import assert from "node:assert/strict";
import { Notified } from "../../../src/executions/executions.ts";
import { anExecution } from "./samples.ts";
import { Windows } from "./windows.ts";

describe("Notified", () => {
  const windows = new Windows();
  after(async () => {
    await windows.close();
    assert.deepEqual(windows.problems, []);
  });

  it("lets one window notify about an event, and none about an execution that is no longer tracked", () => {
    const { store, database } = windows.openBoth();
    const [one, two] = [database, windows.openBoth().database].map((each) => new Notified(each));
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
      database.all("SELECT key FROM notified").map(({ key }) => key),
      ["waiting-kept"],
      "claims are deleted with their execution, and not before",
    );
  });
});

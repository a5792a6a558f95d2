import assert from "node:assert/strict";
import { anExecution } from "./samples.ts";
import { failure, Scene } from "./tracker-support.ts";

describe("A crew that refuses its token", () => {
  let scene: Scene;

  beforeEach(() => {
    scene = new Scene(() => failure("unauthorized"));
    // Another window polls, so every request here comes from a command.
    scene.lease.isHeld = false;
    for (let number = 1; number <= 20; number += 1)
      scene.store.put(anExecution({ localId: `e${number}`, kickoffIds: [`k${number}`] }));
    scene.tracker.start();
  });

  afterEach(() => scene.tracker.dispose());

  it("gets it only with the requests already sent, however many executions are polled by command", async () => {
    await scene.tracker.pollNow();
    assert.equal(scene.asked.length, 4);
  });

  it("gets it again only if one of its executions is polled by ID, and then once", async () => {
    await scene.tracker.pollNow("e1");
    scene.asked.length = 0;
    await scene.tracker.pollNow();
    assert.equal(scene.asked.length, 0);
    await scene.tracker.pollNow("e2");
    assert.deepEqual(
      scene.asked.map(({ kickoffId }) => kickoffId),
      ["k2"],
    );
  });
});

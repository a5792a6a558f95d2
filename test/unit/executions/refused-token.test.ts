import assert from "node:assert/strict";
import { anExecution } from "./samples.ts";
import { failure, Scene } from "./poller-support.ts";

describe("A crew that refuses its token", () => {
  let scene: Scene;

  beforeEach(() => {
    scene = new Scene(() => failure("unauthorized"));
    // Another window polls, so every request here comes from a command.
    scene.leader.isThisWindow = false;
    for (let number = 1; number <= 20; number += 1)
      scene.store.put(anExecution({ localId: `e${number}`, kickoffIds: [`k${number}`] }));
    scene.poller.start();
  });

  afterEach(() => scene.poller.dispose());

  it("gets it only with the requests already sent, however many executions are polled by command", async () => {
    await scene.poller.pollNow();
    assert.equal(scene.asked.length, 4);
  });

  it("gets it again only if one of its executions is polled by ID, and then once", async () => {
    await scene.poller.pollNow("e1");
    scene.asked.length = 0;
    await scene.poller.pollNow();
    assert.equal(scene.asked.length, 0);
    await scene.poller.pollNow("e2");
    assert.deepEqual(
      scene.asked.map(({ kickoffId }) => kickoffId),
      ["k2"],
    );
  });
});

import assert from "node:assert/strict";
import { SmeeServer } from "../../support/smee-server.ts";
import { deployedCrew, localCrew, ReceivingWindows } from "./support.ts";

describe("Whether a crew can reach this machine", () => {
  const windows = new ReceivingWindows();
  const server = new SmeeServer();
  after(async () => {
    await windows.close();
    await server.stop();
  });

  it("depends on where it is, and on the ways that are set up and can be used", async () => {
    const { callbacks } = windows.open();
    const onLoopback = { id: "url:x", name: "Here", url: "http://127.0.0.1:4000" };
    const reach = async () => {
      const crews = [localCrew, onLoopback, deployedCrew];
      return await Promise.all(crews.map((each) => callbacks.canReach(each)));
    };
    assert.deepEqual(await reach(), [true, true, false]);
    windows.publicUrl = "https://tunnel.test";
    assert.deepEqual(await reach(), [true, true, true]);
    windows.publicUrl = "http://tunnel.test";
    assert.deepEqual(await reach(), [true, true, false], "it must be https");
    windows.publicUrl = "";
    windows.relay = `${await server.start()}/channel`;
    assert.deepEqual(await reach(), [true, true, true]);
    assert.deepEqual([windows.broken, windows.windows.problems, windows.asked], [[], [], 0]);
  });
});

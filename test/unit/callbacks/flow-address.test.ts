import assert from "node:assert/strict";
import { waitFor } from "../../support/wait.ts";
import { aRequest, secret, signed } from "./flow-samples.ts";
import { deployedCrew, localCrew, ReceivingWindows } from "./support.ts";
import { SmeeServer } from "../../support/smee-server.ts";

describe("the address for a crew's flows", () => {
  let windows: ReceivingWindows;
  beforeEach(() => (windows = new ReceivingWindows()));
  afterEach(() => assert.deepEqual(windows.windows.problems, []));

  async function sendTo(url: string, payload: object): Promise<number> {
    const { headers, body } = signed("", payload, Date.now());
    const response = await fetch(url, { method: "POST", headers, body: Buffer.from(body) });
    await response.body?.cancel();
    return response.status;
  }

  it("is none if the crew can't reach this machine", async () => {
    const { callbacks, database } = windows.open();
    assert.equal(await callbacks.forFlows(deployedCrew), undefined);
    assert.deepEqual(callbacks.flows.crewIds(), [], "none is kept");
    assert.deepEqual(database.all("SELECT * FROM receiver"), [], "nothing listens");
  });

  it("is below the public address, and stays the same", async () => {
    windows.publicUrl = "https://tunnel.test/base";
    const { callbacks } = windows.open();
    const url = await callbacks.forFlows(deployedCrew);
    assert.match(url ?? "", /^https:\/\/tunnel\.test\/base\/[\w-]{43}$/);
    assert.equal(await windows.open().callbacks.forFlows(deployedCrew), url);
  });

  it("receives although no execution is open, and after a restart at the same place", async () => {
    windows.publicUrl = "https://tunnel.test";
    const first = windows.open();
    const url = (await first.callbacks.forFlows(deployedCrew)) ?? "";
    await first.callbacks.flows.setSecret(deployedCrew.id, secret);
    first.close();
    const again = windows.open();
    windows.publicUrl = "";
    const { port } = await again.callbacks.test();
    const here = url.replace("https://tunnel.test", `http://127.0.0.1:${port ?? 0}`);
    assert.equal(await sendTo(here, aRequest()), 200);
    await waitFor("the request", () => again.store.find("flow-1")?.state === "waiting");
    assert.equal(await sendTo(`${here}x`, aRequest({ id: "2" })), 404);
  });
});

describe("Whether a crew can reach this machine", () => {
  it("depends on where it is, and on the ways that are set up and can be used", async () => {
    const windows = new ReceivingWindows();
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
    windows.relay = `${await new SmeeServer().start()}/channel`;
    assert.deepEqual(await reach(), [true, true, true]);
    assert.deepEqual([windows.broken, windows.windows.problems, windows.asked], [[], [], 0]);
  });
});

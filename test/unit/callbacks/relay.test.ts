import assert from "node:assert/strict";
import path from "node:path";
import { HttpServer } from "../../support/http-server.ts";
import { OwnRelay } from "../../support/relay.ts";
import { waitFor } from "../../support/wait.ts";
import { anExecution } from "../executions/samples.ts";
import { deployedCrew, type ReceivingWindow, ReceivingWindows, send } from "./support.ts";

describe("Callbacks through a relay of one's own", () => {
  let relay: OwnRelay;
  let windows: ReceivingWindows;

  beforeEach(async () => {
    relay = new OwnRelay();
    await relay.start();
    windows = new ReceivingWindows();
    windows.relay = relay.url;
  });

  const add = ({ store }: ReceivingWindow) => store.add(anExecution({ crew: deployedCrew }));
  const pause = { task_id: "outline", task_output: "A draft" };
  const waits = ({ store }: ReceivingWindow, localId: string) =>
    waitFor("the pause", () => {
      store.refresh();
      return store.find(localId)?.state === "waiting";
    });
  async function called(window: ReceivingWindow) {
    const { localId } = add(window);
    const { url = "" } = (await window.callbacks.for(deployedCrew, localId)) ?? {};
    return { localId, url };
  }
  async function setUp(window: ReceivingWindow) {
    const { via, port, url, roundTripMs } = await window.callbacks.test(deployedCrew);
    assert.deepEqual([via, typeof port, typeof roundTripMs], ["relay", "number", "number"]);
    assert.ok(url?.startsWith(`${relay.url}/`));
  }

  it("ask for the relay's token in the test alone, and once", async () => {
    const window = windows.open();
    const { localId } = add(window);
    for (let kickoffs = 0; kickoffs < 2; kickoffs++)
      assert.equal(await window.callbacks.for(deployedCrew, localId), undefined);
    assert.deepEqual(windows.broken, [
      "“Deployed” can't call this machine. The relay's token is needed to create a channel there. “Test Callbacks” asks for it.",
    ]);
    assert.equal(await window.callbacks.canReach(deployedCrew), false);
    assert.match(windows.windows.problems.splice(0).join("\n"), /token is needed/);
    assert.equal(windows.asked, 0);
    await setUp(window);
    await setUp(window);
    assert.equal(windows.asked, 1);
    assert.equal(await window.callbacks.canReach(deployedCrew), true);
    const { url } = (await window.callbacks.for(deployedCrew, localId)) ?? {};
    assert.equal(await send(url ?? "", pause), 202);
    await waits(window, localId);
  });

  it("ask for the token, too, when the person wants the address for a crew's flows", async () => {
    const window = windows.open();
    const address = await window.callbacks.forFlows(deployedCrew);
    assert.ok(address?.startsWith(`${relay.url}/`));
    assert.equal(windows.asked, 1);
  });

  it("come by the relay if the public address can't be used", async () => {
    const window = windows.open();
    windows.publicUrl = "http://tunnel.test";
    assert.equal((await window.callbacks.test(deployedCrew)).via, "relay");
  });

  it("don't arrive while the relay is down, which the test says with what to check", async () => {
    const window = windows.open();
    await setUp(window);
    await relay.stop();
    await assert.rejects(window.callbacks.test(deployedCrew), {
      message: /don't arrive on this machine: .*ECONNREFUSED.*; a relay must run, and a proxy/,
    });
  });

  it("arrive when VS Code is opened again, and count once", async () => {
    const window = windows.open();
    await setUp(window);
    const { localId, url } = await called(window);
    window.close();
    for (let count = 0; count < 2; count++)
      await send(url, pause, { headers: { "Webhook-Id": "1" } });
    const next = windows.open();
    await waits(next, localId);
    assert.equal(next.store.find(localId)?.tasks[0]?.attempts.length, 1);
  });

  it("go to another window when the one that receives closes", async () => {
    const [one, other] = [windows.open(), windows.open()];
    await setUp(one);
    const { localId, url } = await called(one);
    other.callbacks.begin();
    one.close();
    await send(url, pause);
    await waits(other, localId);
    assert.equal(windows.asked, 1);
  });

  it("come to the machine whose execution they are of, though a remote host has the same secrets", async () => {
    const remote = new ReceivingWindows(windows.secrets);
    remote.relay = relay.url;
    const all = [windows.open(), remote.open()];
    for (const window of all) await setUp(window);
    assert.deepEqual([windows.asked, remote.asked], [1, 1], "each has a channel");
    for (const window of all) {
      const { localId, url } = await called(window);
      await send(url, pause);
      await waits(window, localId);
    }
    await remote.open().callbacks.forgetRoutes();
    assert.equal(windows.secrets.entries.size, 1, "the other machine's channel stays");
  });

  it("need a new channel if the relay has lost it", async () => {
    const window = windows.open();
    await setUp(window);
    await relay.start({}, path.join(relay.folder, "new.sqlite"));
    await waitFor("the news", () =>
      windows.windows.problems.some((problem) => problem.includes("no longer has the channel")),
    );
    await waitFor("the channel to be forgotten", () =>
      [...windows.secrets.entries.values()].every((secret) => !secret.includes(relay.url)),
    );
    assert.equal(windows.broken.length, 1);
    assert.match(windows.broken.join(), /no longer has the channel.*“Test Callbacks” creates/);
    await setUp(window);
    assert.equal(windows.asked, 2);
    windows.windows.problems.length = 0;
  });

  it("come by a new channel after the local data was deleted, also if another window receives", async () => {
    const [one, other] = [windows.open(), windows.open()];
    await setUp(one);
    await one.callbacks.forgetRoutes();
    await setUp(one);
    await other.callbacks.forgetRoutes();
    await setUp(other);
    assert.equal(windows.asked, 3);
    windows.windows.problems.length = 0;
  });

  it("wait while a proxy has no relay behind it, which says nothing about the channel", async () => {
    const window = windows.open();
    await setUp(window);
    const { localId, url } = await called(window);
    await send(url, { name: "write", output: "Text" });
    const port = Number(new URL(relay.url).port);
    await relay.stop();
    let attempts = 0;
    const proxy = new HttpServer(({ headers }, response) => {
      if (headers.accept === "text/event-stream") attempts += 1;
      response.writeHead(404).end("404 page not found");
    });
    await proxy.start(port);
    await waitFor("another attempt to listen", () => attempts >= 2);
    await proxy.stop();
    await relay.start();
    await send(url, pause);
    await waits(window, localId);
    assert.equal(windows.asked, 1);
    windows.windows.problems.length = 0;
  });

  it("end with the setting", async () => {
    const window = windows.open();
    await setUp(window);
    windows.relay = "";
    assert.equal((await window.callbacks.test(deployedCrew)).via, "none");
    windows.relay = "http://relay.example.com";
    await assert.rejects(window.callbacks.test(deployedCrew), /must start with https/);
    windows.relay = relay.url;
    await window.callbacks.forgetRoutes();
    assert.deepEqual([...windows.secrets.entries.keys()], []);
  });
});

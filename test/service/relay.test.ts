import assert from "node:assert/strict";
import { readFileSync, rmSync, statSync } from "node:fs";
import { networkInterfaces } from "node:os";
import path from "node:path";
import { temporaryFolder } from "../support/folders.ts";
import { channelAt, Listening, post, relayToken } from "../support/relay.ts";
import { ReverseProxy } from "../support/reverse-proxy.ts";
import { runService, startService } from "../support/service.ts";

describe("service: as a relay", () => {
  const relay = ["--relay", "--port", "0"];

  it("prints one line of JSON without a token, keeps its token for this user, and ends with 0", async () => {
    const data = temporaryFolder("relay");
    const service = await startService({ args: [...relay, "--data", data] });
    let more = "";
    service.child.stdout?.on("data", (text: Buffer) => (more += text.toString()));
    assert.match(service.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(service.token, undefined);
    const file = path.join(data, "relay-token");
    assert.equal(statSync(file).mode & 0o077, 0);
    const token = readFileSync(file, "utf8").trim();
    assert.ok(token.length >= 32);
    await service.stop();
    assert.deepEqual([more, service.child.exitCode, service.log()], ["", 0, ""]);
    // The same token after a restart.
    const again = await startService({ args: [...relay, "--data", data] });
    const created = await channelAt(again.url, token);
    assert.ok(created.own);
    await again.stop();
  });

  it("passes callbacks on behind a proxy that has another address and a path of its own", async () => {
    const service = await startService({ args: [...relay, "--token", relayToken] });
    const proxy = await ReverseProxy.start(Number(new URL(service.url).port));
    // As Caddy does with `handle_path /relay/*`.
    proxy.prefix = "/relay";
    const channel = await channelAt(`${proxy.url}/relay`);
    assert.ok(channel.address.startsWith(`${proxy.url}/relay/`));
    const listening = new Listening(channel);
    await listening.connected();
    assert.equal(await post(`${channel.address}/path`, { a: 1 }), 202);
    await listening.until(1);
    assert.deepEqual([listening.received[0]?.path, listening.bodies], ["/path", ['{"a":1}']]);
    await proxy.stop();
    await service.stop();
  });

  it("listens on this machine only, unless it is given another address", async () => {
    const [address] = Object.values(networkInterfaces())
      .flat()
      .filter((one) => one?.family === "IPv4" && !one.internal);
    const service = await startService({ args: relay });
    const { port } = new URL(service.url);
    if (address) await assert.rejects(fetch(`http://${address.address}:${port}/`));
    await service.stop();
    const open = await startService({ args: [...relay, "--host", "0.0.0.0"] });
    assert.match(open.url, /^http:\/\/0\.0\.0\.0:\d+$/);
    assert.equal((await fetch(open.url.replace("0.0.0.0", "127.0.0.1"))).status, 200);
    await open.stop();
  });

  it("doesn't start in a folder in use", async () => {
    const service = await startService({ args: relay });
    const { code, stderr } = await runService([...relay, "--data", service.data]);
    assert.equal(code, 6);
    assert.ok(stderr.includes(service.url), stderr);
    await service.stop();
  });

  it("stops if its files are deleted, instead of accepting what it can't keep", async () => {
    const service = await startService({ args: relay });
    rmSync(path.join(service.data, "crewdeck.sqlite"));
    const [code] = await new Promise<unknown[]>((resolve) =>
      service.child.once("close", (...ended) => resolve(ended)),
    );
    assert.equal(code, 5);
    assert.match(service.log(), /crewdeck\.sqlite can't be used: it was deleted/);
    rmSync(service.data, { recursive: true });
  });
});

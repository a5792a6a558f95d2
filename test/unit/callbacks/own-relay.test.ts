import assert from "node:assert/strict";
import { exportJWK, generateKeyPair } from "jose";
import {
  callbackAddress,
  type Channel,
  Channels,
  RelayError,
} from "../../../src/callbacks/relay-channel.ts";
import {
  bytesIn,
  channelAt,
  line,
  Listening,
  OwnRelay,
  post,
  relayToken,
} from "../../support/relay.ts";
import { SecretMemory } from "../../support/secret-memory.ts";
import { waitFor } from "../../support/wait.ts";

describe("A relay of one's own", () => {
  let relay: OwnRelay;
  let channel: Channel;
  const listen = (...args: ConstructorParameters<typeof Listening>) => new Listening(...args);
  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => String(from + index));
  const waiting = () => relay.waiting();
  beforeEach(async () => {
    relay = new OwnRelay();
    await relay.start();
    channel = await channelAt(relay.url);
  });

  it("passes a callback on as it was sent: path, headers and every byte of its body", async () => {
    const listening = listen(channel);
    // Spaces and the order of members count in a signature.
    const body = '{ "b": 1,\n "a": "Grüße 👋 \\u0000" }';
    const headers = { "X-Signature": "sha256=abc", Authorization: "Bearer s3cret" };
    const address = callbackAddress(channel, "/secret-path/with%20more");
    assert.equal(await post(address, body, headers), 202);
    await listening.until(1);
    const [delivery] = listening.received;
    assert.equal(delivery?.path, "/secret-path/with%20more");
    assert.equal(Buffer.from(delivery.body).toString(), body);
    const passed = [delivery.headers["x-signature"], delivery.headers["authorization"]];
    assert.deepEqual(passed, ["sha256=abc", "Bearer s3cret"]);
  });

  it("has a limited number of channels, and says so", async () => {
    await relay.start({ channels: 2 });
    await channelAt(relay.url);
    await assert.rejects(channelAt(relay.url), /answered with an error \(507\)/);
  });

  it("keeps callbacks for a client that is away, and passes each on once, in order", async () => {
    const kept: { id?: string } = {};
    const first = listen(channel, kept);
    for (const number of numbers(0, 5)) await post(`${channel.address}/x`, number);
    await first.until(5);
    await first.client.dispose();
    for (const number of numbers(5, 40)) await post(`${channel.address}/x`, number);
    await relay.start();
    const second = listen(channel, kept);
    await second.until(35);
    for (const number of numbers(40, 45)) await post(`${channel.address}/x`, number);
    await second.until(40);
    assert.deepEqual([...first.bodies, ...second.bodies], numbers(0, 45));
  });

  it("deletes what the client stored, and only that", async () => {
    let store: ((status: number) => void) | undefined;
    const stored = new Promise<number>((resolve) => (store = resolve));
    for (const number of numbers(0, 3)) await post(`${channel.address}/x`, number);
    assert.equal(waiting(), 3);
    const answers = [Promise.resolve(202), stored];
    const { client } = listen(channel, {}, { receive: () => answers.shift() ?? stored });
    await waitFor("the second callback", () => answers.length === 0);
    assert.equal(waiting(), 3);
    store?.(202);
    await waitFor("an empty relay", () => waiting() === 0);
    assert.equal(client.state, "connected");
  });

  it("deletes what the client stored when that comes back, if it was not told before", async () => {
    const kept: { id?: string } = {};
    const fetch: typeof line.fetch = (url, init) =>
      init.method === "DELETE" ? Promise.reject(new Error("It broke.")) : line.fetch(url, init);
    const first = listen(channel, kept, { fetch });
    await post(`${channel.address}/x`, "1");
    await waitFor("the failure", () => first.problems.length > 0);
    await first.client.dispose();
    assert.equal(waiting(), 1);
    const second = listen(channel, kept);
    await waitFor("an empty relay", () => waiting() === 0);
    assert.deepEqual(second.received, []);
  });

  it("stores nothing that can be read", async () => {
    const secret = "no-one-may-read-this";
    const body = { task_output: secret, more: secret.repeat(1000) };
    await post(`${channel.address}/path-${secret}`, body, { "X-Header": secret });
    assert.equal(waiting(), 1);
    const bytes = bytesIn(relay.folder);
    assert.ok(bytes.length > 20_000);
    for (const text of [
      secret,
      "task_output",
      Buffer.from(secret).toString("base64").slice(0, 20),
      Buffer.from(`"${secret}`).toString("base64").slice(4, 20),
      Buffer.from(`x"${secret}`).toString("base64").slice(4, 20),
      String(channel.own?.secret),
      String(channel.own?.privateKey.d),
      relayToken,
    ])
      assert.ok(!bytes.includes(text), text);
    // It is there nevertheless.
    const listening = listen(channel);
    await listening.until(1);
    assert.equal(listening.received[0]?.path, `/path-${secret}`);
  });

  it("can't be read with another key, which is logged: it doesn't wait in front of others", async () => {
    await post(`${channel.address}/x`, "1");
    const { privateKey } = await generateKeyPair("ECDH-ES", { crv: "P-256", extractable: true });
    const secret = channel.own?.secret ?? "";
    const other = listen({ ...channel, own: { secret, privateKey: await exportJWK(privateKey) } });
    await waitFor("an empty relay", () => waiting() === 0);
    assert.match(String(other.problems), /^Error: It is sealed for another key/);
    await other.client.dispose();
    assert.deepEqual(other.received, []);
    await post(`${channel.address}/x`, "2");
    const listening = listen(channel);
    await listening.until(1);
    assert.deepEqual(listening.bodies, ["2"]);
  });

  it("creates a channel once, with the relay's token, and keeps its secrets only in the secret storage", async () => {
    const secrets = new SecretMemory();
    let asked = 0;
    const channels = new Channels({ ...line, secrets, machine: () => "test" });
    const create = (token: string | undefined) =>
      channels.open(`${relay.url}/`, () => (asked++, Promise.resolve(token)));
    await assert.rejects(create(undefined), /token is needed/);
    await assert.rejects(create("wrong"), /refused the token/);
    assert.equal(secrets.entries.size, 0);
    const created = await create(relayToken);
    assert.deepEqual(await create(undefined), created);
    assert.equal(asked, 3);
    assert.match(created.address, /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}$/);
    assert.ok(!created.address.includes(created.own?.secret ?? ""));
    secrets.entries.set("crewdeck.relays.test", "{");
    assert.notEqual((await create(relayToken)).address, created.address);
  });

  it("tells a client that its channel is gone, or its secret wrong, and to listen in one place", async () => {
    const { own } = channel;
    assert.ok(own);
    for (const gone of [
      { ...channel, own: { ...own, secret: "w".repeat(43) } },
      { ...channel, address: `${relay.url}/AAAAAAAAAAAAAAAAAAAAAA` },
    ]) {
      const { client } = listen(gone);
      await waitFor("the failure", () => client.state instanceof Error);
      assert.ok(client.state instanceof RelayError && client.state.isGone);
      await client.dispose();
    }
    const first = listen(channel, {}, { random: () => 1 });
    await first.connected();
    const second = listen(channel);
    await waitFor("the end of the first connection", () => first.client.state !== "connected");
    await second.connected();
  });
});

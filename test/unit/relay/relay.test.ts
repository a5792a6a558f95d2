import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { connect } from "node:net";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { exportJWK, generateKeyPair } from "jose";
import { mostBytes } from "../../../src/callbacks/routes.ts";
import type { Channel } from "../../../src/callbacks/relay-channel.ts";
import type { Limits } from "../../../src/relay/app.ts";
import { keepMs, openRelayStore } from "../../../src/relay/store.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { channelAt, Listening, OwnRelay, post, relayToken } from "../../support/relay.ts";
import { rowsIn } from "../../support/sqlite.ts";
import { waitFor } from "../../support/wait.ts";

describe("The relay", () => {
  let relay: OwnRelay;
  let channel: Channel;
  const open = async (limits: Partial<Limits> = {}) => {
    await relay.start(limits);
    channel = await channelAt(relay.url);
  };
  const stored = () => relay.waiting();
  beforeEach(() => {
    relay = new OwnRelay();
  });
  const ask = async (
    method: string,
    address: string,
    { secret = "", ...headers }: Record<string, string> = {},
  ) => {
    const authorization = secret === "" ? {} : { authorization: `Bearer ${secret}` };
    const answer = await fetch(address, { method, headers: { ...authorization, ...headers } });
    await answer.body?.cancel();
    return answer.status;
  };

  it("lets nobody listen or acknowledge without the channel's secret", async () => {
    await open();
    const other = await channelAt(relay.url);
    await post(`${channel.address}/x`, {});
    for (const secret of ["", "wrong", relayToken, String(other.own?.secret)]) {
      assert.equal(await ask("GET", channel.address, { secret }), 401);
      const messages = `${channel.address}/messages?through=${Number.MAX_SAFE_INTEGER}`;
      assert.equal(await ask("DELETE", messages, { secret }), 401);
    }
    // Another channel's client deletes nothing of this one.
    const others = `${other.address}/messages?through=${Number.MAX_SAFE_INTEGER}`;
    assert.equal(await ask("DELETE", others, { secret: String(other.own?.secret) }), 204);
    assert.equal(stored(), 1);
  });

  it("knows no channel that it didn't create, and reads no body for it", async () => {
    await open();
    const unknown = `${relay.url}/AAAAAAAAAAAAAAAAAAAAAA`;
    assert.equal(await post(`${unknown}/x`, {}), 404);
    assert.equal(await ask("GET", unknown, { secret: "s" }), 404);
    assert.equal(await ask("DELETE", `${unknown}/messages?through=1`, { secret: "s" }), 404);
    assert.deepEqual(await answerTo(`${unknown}/x`, 10_000_000), { status: 404, isClosed: true });
    assert.equal(stored(), 0);
  });

  it("creates a channel only with the relay's token and a public key", async () => {
    await open();
    const { publicKey, privateKey } = await generateKeyPair("ECDH-ES", {
      crv: "P-256",
      extractable: true,
    });
    const create = (authorization: string, body: object) =>
      post(`${relay.url}/channels`, body, { authorization });
    const key = await exportJWK(publicKey);
    for (const authorization of ["", "Bearer wrong", `Bearer ${String(channel.own?.secret)}`])
      assert.equal(await create(authorization, { publicKey: key }), 401);
    for (const wrong of [undefined, {}, { kty: "oct", k: "AAAA" }, { ...key, x: "AAAA" }, "key"])
      assert.equal(await create(`Bearer ${relayToken}`, { publicKey: wrong }), 400);
    // Of a private key, only the public part is stored.
    const both = await exportJWK(privateKey);
    assert.equal(await create(`Bearer ${relayToken}`, { publicKey: both }), 201);
    const rows = rowsIn(relay.database, "SELECT public_key FROM channels");
    assert.equal(rows.length, 2);
    assert.ok(!JSON.stringify(rows).includes(String(both.d)));
  });

  it("refuses a body of 10 MB, with or without Content-Length, and keeps no connection: a proxy would send the next callback on one that is being closed", async () => {
    await open();
    const address = `${channel.address}/x`;
    const refused = { status: 413, isClosed: true };
    assert.deepEqual(await answerTo(address, 10_000_000), refused);
    assert.deepEqual(await answerTo(address, 10_000_000, false), refused);
    assert.equal(stored(), 0);
    // What the receiver would refuse is refused before it is accepted.
    const largest = mostBytes;
    assert.deepEqual(await answerTo(address, largest + 1), refused);
    assert.deepEqual(await answerTo(address, largest), { status: 202, isClosed: true });
    const listening = new Listening(channel);
    await listening.until(1);
    assert.equal(listening.received[0]?.body.length, largest);
  });

  it("accepts nothing from a sender that is too slow, or that leaves", async () => {
    await open({ requestMs: 2_000, atOnce: 1 });
    const listening = new Listening(channel);
    await listening.connected();
    const { port, pathname } = new URL(`${channel.address}/x`);
    const head = `POST ${pathname} HTTP/1.1\r\nHost: relay\r\nContent-Length: 10\r\n\r\n`;
    const slow = connect(Number(port), "127.0.0.1").setEncoding("utf8");
    slow.write(`${head}12345`);
    let answer = "";
    slow.on("data", (text: string) => (answer += text));
    await waitFor("no place", async () => (await post(`${channel.address}/x`, {})) === 429);
    await once(slow, "close");
    assert.match(answer, /^HTTP\/1\.1 408 /);
    const left = connect(Number(port), "127.0.0.1");
    left.write(`${head}12345`, () => left.resetAndDestroy());
    await once(left, "close");
    // Both have given back their place.
    await waitFor("a free place", async () => (await post(`${channel.address}/x`, {})) === 202);
    // The time is for a request to arrive, not for one that listens.
    await listening.until(1);
    assert.deepEqual([listening.problems, listening.client.state], [[], "connected"]);
  });

  it("answers a flood with 429 and Retry-After, stores all that it accepted, and no other channel waits", async () => {
    await open({ burst: 50, perSecond: 0.5 });
    const other = await channelAt(relay.url);
    const bodies = Array.from({ length: 200 }, (_, number) => String(number));
    const answers = await Promise.all(
      bodies.map(async (body) => {
        const answer = await fetch(`${channel.address}/x`, { method: "POST", body });
        await answer.text();
        return { body, status: answer.status, after: Number(answer.headers.get("retry-after")) };
      }),
    );
    assert.equal(await post(`${other.address}/x`, {}), 202);
    const accepted = answers.filter(({ status }) => status === 202).map(({ body }) => body);
    const refused = answers.filter(({ status }) => status === 429);
    assert.equal(accepted.length + refused.length, 200);
    assert.ok(accepted.length >= 50 && accepted.length < 60, `${accepted.length}`);
    assert.ok(refused.every(({ after }) => after >= 1 && after <= 2));
    const listening = new Listening(channel);
    await listening.until(accepted.length);
    assert.deepEqual([...listening.bodies].sort(), accepted.sort());
  });

  it("answers 429 when too much waits for a client, until it has stored that", async () => {
    await open({ waitingBytes: 5_000 });
    const address = `${channel.address}/x`;
    const statuses = [];
    for (let count = 0; count < 6; count++) statuses.push(await post(address, "x".repeat(700)));
    const accepted = statuses.filter((status) => status === 202).length;
    assert.ok(accepted >= 2 && accepted <= 4, String(statuses));
    assert.deepEqual(statuses, [
      ...Array.from({ length: accepted }, () => 202),
      ...Array.from({ length: 6 - accepted }, () => 429),
    ]);
    assert.equal(stored(), accepted);
    const answer = await fetch(address, { method: "POST", body: "x".repeat(700) });
    assert.equal(answer.headers.get("retry-after"), "60");
    await answer.text();
    const listening = new Listening(channel);
    await listening.until(accepted);
    await waitFor("an empty relay", () => stored() === 0);
    assert.equal(await post(address, "x".repeat(700)), 202);
    await listening.until(accepted + 1);
  });

  it("starts, and passes callbacks on, while it can't clean up its database", async () => {
    await open();
    assert.equal(await post(`${channel.address}/x`, { n: 1 }), 202);
    await relay.stop();
    const writer = new DatabaseSync(relay.database);
    writer.exec("UPDATE channels SET listened_at = listened_at - 1");
    for (const [name, change] of Object.entries({ a: "UPDATE OF listened_at", b: "DELETE" }))
      writer.exec(
        `CREATE TRIGGER ${name} BEFORE ${change} ON channels BEGIN SELECT RAISE(ABORT, 'disk full'); END;`,
      );
    writer.exec("INSERT INTO channels VALUES ('old', '', '{}', 0, 1)");
    writer.close();
    const before = channel;
    const { pathname } = new URL(before.address);
    await open();
    const listening = new Listening({ ...before, address: `${relay.url}${pathname}` });
    await listening.until(1);
    await listening.client.dispose();
    const problem = "The relay could not clean up its database: disk full";
    assert.deepEqual(relay.log.splice(0), [problem, problem]);
  });

  it("doesn't follow what a request says of its own address", async () => {
    await open();
    const forged = { "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https" };
    assert.equal(await post(`${channel.address}/x`, {}, forged), 202);
    const answer = await fetch(`${relay.url}/`, { headers: forged });
    assert.deepEqual(await answer.json(), { service: "crewdeck-relay", version: 1 });
    assert.equal(await ask("GET", `${relay.url}/new`, forged), 404);
  });
});

describe("What a relay keeps", () => {
  it("is deleted after a week, and a channel after 90 days without a listener", async () => {
    const folder = temporaryFolder("relay");
    const store = openRelayStore(path.join(folder, "crewdeck.sqlite"), 1000);
    const day = 24 * 60 * 60 * 1000;
    const start = Date.parse("2026-01-01");
    for (const channel of ["left", "listened"]) store.addChannel(channel, "", "{}", start);
    for (const channel of ["left", "listened"])
      assert.equal(await store.add(channel, "x".repeat(900), start), "stored");
    assert.equal(await store.add("left", "x".repeat(101), start), "full");
    assert.equal(await store.add("none", "x", start), "gone");
    store.expire(start + keepMs, []);
    assert.equal(store.after("left", 0).length, 1);
    store.expire(start + keepMs + 1, ["listened"]);
    assert.deepEqual(store.after("left", 0), []);
    // Its place is free again.
    assert.equal(await store.add("left", "x".repeat(1000), start + 90 * day), "stored");
    store.expire(start + 90 * day, []);
    assert.ok(store.channel("left"));
    store.expire(start + 90 * day + 1, []);
    assert.deepEqual([store.channel("left"), store.after("left", 0)], [undefined, []]);
    assert.ok(store.channel("listened"));
    store.close();
  });

  it("has IDs that rise, also after all was deleted, the clock was set back or an older copy was put in place", async () => {
    const folder = temporaryFolder("relay");
    const file = path.join(folder, "crewdeck.sqlite");
    let store = openRelayStore(file, 1000);
    store.addChannel("c", "", "{}", 0);
    const add = async (now: number) => {
      await store.add("c", "x", now);
      const [message] = store.after("c", 0);
      assert.ok(message);
      store.acknowledge("c", message.id);
      return message.id;
    };
    const first = await add(1_800_000_000_000);
    const second = await add(1_700_000_000_000);
    assert.equal(second, first + 1);
    store.close();
    store = openRelayStore(file, 1000);
    assert.equal(await add(1_700_000_000_000), second + 1);
    assert.equal(await add(1_800_000_000_001), first + 1000);
    store.close();
  });
});

/** Posts that many bytes; without `isKnown`, their number isn't announced. */
function answerTo(address: string, size: number, isKnown = true) {
  return new Promise((resolve, reject) => {
    const headers = isKnown ? { "Content-Length": size } : {};
    const request = http.request(address, { method: "POST", headers }, (response) => {
      const isClosed = response.headers.connection === "close";
      resolve({ status: response.resume().statusCode, isClosed });
    });
    request.on("error", reject);
    request.write("x");
    request.end("x".repeat(size - 1));
  });
}

import assert from "node:assert/strict";
import type { Clock } from "../../../src/base/clock.ts";
import type { Delivery } from "../../../src/callbacks/routes.ts";
import { callbackAddress, type Channel, RelayError } from "../../../src/callbacks/relay-channel.ts";
import { MisbehavingServer, redirect, text } from "../../support/misbehaving-server.ts";
import { channelAt, Listening, post } from "../../support/relay.ts";
import { SmeeServer } from "../../support/smee-server.ts";
import { waitFor } from "../../support/wait.ts";
import { HastyClock, StoppedClock } from "../api/support.ts";

describe("A relay like smee.io", () => {
  let server: SmeeServer;
  let url: string;
  let channel: Channel;
  beforeEach(async () => {
    server = new SmeeServer();
    url = await server.start();
    channel = await channelAt(`${url}/Zm9vYmFyYmF6/`);
  });
  const listen = async (options: ConstructorParameters<typeof Listening>[2] = {}) => {
    const listening = new Listening(channel, {}, options);
    await listening.connected();
    return listening;
  };

  it("passes callbacks of all executions through one channel, by their query, with headers and body", async () => {
    const { received, until } = await listen();
    assert.equal(callbackAddress(channel, "/a b"), `${url}/Zm9vYmFyYmF6?crewdeck=a%20b`);
    for (const path of ["/first", "/second"])
      assert.equal(
        await post(
          callbackAddress(channel, path),
          { kickoff_id: path, note: "Grüße 👋" },
          { "Webhook-Id": `id-${path}`, Authorization: "Bearer s3cret" },
        ),
        200,
      );
    await until(2);
    assert.deepEqual(
      received.map(({ path, body }) => [path, JSON.parse(Buffer.from(body).toString()) as unknown]),
      [
        ["/first", { kickoff_id: "/first", note: "Grüße 👋" }],
        ["/second", { kickoff_id: "/second", note: "Grüße 👋" }],
      ],
    );
    const { headers } = received[0]!;
    const sent = [headers["webhook-id"], headers["authorization"], headers["content-type"]];
    assert.deepEqual(sent, ["id-/first", "Bearer s3cret", "application/json"]);
    assert.ok(!("body" in headers || "query" in headers || "timestamp" in headers));
  });

  it("ignores pings, posts of others and what isn't JSON", async () => {
    const { received, until } = await listen();
    server.ping();
    for (const query of ["", "?crewdeck=", "?crewdeck=a&crewdeck=", "?other=x"])
      await post(`${channel.address}${query}`, { not: "ours" });
    await post(callbackAddress(channel, "/ours"), {});
    await until(1);
    const paths = received.map(({ path }) => path);
    assert.deepEqual(paths, ["/ours"]);
  });

  it("asks again from the last message on when the connection ends, and waits with jitter", async () => {
    const clock = new HastyClock();
    const { until, connected, client } = await listen({ clock, random: () => 0.5 });
    await post(callbackAddress(channel, "/one"), {});
    await until(1);
    server.cut();
    await waitFor("another connection", () => server.listened.length === 2);
    await connected();
    await post(callbackAddress(channel, "/two"), {});
    await until(2);
    const lastIds = server.listened.map((headers) => headers["last-event-id"]);
    assert.deepEqual(lastIds, [undefined, "1"]);
    assert.equal(client.state, "connected");
    // Between half of a second and all of it.
    assert.deepEqual(clock.waits, [750]);
  });

  it("is asked again if neither a message nor a ping comes for some time", async () => {
    const clock = new StoppedClock();
    await listen({ clock });
    await waitFor("another connection", () => (clock.ring(), server.listened.length >= 2));
  });

  it("waits longer each time if it can't be reached, up to 5 minutes, and says so once", async () => {
    const waits: number[] = [];
    const clock: Clock = {
      now: () => Date.now(),
      after: (milliseconds, action) => {
        // Time-outs of requests are 20 s; each wait has jitter, so it is another number.
        if (milliseconds === 20_000) return () => undefined;
        if (waits.push(milliseconds) > 12) return () => undefined;
        const immediate = setImmediate(action);
        return () => clearImmediate(immediate);
      },
    };
    await server.stop();
    const listening = new Listening(channel, {}, { clock, random: () => 1 });
    await waitFor("12 attempts", () => waits.length > 12);
    await server.start();
    const pauses = waits.map((wait) => wait / 1000).slice(0, 11);
    assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
    assert.equal(listening.problems.length, 1);
    const { state } = listening.client;
    assert.ok(state instanceof RelayError && !state.isGone);
    assert.match(state.message, /^The relay can't be reached: .*ECONNREFUSED/);
    assert.ok(!state.message.includes("Zm9v"), "a channel's address is a secret");
  });

  it("hands a callback to the receiver again until it is stored, in order, and drops what is refused", async () => {
    const answers = new Map([
      ["/a", [503, 429, 500, 202]],
      ["/b", [404]],
      ["/c", [413]],
      ["/d", [408, 202]],
    ]);
    const asked: string[] = [];
    await listen({
      clock: new HastyClock(),
      receive: ({ path }: Delivery) => {
        asked.push(path);
        return Promise.resolve(answers.get(path)?.shift() ?? 202);
      },
    });
    for (const path of answers.keys()) await post(callbackAddress(channel, path), {});
    await waitFor("8 tries", () => asked.length >= 8);
    assert.deepEqual([...new Set(asked)], ["/a", "/b", "/c", "/d"]);
    assert.equal(asked.toSorted().join(""), "/a/a/a/a/b/c/d/d");
    assert.ok([...answers.values()].every((left) => left.length === 0));
  });

  it("hands nothing to the receiver after it was disposed of", async () => {
    const { received, client } = await listen();
    await client.dispose();
    await post(callbackAddress(channel, "/late"), {});
    assert.deepEqual(received, []);
  });
});

describe("A relay that misbehaves", () => {
  let server: MisbehavingServer;
  beforeEach(async () => (server = await MisbehavingServer.start()));
  const listen = () => {
    const own = { secret: "s".repeat(32), privateKey: {} };
    return new Listening({ address: `${server.url}/channel`, own });
  };
  const failure = async (): Promise<string> => {
    const { client } = listen();
    const state = await waitFor("the failure", () => client.state instanceof Error && client.state);
    await client.dispose();
    return String(state);
  };

  it("is not followed elsewhere", async () => {
    const other = await MisbehavingServer.start();
    server.otherwise = redirect(302, `${other.url}/channel`);
    assert.match(await failure(), /answered with an error \(302\)/);
    assert.deepEqual(other.requests, []);
  });

  it("is not trusted without https, except on this computer, or with credentials in its address", async () => {
    for (const address of [
      "http://relay.example.com/channel",
      "http://10.0.0.1/channel",
      "https://user:password@relay.example.com",
      "ftp://relay.example.com",
      "relay",
      "",
    ])
      await assert.rejects(channelAt(address), /must start with https/);
  });

  it("can send neither a page nor a message without end", async () => {
    server.otherwise = text(200, "<html>", { "content-type": "text/html" });
    assert.match(await failure(), /is no relay/);
    server.otherwise = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: ");
      const more = (): void => {
        while (!response.destroyed && response.write("x".repeat(64 * 1024)));
      };
      response.on("drain", more);
      more();
    };
    assert.match(await failure(), /is no relay/);
  });

  it("can't pass a callback in the clear if the channel's callbacks are sealed", async () => {
    const message = JSON.stringify({ body: {}, query: { crewdeck: "path" } });
    server.otherwise = (response) => {
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .write(`id: 1\ndata: ${message}\n\n`);
    };
    const { problems, received } = listen();
    await waitFor("the problem", () => problems.length > 0);
    assert.match(String(problems), /sealed for another key, or not sealed/);
    assert.deepEqual(received, []);
  });

  it("says when to come back", async () => {
    const clock = new HastyClock();
    server.next(text(429, "", { "retry-after": "7" }));
    new Listening({ address: `${server.url}/channel` }, {}, { clock });
    await server.arrived(2);
    assert.equal(clock.waits[0], 7500);
  });
});

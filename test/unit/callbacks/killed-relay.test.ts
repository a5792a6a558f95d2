import assert from "node:assert/strict";
import type { Channel } from "../../../src/callbacks/relay-channel.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { channelAt, Listening, post, startRelayProcess } from "../../support/relay.ts";
import { waitFor } from "../../support/wait.ts";

describe("A relay that is killed", () => {
  let data: string;
  let relay: Awaited<ReturnType<typeof startRelayProcess>>;
  let channel: Channel;
  const listen = (...args: ConstructorParameters<typeof Listening>) => new Listening(...args);
  beforeEach(async () => {
    data = temporaryFolder("relay");
    relay = await startRelayProcess(data);
    channel = await channelAt(relay.url);
  });
  afterEach(() => relay.stop());
  const restart = async () => {
    relay = await startRelayProcess(data, Number(new URL(relay.url).port));
  };

  it("loses nothing that it accepted and repeats nothing, while callbacks come and a client listens", async () => {
    const kept: { id?: string } = {};
    const first = listen(channel, kept);
    await first.connected();
    const accepted: string[] = [];
    const isEnough = new Promise<void>((resolve) => {
      let number = 0;
      const send = async (): Promise<void> => {
        while (accepted.length < 60) {
          const body = String(number++);
          // Refused while the relay is dead: the sender knows that, and may repeat it.
          const status = await post(`${channel.address}/x`, body).catch(() => 0);
          if (status === 202) accepted.push(body);
        }
        resolve();
      };
      void send();
    });
    for (const count of [20, 40]) {
      await waitFor(`${count} callbacks`, () => accepted.length >= count);
      await relay.kill();
      await restart();
    }
    await isEnough;
    await waitFor("all that was accepted", () => {
      const bodies = new Set(first.bodies);
      return accepted.every((body) => bodies.has(body));
    });
    assert.equal(new Set(first.bodies).size, first.bodies.length, "one came twice");
    // Nothing is left for the next client.
    await first.client.dispose();
    const next = listen(channel, kept);
    await post(`${channel.address}/x`, "last");
    await next.until(1);
    assert.deepEqual(next.bodies, ["last"]);
  });

  it("repeats to a client that died before it kept the last ID, under the same ID in the callback", async () => {
    const headers = { "Webhook-Id": "stable" };
    await post(`${channel.address}/x`, { a: 1 }, headers);
    const set = () => {
      throw new Error("It died.");
    };
    const first = listen(channel, {}, { lastIds: { get: () => undefined, set } });
    await first.until(1);
    await first.client.dispose();
    await relay.kill();
    await restart();
    const second = listen(channel);
    await second.until(1);
    for (const { received } of [first, second])
      assert.equal(received[0]?.headers["webhook-id"], "stable");
  });

  it("ends at SIGTERM while clients listen and connections are open", async () => {
    const listening = listen(channel);
    await listening.connected();
    const start = performance.now();
    assert.equal(await relay.stop(), 0);
    assert.ok(performance.now() - start < 4000, "it waited for connections");
    await waitFor("the failure", () => listening.client.state instanceof Error);
    await restart();
    await listening.connected();
  });
});

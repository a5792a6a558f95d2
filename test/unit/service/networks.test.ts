import assert from "node:assert/strict";
import { CallbackNetworks, isNetwork } from "../../../src/service/networks.ts";
import { post } from "../../../src/service/sender.ts";
import { waitFor } from "../../support/wait.ts";
import { callbacksTo, harness, inputs, messageOf, openReceiver, serve } from "./support.ts";

const refusal = /^Callbacks can't be sent to \S+: that is no public address/;

describe("service: the networks of callbacks", () => {
  const networks = new CallbackNetworks(["10.1.0.0/16", "fd00:1::/32"]);
  const refuses = (host: string) => {
    try {
      networks.check({ crew: { url: `http://${host}/` } });
      return false;
    } catch (error) {
      assert.match(String(error), /no public address/);
      return true;
    }
  };

  it("are public ones and those that are allowed, however an address is written", () => {
    const refused = [
      "0.0.0.0",
      "127.0.0.1",
      "127.9.9.9",
      "2130706433",
      "0x7f.1",
      "10.0.0.1",
      "172.16.0.1",
      "192.168.1.1",
      "169.254.169.254",
      "100.64.0.1",
      "100.127.255.255",
      "198.18.0.1",
      "224.0.0.1",
      "255.255.255.255",
      "[::]",
      "[::1]",
      "[fc00::1]",
      "[fd00::1]",
      "[fe80::1]",
      "[ff02::1]",
      "[::ffff:127.0.0.1]",
      "[::ffff:a00:1]",
      "[::7f00:1]",
      "[64:ff9b::a00:1]",
      "[64:ff9b:1::a00:1]",
      "[2002:a00:1::]",
      "[2001::1]",
      "[::ffff:0:a00:1]",
    ];
    const allowed = [
      "1.1.1.1",
      "172.32.0.1",
      "100.128.0.1",
      "192.0.1.1",
      "223.255.255.255",
      "[2606:4700::1111]",
      "10.1.2.3",
      "[fd00:1::5]",
      "[::ffff:10.1.2.3]",
      "[::ffff:1.1.1.1]",
      "localhost",
      "receiver.example",
    ];
    assert.deepEqual(
      refused.filter((host) => !refuses(host)),
      [],
    );
    assert.deepEqual(allowed.filter(refuses), []);
    const texts = [
      "10.0.0.0/8",
      "::/0",
      "10.0.0.0",
      "10.0.0.0/33",
      "fd00::/129",
      "10.0.0/8",
      "10.0.0.0/8/8",
      "x/8",
      "",
    ];
    assert.deepEqual(texts.filter(isNetwork), ["10.0.0.0/8", "::/0"]);
  });

  it("are checked when a name is connected to, and name what is refused", async () => {
    const receiver = await openReceiver();
    const at = (host: string) => `http://${host}:${receiver.port}/`;
    const send = (host: string, list: readonly string[]) =>
      post(at(host), {}, "{}", 10_000, new CallbackNetworks(list));
    await assert.rejects(
      send("localhost", []),
      /^Error: The receiver is at .*127\.0\.0\.1.*callbackNetworks/,
    );
    await assert.rejects(send("127.0.0.1", []), /^Error: The receiver is at 127\.0\.0\.1: /);
    assert.equal(receiver.received.length, 0);
    await send("localhost", ["127.0.0.0/8"]);
    await send("127.0.0.1", ["127.0.0.0/8"]);
    assert.equal(receiver.received.length, 2);
  });

  for (const dialect of ["documented", "live"] as const)
    it(`refuse a kickoff and a resume that name another address with 422, in the ${dialect} dialect`, async () => {
      await serve({ dialect, networks });
      const callbacks = callbacksTo("http://10.0.0.1");
      const kickoff = await harness.request("POST", "/kickoff", { inputs, ...callbacks });
      assert.equal(kickoff.status, 422);
      const id = await harness.kickoff({ inputs, ...callbacksTo("http://[fd00:1::5]") });
      await waitFor(
        "the pause",
        async () =>
          (await harness.sql("SELECT 1 AS found FROM attempts WHERE state = 'waiting'")).length,
      );
      const resume = await harness.resume(id, true, "", callbacks);
      assert.equal(resume.status, 422);
      if (dialect === "documented")
        for (const answer of [kickoff, resume]) assert.match(messageOf(answer), refusal);
    });

  it("leave a callback to another one undelivered: only the log, and who has the organization's token, hear why", async () => {
    const receiver = await openReceiver();
    await serve();
    const urls = {
      humanInputWebhookUrl: `http://localhost:${receiver.port}/human`,
      // No name is that long.
      crewWebhookUrl: `http://${"x".repeat(64)}.invalid/crew`,
    };
    receiver.behave = (response) => response.writeHead(500).end();
    const id = await harness.kickoff({ inputs, ...urls }, "U");
    await waitFor("the callback", () => receiver.received.length > 0);
    const { length } = receiver.received;
    assert.ok(length > 0);
    await harness.close();
    await serve({ networks, folder: harness.folder, callbackBackoffMs: 1 });
    const errorFor = async (token: string) => {
      const { body } = await harness.request("GET", `/${id}/status`, undefined, {
        Authorization: `Bearer ${token}`,
      });
      return (body as { undelivered_callbacks?: { error?: string }[] }).undelivered_callbacks?.[0]
        ?.error;
    };
    await waitFor("the refusal", async () => /no public address/.test((await errorFor("T")) ?? ""));
    assert.equal(await errorFor("U"), "The receiver could not be reached, or did not accept it.");
    const refusal =
      /^Unfinished executions send no callbacks to http:\/\/localhost:\d+\. .* no public/;
    assert.ok(harness.log.some((line) => refusal.test(line)));
    assert.ok(!harness.log.some((line) => line.includes(".invalid")), "it may be known later");
  });
});

import assert from "node:assert/strict";
import { parseRetryAfter } from "../../../src/api/transport.ts";
import { json, MisbehavingServer, text } from "../../support/misbehaving-server.ts";
import { clientOf, errorOf, HastyClock } from "./support.ts";

describe("retries", () => {
  let server: MisbehavingServer;
  let clock: HastyClock;
  beforeEach(async () => {
    server = await MisbehavingServer.start();
    clock = new HastyClock();
  });
  afterEach(() => server.stop());

  const good = json(200, { inputs: ["a"] });

  for (const status of [429, 500, 502, 503, 504]) {
    it(`a GET is retried after ${status}, three times in all, with growing waits`, async () => {
      server.next(text(status, ""), text(status, ""), good);
      assert.deepEqual((await clientOf(server.url, { clock, random: () => 0.5 }).inputs()).fields, [
        { name: "a" },
      ]);
      assert.deepEqual(clock.waits, [250, 500]);
      server.otherwise = text(status, "");
      assert.equal((await errorOf(clientOf(server.url, { clock }).inputs())).status, status);
      assert.equal(server.requests.length, 6);
    });

    it(`a POST is not retried after ${status}`, async () => {
      server.otherwise = text(status, "", { "retry-after": "0" });
      await errorOf(clientOf(server.url, { clock }).kickoff({ inputs: {} }));
      const approval = { executionId: "k", taskId: "t", humanFeedback: "", isApprove: true };
      await errorOf(clientOf(server.url, { clock }).resume(approval));
      assert.equal(server.requests.length, 2);
      assert.deepEqual(clock.waits, []);
    });
  }

  for (const status of [400, 401, 403, 404, 422])
    it(`nothing is retried after ${status}, which is permanent`, async () => {
      server.otherwise = text(status, "");
      await errorOf(clientOf(server.url, { clock }).inputs());
      assert.equal(server.requests.length, 1);
    });

  it("the whole wait is random", async () => {
    server.next(text(503, ""), good, text(503, ""), good);
    await clientOf(server.url, { clock, random: () => 0 }).inputs();
    await clientOf(server.url, { clock, random: () => 0.999 }).inputs();
    assert.deepEqual(clock.waits, [0, 499.5]);
  });

  it("Retry-After is added, in seconds or as a date", async () => {
    const start = clock.now();
    server.next(
      text(429, "", { "retry-after": "7" }),
      good,
      text(503, "", { "retry-after": new Date(start + 10_000).toUTCString() }),
      good,
    );
    const client = clientOf(server.url, { clock, random: () => 0.25 });
    await client.inputs();
    assert.deepEqual(clock.waits, [7125]);
    await client.inputs();
    assert.equal(clock.waits[1], 10_000 - 7125 + 125);
  });

  for (const [status, kind] of [
    [429, "rateLimited"],
    [503, "gateway"],
  ] as const)
    it(`a long Retry-After of ${status} is left to the caller`, async () => {
      server.otherwise = text(status, "", { "retry-after": "11" });
      const error = await errorOf(clientOf(server.url, { clock }).inputs());
      assert.equal(error.kind, kind);
      assert.equal(error.retryAfterMs, 11_000);
      assert.equal(server.requests.length, 1);
      assert.deepEqual(clock.waits, []);
    });

  it("an abort during the wait ends it", async () => {
    const controller = new AbortController();
    const after = (milliseconds: number) => {
      if (milliseconds < 20_000) controller.abort();
      return () => undefined;
    };
    server.next(text(503, ""));
    const client = clientOf(server.url, { clock: { now: () => 0, after } });
    const error = await errorOf(client.inputs({ signal: controller.signal }));
    assert.equal(error.kind, "aborted");
    assert.equal(server.requests.length, 1);
  });

  describe("Retry-After", () => {
    const now = Date.parse("2026-01-02T03:04:05Z");
    for (const [header, milliseconds] of [
      [null, undefined],
      ["", undefined],
      ["soon", undefined],
      ["0", 0],
      [" 12 ", 12_000],
      ["1.5", 1500],
      ["-5", 0],
      ["9".repeat(400), 86_400_000],
      ["Fri, 02 Jan 2026 03:04:35 GMT", 30_000],
      ["Fri, 02 Jan 2026 03:00:00 GMT", 0],
      ["Fri, 02 Jan 2099 03:00:00 GMT", 86_400_000],
    ] as const)
      it(`${JSON.stringify(header?.slice(0, 40) ?? null)} is ${String(milliseconds)}`, () => {
        assert.equal(parseRetryAfter(header, now), milliseconds);
      });
  });
});

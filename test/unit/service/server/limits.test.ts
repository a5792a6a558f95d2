import assert from "node:assert/strict";
import { ApiError } from "../../../../src/service/errors.ts";
import { KickoffQueue } from "../../../../src/service/server/limits.ts";

describe("The queue of kickoffs", () => {
  const refused = (error: unknown) =>
    error instanceof ApiError && error.status === 429 && error.retryAfter === 10;
  const admit = (queue: KickoffQueue) => queue.admit(() => Promise.resolve("id"));

  it("admits as many as the limit, also of those that come at once", async () => {
    let stored = 2;
    const queue = new KickoffQueue(
      () => 5,
      () => Promise.resolve(stored),
    );
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () =>
        queue.admit(async () => {
          await Promise.resolve();
          stored += 1;
          return "id";
        }),
      ),
    );
    assert.equal(stored, 5);
    assert.deepEqual(
      results.map(({ status }) => status === "fulfilled"),
      Array.from({ length: 10 }, (_, index) => index < 3),
    );
    await assert.rejects(admit(queue), refused);
    stored = 4;
    assert.equal(await admit(queue), "id");
  });

  it("counts those that are being stored", async () => {
    let stored = 0;
    let store = (): void => undefined;
    const gate = new Promise<void>((resolve) => (store = resolve));
    const queue = new KickoffQueue(
      () => 2,
      () => Promise.resolve(stored),
    );
    const kickoff = () =>
      queue.admit(async () => {
        await gate;
        stored += 1;
        return "id";
      });
    const first = [kickoff(), kickoff()];
    await Promise.resolve();
    const third = kickoff();
    store();
    assert.deepEqual(await Promise.all(first), ["id", "id"]);
    await assert.rejects(third, refused);
    assert.equal(stored, 2);
  });

  it("doesn't count before each kickoff, and gives the place of a failed one back", async () => {
    let counts = 0;
    const queue = new KickoffQueue(
      () => 20,
      () => Promise.resolve(counts++ * 0),
    );
    for (let index = 0; index < 20; index += 1) await admit(queue);
    assert.ok(counts <= 3, String(counts));
    const failed = new Error("no such input");
    await assert.rejects(
      queue.admit(() => Promise.reject(failed)),
      failed,
    );
    const before = counts;
    for (let index = 0; index < 19; index += 1) await admit(queue);
    assert.ok(counts - before <= 3);
  });

  it("counts again after a failed count", async () => {
    let isDown = true;
    const queue = new KickoffQueue(
      () => 1,
      () => (isDown ? Promise.reject(new Error("the database is away")) : Promise.resolve(0)),
    );
    await assert.rejects(admit(queue), /the database is away/);
    isDown = false;
    assert.equal(await admit(queue), "id");
  });
});

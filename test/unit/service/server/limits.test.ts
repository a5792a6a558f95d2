import assert from "node:assert/strict";
import { mock } from "node:test";
import type { Database, Notice } from "../../../../src/service/database/database.ts";
import { ApiError } from "../../../../src/service/errors.ts";
import { KickoffQueue, RequestRates } from "../../../../src/service/server/limits.ts";

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

/** Processes that hear each other's notices. */
class Processes {
  readonly #listeners: ((notice: Notice) => void)[] = [];

  add(): Pick<Database, "onNotice" | "tellOthers"> {
    let own: (notice: Notice) => void = () => undefined;
    return {
      onNotice: (listener) => {
        this.#listeners.push((own = listener));
        return () => undefined;
      },
      tellOthers: (notice) => {
        for (const listener of this.#listeners) if (listener !== own) listener(notice);
      },
    };
  }
}

describe("The rate of requests", () => {
  it("is counted for each token, and a new limit is in force at once", () => {
    let perMinute = 2;
    const rates = new RequestRates(() => perMinute, new Processes().add());
    rates.enter("one");
    rates.enter("one");
    assert.throws(
      () => rates.enter("one"),
      (error: unknown) =>
        error instanceof ApiError && error.status === 429 && error.retryAfter === 30,
    );
    rates.enter("two");
    perMinute = 3;
    rates.enter("one");
  });

  it("counts what other processes have accepted, which hear of it within a second", () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const processes = new Processes();
      const [one, other] = [1, 2].map(() => new RequestRates(() => 6, processes.add()));
      assert.ok(one && other);
      for (let count = 0; count < 4; count += 1) one.enter("token");
      for (let count = 0; count < 3; count += 1) other.enter("token");
      mock.timers.tick(1000);
      // Seven are more than six, so that each waits for two: 20 s.
      for (const rates of [one, other])
        assert.throws(
          () => rates.enter("token"),
          (error: unknown) => error instanceof ApiError && error.retryAfter === 20,
        );
      one.enter("another token");
      mock.timers.tick(1000);
      for (let count = 0; count < 5; count += 1) other.enter("another token");
      assert.throws(() => other.enter("another token"), /Too many requests/);
    } finally {
      mock.timers.reset();
    }
  });
});

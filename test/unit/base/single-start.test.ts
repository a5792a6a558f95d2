import assert from "node:assert/strict";
import { startOnce } from "../../../src/base/single-start.ts";
import { FakeClock } from "../executions/fake-clock.ts";

const person = { isPerson: true };
const program = { isPerson: false };

describe("A single start", () => {
  let clock: FakeClock;
  let starts: ReturnType<typeof startOnce<number | undefined>>;
  let count: number;
  const start = () => Promise.resolve(++count);

  beforeEach(() => {
    clock = new FakeClock();
    starts = startOnce(clock);
    count = 0;
  });

  it("is shared while it is in progress, by a person and a program, but not with another key", async () => {
    const slow = Promise.withResolvers<number>();
    const made = [person, program].map((by) => starts("a", by, () => slow.promise));
    assert.equal(await starts("b", person, start), 1);
    slow.resolve(7);
    assert.deepEqual(await Promise.all(made), [7, 7]);
  });

  it("is shared for a second after the response if a person started it", async () => {
    assert.equal(await starts("a", person, start), 1);
    await clock.pass(999);
    assert.equal(await starts("a", person, start), 1);
    await clock.pass(1);
    assert.equal(await starts("a", person, start), 2);
  });

  it("is shared for a second after a failure, because a failed request may have arrived", async () => {
    const fail = () => Promise.reject(new Error("no answer"));
    await assert.rejects(starts("a", person, fail), /no answer/);
    await clock.pass(500);
    await assert.rejects(starts("a", person, start), /no answer/);
    assert.equal(count, 0);
    await clock.pass(500);
    assert.equal(await starts("a", person, start), 1);
  });

  it("isn't shared if it made nothing, or after the response if a program started it", async () => {
    await starts("a", person, () => Promise.resolve(undefined));
    await clock.pass(0);
    assert.equal(await starts("a", person, start), 1);
    assert.equal(await starts("a", program, start), 2);
    await clock.pass(0);
    assert.equal(await starts("a", program, start), 3);
    assert.equal(clock.pending, 1, "only the person's is held");
  });
});

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { Lease } from "../../../src/executions/lease.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { FakeClock } from "./fake-clock.ts";

describe("Lease", () => {
  let folder: string;
  let file: string;
  let clock: FakeClock;
  let leases: Lease[];

  beforeEach(() => {
    folder = temporaryFolder("lease");
    file = path.join(folder, "deep", "lease.json");
    clock = new FakeClock();
    leases = [];
  });
  afterEach(async () => {
    for (const lease of leases) lease.dispose();
    await rm(folder, { recursive: true });
  });

  function aLease(
    owner: string,
    onProblem: (message: string, error: unknown) => void = (_message, error) =>
      assert.ifError(error),
  ): Lease {
    const lease = new Lease({ file, clock, owner, onProblem });
    leases.push(lease);
    return lease;
  }

  /** Lets time pass in steps of a timer, each with its file work. */
  async function pass(seconds: number): Promise<void> {
    for (let step = 0; step < seconds * 4; step++) {
      await clock.pass(250);
      for (const lease of leases) await lease.confirm();
    }
  }

  const held = () => leases.map((lease) => lease.isHeld);

  it("is held by the first window, and by one only", async () => {
    const [one, two] = [aLease("one"), aLease("two")];
    await one.start();
    await two.start();
    await pass(1);
    assert.deepEqual(held(), [true, false]);
    await pass(60);
    assert.deepEqual(held(), [true, false]);
    assert.deepEqual(await readdir(path.dirname(file)), ["lease.json"]);
  });

  it("is held by one only when two windows find it free at the same moment", async () => {
    const [one, two] = [aLease("one"), aLease("two")];
    await Promise.all([one.start(), two.start()]);
    await pass(1);
    assert.equal(held().filter(Boolean).length, 1);
  });

  it("goes to another window at once when its holder ends properly", async () => {
    const [one, two] = [aLease("one"), aLease("two")];
    await one.start();
    await pass(1);
    await two.start();
    one.dispose();
    assert.equal(existsSync(file), false);
    await pass(6);
    assert.deepEqual(held(), [false, true]);
  });

  it("goes to another window 15 s after its holder died, and not before", async () => {
    const text = JSON.stringify({ owner: "dead", renewedAt: clock.now() });
    const one = aLease("one");
    await one.start();
    await pass(1);
    await writeFile(file, text.replace(/\d+/, String(clock.now())));
    await pass(14);
    assert.equal(one.isHeld, false);
    await pass(7);
    assert.equal(one.isHeld, true);
  });

  it("is taken over by a focused window; the other one sees it at its renewal, or when it asks", async () => {
    const [one, two] = [aLease("one"), aLease("two")];
    await one.start();
    await two.start();
    await pass(1);
    await two.takeOver();
    assert.deepEqual(held(), [true, true]);
    assert.equal(await one.confirm(), false);
    assert.equal(await two.confirm(), true);
  });

  it("goes to and fro with the focus, however fast", async () => {
    const [one, two] = [aLease("one"), aLease("two")];
    await one.start();
    await two.start();
    await pass(1);
    await two.takeOver();
    await one.takeOver(); // It has not seen yet that it had lost it.
    await pass(6);
    assert.deepEqual(held(), [true, false]);
  });

  it("tells when it comes and goes", async () => {
    const [one, two] = [aLease("one"), aLease("two")];
    const heard: boolean[] = [];
    one.onDidChange((isHeld) => heard.push(isHeld));
    await one.start();
    await pass(1);
    await two.takeOver();
    await pass(6);
    assert.deepEqual(heard, [true, false]);
  });

  it("is free when its file is no lease, or from a time that has not come", async () => {
    const one = aLease("one");
    await one.start();
    for (const text of [
      "{",
      "7",
      "{}",
      JSON.stringify({ owner: 1, renewedAt: 2 }),
      JSON.stringify({ owner: "x", renewedAt: clock.now() + 3_600_000 }),
    ]) {
      await writeFile(file, text);
      await pass(6);
      assert.equal(one.isHeld, true, text);
    }
  });

  it("is not held while its file cannot be used, says so, and tries again", async () => {
    const problems: string[] = [];
    await writeFile(path.dirname(file), "in the way");
    const one = aLease("one", (message) => problems.push(message));
    await one.start();
    assert.equal(one.isHeld, false);
    assert.equal(problems.length, 1);
    await rm(path.dirname(file));
    await pass(6);
    assert.equal(one.isHeld, true);
  });

  it("is given back and not renewed when it is stopped, and can be started again", async () => {
    const [one, two] = [aLease("one"), aLease("two")];
    await one.start();
    await pass(1);
    assert.equal(one.isHeld, true);
    await one.stop();
    assert.deepEqual([one.isHeld, clock.pending], [false, 0]);
    await two.start();
    await pass(1);
    assert.equal(two.isHeld, true, "nobody waits for it to become stale");
    await two.stop();
    await one.start();
    await pass(1);
    assert.equal(one.isHeld, true);
  });

  it("leaves no timer behind", async () => {
    const one = aLease("one");
    await one.start();
    assert.equal(clock.pending, 1);
    one.dispose();
    await one.start();
    await one.takeOver();
    assert.deepEqual([clock.pending, one.isHeld], [0, false]);
  });
});

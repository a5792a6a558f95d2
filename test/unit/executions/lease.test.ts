import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { Lease } from "../../../src/executions/lease.ts";
import { Database } from "../../../src/store/database.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { FakeClock } from "./fake-clock.ts";

describe("Lease", () => {
  let folder: string;
  let clock: FakeClock;
  let database: Database;
  let leases: Lease[];

  beforeEach(() => {
    folder = temporaryFolder("lease");
    clock = new FakeClock();
    // One connection for all windows: what two processes write at once, SQLite puts in order.
    database = new Database({
      folder,
      // Its own timers would be counted as the lease's.
      clock: { now: () => clock.now(), after: () => () => undefined },
      onProblem: (_message, error) => assert.ifError(error),
    });
    leases = [];
  });
  afterEach(async () => {
    for (const lease of leases) lease.dispose();
    database.dispose();
    await rm(folder, { recursive: true });
  });

  function aLease(
    owner: string,
    onProblem: (message: string, error: unknown) => void = (_message, error) =>
      assert.ifError(error),
  ): Lease {
    const lease = new Lease({ database, clock, owner, onProblem });
    leases.push(lease);
    return lease;
  }

  const held = () => leases.map((lease) => lease.isHeld);
  const rows = () => database.all("SELECT owner FROM lease").map(({ owner }) => owner);

  it("is held by the first window, at once, and by one only", async () => {
    const [one, two] = [aLease("one"), aLease("two")];
    one.start();
    two.start();
    assert.deepEqual(held(), [true, false]);
    await clock.pass(60_000);
    assert.deepEqual(held(), [true, false]);
    assert.deepEqual(rows(), ["one"]);
  });

  it("goes to another window at once when its holder ends properly", async () => {
    const [one, two] = [aLease("one"), aLease("two")];
    one.start();
    two.start();
    one.dispose();
    assert.deepEqual(rows(), []);
    await clock.pass(5_000);
    assert.deepEqual(held(), [false, true]);
  });

  it("goes to another window 15 s after its holder died, and not before", async () => {
    database.run("INSERT INTO lease VALUES (1, 'dead', ?)", clock.now() + 15_000);
    const one = aLease("one");
    one.start();
    await clock.pass(14_000);
    assert.equal(one.isHeld, false);
    await clock.pass(1_000);
    assert.equal(one.isHeld, true);
  });

  it("is taken over by a focused window; the other one sees it at its renewal, or when it asks", async () => {
    const [one, two] = [aLease("one"), aLease("two")];
    one.start();
    two.start();
    two.takeOver();
    assert.deepEqual(held(), [true, true]);
    assert.equal(one.confirm(), false);
    assert.equal(two.confirm(), true);
    one.takeOver();
    await clock.pass(5_000);
    assert.deepEqual(held(), [true, false]);
  });

  it("goes to and fro with the focus, however fast", async () => {
    const [one, two] = [aLease("one"), aLease("two")];
    one.start();
    two.start();
    two.takeOver();
    one.takeOver(); // It has not seen yet that it had lost it.
    await clock.pass(6_000);
    assert.deepEqual(held(), [true, false]);
  });

  it("is not held any more by a window that slept longer than it lasts, until it renews it", () => {
    const one = aLease("one");
    one.start();
    database.run("UPDATE lease SET expires_at = ?", clock.now());
    assert.equal(one.confirm(), false);
    one.start();
    assert.equal(one.confirm(), true);
  });

  it("tells when it comes and goes", async () => {
    const [one, two] = [aLease("one"), aLease("two")];
    const heard: boolean[] = [];
    one.onDidChange((isHeld) => heard.push(isHeld));
    one.start();
    two.takeOver();
    await clock.pass(6_000);
    assert.deepEqual(heard, [true, false]);
  });

  it("is free when it ends later than any lease does: the clock was set back", () => {
    database.run("INSERT INTO lease VALUES (1, 'x', ?)", clock.now() + 3_600_000);
    const one = aLease("one");
    one.start();
    assert.equal(one.isHeld, true);
  });

  it("is not held while the database can't be written, says so, and tries again", async () => {
    const problems: string[] = [];
    database.all("PRAGMA query_only = ON");
    const one = aLease("one", (message) => problems.push(message));
    one.start();
    assert.equal(one.isHeld, false);
    assert.deepEqual(problems, ["Could not decide which window polls; trying again."]);
    database.all("PRAGMA query_only = OFF");
    await clock.pass(5_000);
    assert.equal(one.isHeld, true);
  });

  it("is given back and not renewed when it is stopped, and can be started again", async () => {
    const [one, two] = [aLease("one"), aLease("two")];
    one.start();
    one.stop();
    assert.deepEqual([one.isHeld, clock.pending], [false, 0]);
    two.start();
    assert.equal(two.isHeld, true, "nobody waits for it to become stale");
    one.stop();
    await clock.pass(20_000);
    assert.equal(two.confirm(), true, "one that does not hold it gives nothing back");
    two.stop();
    one.start();
    assert.equal(one.isHeld, true);
  });

  it("leaves no timer behind", () => {
    const one = aLease("one");
    one.start();
    assert.equal(clock.pending, 1);
    one.dispose();
    one.start();
    one.takeOver();
    assert.deepEqual([clock.pending, one.isHeld], [0, false]);
  });
});

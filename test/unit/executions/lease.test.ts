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
    // One connection is enough for all windows, because SQLite serializes the writes of processes.
    database = new Database({
      folder,
      // The database's timers would count as the lease's.
      clock: { now: () => clock.now(), after: () => () => undefined },
      log: { problem: (_message, error) => assert.ifError(error) },
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
    const lease = new Lease({ database, clock, owner, log: { problem: onProblem } });
    leases.push(lease);
    return lease;
  }

  const held = () => leases.map((lease) => lease.isHeld);
  const rows = () => database.all("SELECT owner FROM lease").map(({ owner }) => owner);

  it("is held at once by the first window, and by no other", async () => {
    const [one, two] = [aLease("one"), aLease("two")];
    one.start();
    two.start();
    assert.deepEqual(held(), [true, false]);
    await clock.pass(60_000);
    assert.deepEqual(held(), [true, false]);
    assert.deepEqual(rows(), ["one"]);
  });

  it("is released when its window closes, and another window takes it", async () => {
    const [one, two] = [aLease("one"), aLease("two")];
    one.start();
    two.start();
    one.dispose();
    assert.deepEqual(rows(), []);
    await clock.pass(5_000);
    assert.deepEqual(held(), [false, true]);
  });

  it("passes to another window 15 s after its holder was killed, and not before", async () => {
    database.run("INSERT INTO lease VALUES (1, 'dead', ?)", clock.now() + 15_000);
    const one = aLease("one");
    one.start();
    await clock.pass(14_000);
    assert.equal(one.isHeld, false);
    await clock.pass(1_000);
    assert.equal(one.isHeld, true);
  });

  it("is taken over by a focused window; the other one notices at its renewal or its next check", async () => {
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

  it("follows the focus, however fast that changes", async () => {
    const [one, two] = [aLease("one"), aLease("two")];
    one.start();
    two.start();
    two.takeOver();
    one.takeOver(); // It hasn't noticed yet that it lost the lease.
    await clock.pass(6_000);
    assert.deepEqual(held(), [true, false]);
  });

  it("is lost if it expires while the window sleeps, until the window renews it", () => {
    const one = aLease("one");
    one.start();
    database.run("UPDATE lease SET expires_at = ?", clock.now());
    assert.equal(one.confirm(), false);
    one.start();
    assert.equal(one.confirm(), true);
  });

  it("fires an event when it is gained or lost", async () => {
    const [one, two] = [aLease("one"), aLease("two")];
    const changes: boolean[] = [];
    one.onDidChange((isHeld) => changes.push(isHeld));
    one.start();
    two.takeOver();
    await clock.pass(6_000);
    assert.deepEqual(changes, [true, false]);
  });

  it("is free if it expires later than any lease can, because the clock was set back", () => {
    database.run("INSERT INTO lease VALUES (1, 'x', ?)", clock.now() + 3_600_000);
    const one = aLease("one");
    one.start();
    assert.equal(one.isHeld, true);
  });

  it("is not held while the database can't be written; that is reported, and retried", async () => {
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

  it("is released and not renewed after a stop, and can be started again", async () => {
    const [one, two] = [aLease("one"), aLease("two")];
    one.start();
    one.stop();
    assert.deepEqual([one.isHeld, clock.pending], [false, 0]);
    two.start();
    assert.equal(two.isHeld, true, "no window waits until it expires");
    one.stop();
    await clock.pass(20_000);
    assert.equal(two.confirm(), true, "a window without the lease releases nothing");
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

import assert from "node:assert/strict";
import { Leader } from "../../../src/store/leader.ts";
import type { Database } from "../../../src/store/database.ts";
import { FakeClock } from "../executions/fake-clock.ts";
import { newFolder, openDatabase } from "./support.ts";

describe("The leader", () => {
  let clock: FakeClock;
  let database: Database;
  let leaders: Leader[];
  let problems: string[];

  beforeEach(() => {
    clock = new FakeClock();
    // One connection is enough for all windows, because SQLite serializes the writes of processes. It has its own clock, because its
    // timers would count, too.
    ({ database } = openDatabase(newFolder()));
    [leaders, problems] = [[], []];
  });
  afterEach(() => {
    for (const leader of leaders) leader.dispose();
    assert.deepEqual(problems, []);
  });

  function aWindow(): Leader {
    const log = { problem: (message: string) => problems.push(message) };
    const leader = new Leader({ database, clock, log });
    leaders.push(leader);
    return leader;
  }
  const twoWindows = () => {
    const [one, two] = [aWindow(), aWindow()];
    one.start();
    two.start();
    return [one, two] as const;
  };

  const held = () => leaders.map((leader) => leader.isThisWindow);
  const rows = () => database.all("SELECT owner FROM lease").length;

  it("is the first window at once, and no other", async () => {
    twoWindows();
    assert.deepEqual(held(), [true, false]);
    await clock.pass(60_000);
    assert.deepEqual(held(), [true, false]);
    assert.equal(rows(), 1);
  });

  it("is another window when it closes", async () => {
    const [one] = twoWindows();
    one.dispose();
    assert.equal(rows(), 0);
    await clock.pass(5_000);
    assert.deepEqual(held(), [false, true]);
  });

  it("is another window 15 s after it was killed, and not before", async () => {
    database.run("INSERT INTO lease VALUES (1, 'dead', ?)", clock.now() + 15_000);
    const one = aWindow();
    one.start();
    await clock.pass(14_000);
    assert.equal(one.isThisWindow, false);
    await clock.pass(1_000);
    assert.equal(one.isThisWindow, true);
  });

  it("is a window that gets the focus; the other one notices at its renewal or its next check", async () => {
    const [one, two] = twoWindows();
    two.takeOver();
    assert.deepEqual(held(), [true, true]);
    assert.equal(one.confirm(), false);
    assert.equal(two.confirm(), true);
    one.takeOver();
    await clock.pass(5_000);
    assert.deepEqual(held(), [true, false]);
  });

  it("is no window that slept too long, until that renews its lead", () => {
    const one = aWindow();
    one.start();
    database.run("UPDATE lease SET expires_at = ?", clock.now());
    assert.equal(one.confirm(), false);
    one.start();
    assert.equal(one.confirm(), true);
  });

  it("fires an event when this window begins or ends to lead", async () => {
    const [one, two] = [aWindow(), aWindow()];
    const changes: boolean[] = [];
    one.onDidChange((isThisWindow) => changes.push(isThisWindow));
    one.start();
    two.takeOver();
    await clock.pass(6_000);
    assert.deepEqual(changes, [true, false]);
  });

  it("is a new one if the lead expires later than any can, because the clock was set back", () => {
    database.run("INSERT INTO lease VALUES (1, 'x', ?)", clock.now() + 3_600_000);
    const one = aWindow();
    one.start();
    assert.equal(one.isThisWindow, true);
  });

  it("is not this window while the database can't be written; that is reported, and retried", async () => {
    database.all("PRAGMA query_only = ON");
    const one = aWindow();
    one.start();
    assert.equal(one.isThisWindow, false);
    assert.deepEqual(problems.splice(0), ["Could not decide which window polls; trying again."]);
    database.all("PRAGMA query_only = OFF");
    await clock.pass(5_000);
    assert.equal(one.isThisWindow, true);
  });

  it("is another window after a stop, and can be this one again", async () => {
    const [one, two] = [aWindow(), aWindow()];
    one.start();
    one.stop();
    assert.deepEqual([one.isThisWindow, clock.pending], [false, 0]);
    two.start();
    assert.equal(two.isThisWindow, true, "no window waits until it expires");
    one.stop();
    await clock.pass(20_000);
    assert.equal(two.confirm(), true, "a window that doesn't lead releases nothing");
    two.stop();
    one.start();
    assert.equal(one.isThisWindow, true);
  });

  it("leaves no timer behind", () => {
    const one = aWindow();
    one.start();
    assert.equal(clock.pending, 1);
    one.dispose();
    one.start();
    one.takeOver();
    assert.deepEqual([clock.pending, one.isThisWindow], [0, false]);
  });
});

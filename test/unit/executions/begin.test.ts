import assert from "node:assert/strict";
import { beginWhenNeeded } from "../../../src/executions/executions.ts";
import type { Disposable } from "../../../src/base/events.ts";
import type { ExecutionStore } from "../../../src/executions/store.ts";
import { FakeClock } from "./fake-clock.ts";
import { anExecution } from "./samples.ts";
import { Windows } from "./windows.ts";

describe("Watching executions", () => {
  let windows: Windows;
  let clock: FakeClock;
  let mine: ExecutionStore;
  let others: ExecutionStore;
  let begun: number;
  let beginning: Disposable;

  beforeEach(() => {
    windows = new Windows();
    clock = new FakeClock();
    [mine, others] = [windows.open(clock), windows.open()];
    begun = 0;
    beginning = beginWhenNeeded(mine, clock, () => begun++);
  });

  afterEach(async () => {
    beginning.dispose();
    await windows.close();
  });

  it("starts at once, and once, for what this window starts or tracks", async () => {
    mine.add(anExecution());
    assert.equal(begun, 1);
    mine.add(anExecution({ localId: "another" }));
    await clock.pass(10_000);
    assert.equal(begun, 1);
  });

  it("starts only after 5 s for what another window starts", async () => {
    others.add(anExecution());
    mine.refresh();
    assert.deepEqual([mine.list().length, begun], [1, 0]);
    await clock.pass(4_999);
    assert.equal(begun, 0);
    await clock.pass(1);
    assert.equal(begun, 1);
  });

  it("starts at once for what another window starts after these 5 s, unless it has ended", async () => {
    await clock.pass(5_000);
    others.add(anExecution({ localId: "ended", state: "completed" }));
    mine.refresh();
    assert.deepEqual([mine.list().length, begun], [1, 0]);
    others.add(anExecution());
    mine.refresh();
    assert.equal(begun, 1);
  });

  it("starts for one that has ended if its callbacks are still sent", async () => {
    await clock.pass(5_000);
    const undelivered = [{ kind: "crew", count: 1, attempts: 1 }];
    const ended = { state: "completed", undelivered } as const;
    others.add(anExecution({ ...ended, undelivered: [{ ...undelivered[0]!, isGivenUp: true }] }));
    mine.refresh();
    assert.deepEqual([mine.list().length, begun], [1, 0]);
    others.add(anExecution({ ...ended, localId: "late" }));
    mine.refresh();
    assert.equal(begun, 1);
  });

  it("never starts after it is disposed", async () => {
    others.add(anExecution());
    mine.refresh();
    beginning.dispose();
    await clock.pass(10_000);
    assert.equal(begun, 0);
  });
});

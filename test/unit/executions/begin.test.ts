import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { beginWhenNeeded } from "../../../src/executions/begin.ts";
import type { Disposable } from "../../../src/base/events.ts";
import { ExecutionStore } from "../../../src/executions/store.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { FakeClock } from "./fake-clock.ts";
import { anExecution } from "./samples.ts";

describe("Watching executions begins", () => {
  let folder: string;
  let clock: FakeClock;
  let mine: ExecutionStore;
  let others: ExecutionStore;
  let begun: number;
  let beginning: Disposable;

  beforeEach(async () => {
    folder = temporaryFolder("begin");
    clock = new FakeClock();
    [mine, others] = [await openStore(), await openStore()];
    begun = 0;
    beginning = beginWhenNeeded(mine, clock, () => begun++);
  });

  afterEach(async () => {
    for (const each of [beginning, mine, others]) each.dispose();
    await rm(folder, { recursive: true });
  });

  async function openStore(): Promise<ExecutionStore> {
    const store = new ExecutionStore({
      folder,
      clock,
      onProblem: (_message, error) => assert.fail(String(error)),
    });
    await store.open();
    return store;
  }

  it("at once, and once, for what this window starts or tracks", async () => {
    await mine.add(anExecution());
    assert.equal(begun, 1);
    await mine.add(anExecution({ localId: "another" }));
    await clock.pass(10_000);
    assert.equal(begun, 1);
  });

  it("only after 5 s for what another window starts", async () => {
    await others.add(anExecution());
    await mine.refresh();
    assert.deepEqual([mine.list().length, begun], [1, 0]);
    await clock.pass(4_999);
    assert.equal(begun, 0);
    await clock.pass(1);
    assert.equal(begun, 1);
  });

  it("at once for what another window starts when the 5 s are over, and not for what has ended", async () => {
    await clock.pass(5_000);
    await others.add(anExecution({ localId: "ended", state: "completed" }));
    await mine.refresh();
    assert.deepEqual([mine.list().length, begun], [1, 0]);
    await others.add(anExecution());
    await mine.refresh();
    assert.equal(begun, 1);
  });

  it("never in a window that is gone", async () => {
    await others.add(anExecution());
    await mine.refresh();
    beginning.dispose();
    await clock.pass(10_000);
    assert.equal(begun, 0);
  });
});

import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { mock } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createWaker } from "../../../src/service/executions.ts";

describe("service: waking a run for its decision", () => {
  it("accepts a decision whose signal fails, and sends the signal again", async () => {
    const key = { executionId: "one", taskIndex: 0, attempt: 1 };
    const lines: string[] = [];
    let signals = 0;
    const again = new EventEmitter();
    const sentAgain = once(again, "sent");
    const signal = (): Promise<boolean> => {
      signals += 1;
      if (signals === 1) return Promise.reject(new Error("database or disk is full"));
      again.emit("sent");
      return Promise.resolve(true);
    };
    const store = { unreadDecisions: () => Promise.resolve(signals < 2 ? [key] : []) };
    const waker = createWaker(
      store,
      signal,
      () => Promise.resolve(),
      (line) => lines.push(line),
    );
    await waker.wake(key);
    await sentAgain;
    assert.deepEqual(lines, [
      "A run could not be woken for its decision yet: database or disk is full",
    ]);
  });

  it("looks less often while runs that have their signals can't begin", async () => {
    const key = { executionId: "one", taskIndex: 0, attempt: 1 };
    let looks = 0;
    const waker = createWaker(
      { unreadDecisions: () => ((looks += 1), Promise.resolve([key])) },
      () => Promise.resolve(true),
      () => Promise.resolve(),
      (line) => assert.ok(!line),
    );
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      await waker.wake(key);
      for (let milliseconds = 0; milliseconds < 5000; milliseconds += 10) {
        mock.timers.tick(10);
        await setImmediate();
      }
      assert.ok(looks >= 5 && looks <= 15, `${looks} looks in 5 s`);
    } finally {
      waker.stop();
      mock.timers.reset();
    }
  });

  it("looks for no decision after its end, though it was waking a run", async () => {
    let looks = 0;
    let answer: (isWoken: boolean) => void = () => assert.fail("No signal was sent.");
    const waker = createWaker(
      { unreadDecisions: () => ((looks += 1), Promise.resolve([])) },
      () => new Promise((resolve) => (answer = resolve)),
      () => Promise.resolve(),
      (line) => assert.ok(!line),
    );
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const waking = waker.wake({ executionId: "one", taskIndex: 0, attempt: 1 });
      waker.stop();
      answer(false);
      await waking;
      mock.timers.tick(10_000);
      assert.equal(looks, 0);
    } finally {
      mock.timers.reset();
    }
  });
});

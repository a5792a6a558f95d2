import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
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
    const store = { unreadDecisions: () => (signals < 2 ? [key] : []) };
    const waker = createWaker(store, signal, (line) => lines.push(line));
    await waker.wake(key);
    await sentAgain;
    assert.deepEqual(lines, [
      "A run could not be woken for its decision yet: database or disk is full",
    ]);
  });
});

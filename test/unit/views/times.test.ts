import assert from "node:assert/strict";
import { formatSpan } from "../../../src/view/lengths.ts";
import type { Execution, StateChange } from "../../../src/executions/model.ts";
import { briefOf } from "../../../src/view/brief.ts";
import { elapsedText } from "../../../src/view/words.ts";
import { notWaiting } from "./executions.ts";

const start = Date.parse("2026-10-21T12:00:00.000Z");

describe("times", () => {
  it("have two units at most", () => {
    assert.deepEqual(
      [0, 59, 60, 150, 3600, 3720, 90_000, 172_800].map((seconds) => formatSpan(seconds * 1000)),
      ["0 s", "59 s", "1 min", "2 min 30 s", "1 h", "1 h 2 min", "1 d 1 h", "2 d"],
    );
  });

  it("change in steps on rows, stop at the end, and are omitted if unknown", () => {
    const timeOf = (changes: Partial<Execution>, now: number, history?: StateChange[]) => {
      const isInterrupted = history !== undefined;
      const execution = notWaiting({ ...changes, ...(history && { history }) });
      return elapsedText(briefOf(execution, { isInterrupted }).elapsed, now);
    };
    const endedAt = "2026-10-21T12:01:05.000Z";
    assert.equal(timeOf({}, start + 47_000), "40 s");
    assert.equal(timeOf({ state: "queued" }, start + 9_000), undefined);
    assert.equal(timeOf({}, start + 9e9, []), undefined, "interrupted before it had begun");
    assert.equal(timeOf({ state: "completed", endedAt }, start + 9e9), "1 min 5 s");
    const tracked = { state: "completed", endedAt, origin: "tracked" } as const;
    assert.equal(timeOf(tracked, start), undefined);
    assert.equal(timeOf({ state: "unconfirmed" }, start + 47_000), undefined);
  });
});

import assert from "node:assert/strict";
import { formatSpan } from "../../../src/view/lengths.ts";
import { elapsedLabel } from "../../../src/view/words.ts";
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
    assert.equal(elapsedLabel(notWaiting(), start + 47_000), "40 s");
    assert.equal(elapsedLabel(notWaiting({ state: "queued" }), start + 9_000), undefined);
    assert.equal(elapsedLabel(notWaiting(), start, start), undefined, "it had not begun");
    assert.equal(
      elapsedLabel(
        notWaiting({ state: "completed", endedAt: "2026-10-21T12:01:05.000Z" }),
        start + 9e9,
      ),
      "1 min 5 s",
    );
    assert.equal(
      elapsedLabel(
        notWaiting({ state: "completed", endedAt: "2026-10-21T12:01:05.000Z", origin: "tracked" }),
        start,
      ),
      undefined,
    );
    assert.equal(elapsedLabel(notWaiting({ state: "unconfirmed" }), start), undefined);
  });
});

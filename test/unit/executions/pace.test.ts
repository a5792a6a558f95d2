import assert from "node:assert/strict";
import { backOff, pace } from "../../../src/executions/watched.ts";

describe("pace", () => {
  const facts = { age: 0, slowPolls: 0, isLookedAt: true, isUnknown: false };
  const table: readonly [string, Partial<typeof facts>, number][] = [
    ["at first", {}, 2_000],
    ["for 20 s", { age: 19_999, slowPolls: 9 }, 2_000],
    ["then", { age: 20_000 }, 2_000],
    ["then growing", { age: 22_000, slowPolls: 1 }, 2_800],
    ["then more", { age: 25_000, slowPolls: 2 }, 3_920],
    ["up to a bound", { age: 900_000, slowPolls: 40 }, 15_000],
    ["at first, while hidden", { isLookedAt: false }, 8_000],
    ["at last, while hidden", { age: 900_000, slowPolls: 40, isLookedAt: false }, 60_000],
    ["when the crew does not know the id", { isUnknown: true }, 60_000],
  ];
  for (const [when, changes, expected] of table) {
    it(`waits ${expected / 1000} s ${when}`, () =>
      assert.equal(Math.round(pace({ ...facts, ...changes })), expected));
  }

  it("backs off at random below a bound that doubles up to 5 minutes, but no faster than the usual pace", () => {
    assert.deepEqual(
      [1, 2, 3, 20].map((failures) => backOff(failures, 1, 0)),
      [4_000, 8_000, 16_000, 300_000],
    );
    assert.equal(backOff(20, 0.25, 2_000), 75_000);
    assert.equal(backOff(1, 0, 2_000), 2_000);
  });
});

import assert from "node:assert/strict";
import { backOff, pace } from "../../../src/executions/polls.ts";

describe("pace", () => {
  const table: readonly [string, age: number, isLookedAt: boolean, number][] = [
    ["at first", 0, true, 2_000],
    ["for 20 s", 19_999, true, 2_000],
    ["then growing", 30_000, true, 6_000],
    ["up to a bound", 900_000, true, 15_000],
    ["at first, while hidden", 0, false, 8_000],
    ["at last, while hidden", 900_000, false, 60_000],
  ];
  for (const [when, age, isLookedAt, expected] of table) {
    it(`waits ${expected / 1000} s ${when}`, () => assert.equal(pace(age, isLookedAt), expected));
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

import assert from "node:assert/strict";
import { readable, laidOut } from "../../../src/base/json.ts";

describe("JSON on several lines", () => {
  it("is as JSON.stringify lays it out, whatever white space it had", () => {
    for (const value of [
      ...[1, "a", "", null, [], {}, [[]], [{}], [1, [2, [3, []]]], { "": [null, true, -1e9] }],
      { a: { b: { c: ["[x]", "{,:}", 'quote " and \\', "\n\u2028"] } } },
    ])
      for (const spaces of [0, 3, "\t"])
        assert.equal(
          laidOut(JSON.stringify(value, undefined, spaces)),
          JSON.stringify(value, undefined, 2),
        );
  });

  it("keeps each value as it is written", () => {
    assert.equal(
      laidOut('{"a":12345678901234567890,"a":1.0,"b":"\\u0041\\/"}'),
      '{\n  "a": 12345678901234567890,\n  "a": 1.0,\n  "b": "\\u0041\\/"\n}',
    );
  });

  it("is never more than some twice as long: inner levels stay on one line", () => {
    const table = JSON.stringify({ rows: Array.from({ length: 2_000 }, () => [[1, 2], [3]]) });
    assert.equal(laidOut(table).slice(0, 31), '{\n  "rows": [\n    [[1,2],[3]],\n');
    for (const levels of [3, 50, 900])
      for (const inside of ["1,".repeat(50_000), '{"a":[1]},'.repeat(10_000), ""]) {
        const json = `${"[".repeat(levels)}${inside}1${"]".repeat(levels)}`;
        const shown = laidOut(json);
        assert.ok(shown.length <= 2 * json.length + 2_000, `${levels}: ${shown.length}`);
        assert.equal(shown.replace(/\s/g, ""), json);
        assert.equal(readable(JSON.parse(json)), shown);
      }
  });

  it("stays as it is above 2 MB", () => {
    const large = `[${'"twelve times",'.repeat(200_000)}1]`;
    assert.ok(laidOut(large) === large);
  });
});

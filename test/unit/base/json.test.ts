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
    const text = laidOut('{"a":12345678901234567890,"a":1.0,"b":"\\u0041\\/"}');
    assert.equal(text, '{\n  "a": 12345678901234567890,\n  "a": 1.0,\n  "b": "\\u0041\\/"\n}');
  });

  it("stays as it is if it would be far longer, as with many levels", () => {
    for (const levels of [50, 900])
      for (const inside of ["1,".repeat(50_000), '{"a":[1]},'.repeat(10_000), ""]) {
        const json = `${"[".repeat(levels)}${inside}1${"]".repeat(levels)}`;
        assert.equal(laidOut(json), json);
        assert.equal(readable(JSON.parse(json)), json);
      }
  });

  it("stays as it is above 2 MB", () => {
    const large = `[${'"twelve times",'.repeat(200_000)}1]`;
    assert.ok(laidOut(large) === large);
  });
});
